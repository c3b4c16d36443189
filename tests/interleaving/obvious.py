"""Interleaving of two rankings in plain Python: all coins, all lists, all assignments."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

Ranking: TypeAlias = Sequence[int]
List: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Documents and teams."""
Lists: TypeAlias = dict[List, Fraction]

HALF = Fraction(1, 2)

PAIRS: dict[str, tuple[list[int], list[int]]] = {
    "equal": ([0, 1, 2, 3], [0, 1, 2, 3]),
    "shifted": ([0, 1, 2, 3], [1, 2, 3, 0]),
    "disjoint": ([0, 1, 2], [3, 4, 5]),
    "unequal": ([0, 1], [2, 3, 4, 5]),
    "partly shared": ([0, 1, 2, 3], [0, 4, 2, 5]),
    "path matters": ([0, 1, 2], [0, 3]),
    "path matters to left": ([0, 3], [0, 1, 2]),
    "one alone": ([0], [1, 2, 3]),
    "one empty": ([], [0, 1, 2]),
}


def best(ranking: Ranking, shown: Sequence[int]) -> int | None:
    return next((document for document in ranking if document not in shown), None)


def both_can_pick(left: Ranking, right: Ranking, shown: tuple[int, ...]) -> bool:
    ours, theirs = best(left, shown), best(right, shown)
    if ours is None or theirs is None:
        return False
    return best(left, (*shown, theirs)) is not None and best(right, (*shown, ours)) is not None


def round_of(left: Ranking, right: Ranking, shown: tuple[int, ...], left_first: bool) -> tuple[int, ...]:
    for ranking in (left, right) if left_first else (right, left):
        picked = best(ranking, shown)
        assert picked is not None
        shown = (*shown, picked)
    return shown


def sure_rounds(left: Ranking, right: Ranking) -> int:
    """The rounds in which both can pick, for all outcomes of the coins."""
    rounds = 0
    reached: set[tuple[int, ...]] = {()}
    while all(both_can_pick(left, right, shown) for shown in reached):
        reached = {
            tuple(sorted(round_of(left, right, shown, first))) for shown in reached for first in (True, False)
        }
        rounds += 1
    return rounds


def team_draft(left: Ranking, right: Ranking, length: int) -> Lists:
    credited = 2 * sure_rounds(left, right)
    lists: Lists = defaultdict(Fraction)

    def go_on(
        documents: tuple[int, ...], teams: tuple[int, ...], waiting: int | None, chance: Fraction
    ) -> None:
        if len(documents) == length:
            lists[documents, teams] += chance
            return
        sure = len(documents) < credited
        if waiting is not None:
            able = [waiting]
        else:
            able = [
                team for team, ranking in enumerate((left, right)) if best(ranking, documents) is not None
            ]
        for team in able:
            picked = best((left, right)[team], documents)
            assert picked is not None
            follows = 1 - team if sure and waiting is None else None
            go_on(
                (*documents, picked), (*teams, team if sure else -1), follows, chance * Fraction(1, len(able))
            )

    go_on((), (), None, Fraction(1))
    return dict(lists)


def balanced(left: Ranking, right: Ranking, length: int) -> Lists:
    lists: Lists = defaultdict(Fraction)
    for begins in (0, 1):
        documents: list[int] = []
        teams: list[int] = []
        depth = [0, 0]
        while len(documents) < length:
            behind = begins if depth[begins] <= depth[1 - begins] else 1 - begins
            turn = behind if depth[behind] < len((left, right)[behind]) else 1 - behind
            document = (left, right)[turn][depth[turn]]
            depth[turn] += 1
            if document not in documents:
                documents.append(document)
                teams.append(turn)
        lists[tuple(documents), tuple(teams)] += HALF
    return dict(lists)


def softmax(ranking: Ranking, above: Sequence[int], tau: int) -> dict[int, Fraction]:
    weights = {
        document: Fraction(1, rank**tau)
        for rank, document in enumerate(ranking, start=1)
        if document not in above
    }
    whole = sum(weights.values())
    return {document: weight / whole for document, weight in weights.items()}


def probabilistic(left: Ranking, right: Ranking, length: int, tau: int = 3) -> Lists:
    lists: Lists = defaultdict(Fraction)

    def go_on(documents: tuple[int, ...], teams: tuple[int, ...], chance: Fraction) -> None:
        if len(documents) == length:
            lists[documents, teams] += chance
            return
        draws = [softmax(ranking, documents, tau) for ranking in (left, right)]
        able = [team for team in (0, 1) if draws[team]]
        for team in able:
            for document, share in draws[team].items():
                credited = team if len(documents) < min(len(left), len(right)) else -1
                go_on((*documents, document), (*teams, credited), chance * share * Fraction(1, len(able)))

    go_on((), (), Fraction(1))
    return dict(lists)


def of_documents(lists: Lists) -> dict[tuple[int, ...], Fraction]:
    chances: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for (documents, _), chance in lists.items():
        chances[documents] += chance
    return dict(chances)


def verdict(lead: float) -> float:
    return 0.5 if lead == 0 else float(lead > 0)


def counted_clicks(
    counting: str, left: Ranking, right: Ranking, documents: Ranking, clicked: set[int]
) -> list[int]:
    """The places whose clicks count."""
    places = [place for place, document in enumerate(documents) if document in clicked]
    if counting == "first":
        return places[:1]
    if counting == "unshared":
        same = 0
        while same < min(len(left), len(right)) and left[same] == right[same]:
            same += 1
        return [place for place in places if documents[place] not in left[:same]]
    return places


def click_patterns(chances: Sequence[Fraction]) -> Iterator[tuple[tuple[bool, ...], Fraction]]:
    """All ways to click on places, each clicked with its own probability."""
    for pattern in product((False, True), repeat=len(chances)):
        likely = Fraction(1)
        for clicked, chance in zip(pattern, chances, strict=True):
            likely *= chance if clicked else 1 - chance
        yield pattern, likely


def mean_outcome(
    lists: Lists, chances: Sequence[Fraction], outcome: Callable[[List, set[int]], float]
) -> float:
    """The exact mean over all lists and all clicks that depend on places alone."""
    mean = 0.0
    for (documents, teams), chance in lists.items():
        for pattern, likely in click_patterns(chances[: len(documents)]):
            clicked = {document for document, click in zip(documents, pattern, strict=True) if click}
            mean += float(chance * likely) * outcome((documents, teams), clicked)
    return mean
