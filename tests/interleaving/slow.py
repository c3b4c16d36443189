"""Interleaving of many rankings in plain Python: all possible lists with their exact probabilities."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from typing import TypeAlias

from duelist.interleaving.page import NOBODY

Rankings: TypeAlias = Sequence[Sequence[int]]
Shown: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Documents and teams."""
Lists: TypeAlias = dict[Shown, Fraction]


def left_of(ranking: Sequence[int], shown: Sequence[int]) -> list[int]:
    return [document for document in ranking if document not in shown]


def sure_places(rankings: Rankings) -> int:
    many = len(rankings)
    rounds = []
    for j, ranking in enumerate(rankings):
        others = {document for k in range(many) if k != j for document in rankings[k]}
        rounds.append(max(len(ranking) // many, len(set(ranking) - others)))
    return max(min(map(len, rankings)), many * min(rounds))


def places_anyone_can_fill(rankings: Rankings) -> int:
    """How many places are filled by whose turn it is, in every order of every round: by trying them all."""

    def lasts(shown: tuple[int, ...], waiting: tuple[int, ...]) -> int:
        waiting = waiting or tuple(range(len(rankings)))
        if any(not left_of(rankings[j], shown) for j in waiting):
            return len(shown)
        return min(
            lasts((*shown, left_of(rankings[j], shown)[0]), tuple(k for k in waiting if k != j))
            for j in waiting
        )

    return lasts((), ())


def collect(drawn: Iterator[tuple[Shown, Fraction]]) -> Lists:
    lists: Lists = defaultdict(Fraction)
    for shown, chance in drawn:
        lists[shown] += chance
    return dict(lists)


def team_draft_lists(rankings: Rankings, length: int) -> Lists:
    """Every order of every round; below the sure places, any ranking's best at each place, nobody's."""
    sure = min(sure_places(rankings), length)
    many = len(rankings)

    def rounds(shown: Shown, chance: Fraction) -> Iterator[tuple[Shown, Fraction]]:
        documents, teams = shown
        if len(documents) == sure:
            yield from grow(shown, chance, length, any_best)
        else:
            orders = list(permutations(range(many)))
            for order in orders:
                now, names = list(documents), list(teams)
                for ranking in order[: sure - len(documents)]:
                    now.append(left_of(rankings[ranking], now)[0])
                    names.append(ranking)
                yield from rounds((tuple(now), tuple(names)), chance / len(orders))

    def any_best(documents: tuple[int, ...]) -> list[tuple[int, int, Fraction]]:
        bests = [left_of(ranking, documents)[:1] for ranking in rankings]
        able = [best[0] for best in bests if best]
        return [(best, NOBODY, Fraction(1, len(able))) for best in able]

    return collect(rounds(((), ()), Fraction(1)))


def probabilistic_lists(rankings: Rankings, length: int, tau: int = 3) -> Lists:
    """At every place any ranking that has documents left; it names one of these by its rank."""

    def any_named(documents: tuple[int, ...]) -> list[tuple[int, int, Fraction]]:
        able = [j for j, ranking in enumerate(rankings) if left_of(ranking, documents)]
        named = []
        for j in able:
            weights = {
                document: Fraction(1, (rank + 1) ** tau)
                for rank, document in enumerate(rankings[j])
                if document not in documents
            }
            team = j if len(documents) < min(map(len, rankings)) else NOBODY
            for document, weight in weights.items():
                named.append((document, team, weight / sum(weights.values()) / len(able)))
        return named

    return collect(grow(((), ()), Fraction(1), length, any_named))


def pairwise_preference_lists(rankings: Rankings, length: int) -> Lists:
    """At place x any document that is not shown and among the first x of some ranking."""

    def any_high_enough(documents: tuple[int, ...]) -> list[tuple[int, int, Fraction]]:
        depth = len(documents) + 1
        pool = {document for ranking in rankings for document in left_of(ranking[:depth], documents)}
        return [(document, NOBODY, Fraction(1, len(pool))) for document in pool]

    return collect(grow(((), ()), Fraction(1), length, any_high_enough))


def grow(
    shown: Shown,
    chance: Fraction,
    length: int,
    steps: Callable[[tuple[int, ...]], list[tuple[int, int, Fraction]]],
) -> Iterator[tuple[Shown, Fraction]]:
    """Add place after place; `steps` gives the documents that may come next, their teams and chances."""
    documents, teams = shown
    nexts = steps(documents) if len(documents) < length else []
    if not nexts:
        yield shown, chance
    for document, team, share in nexts:
        yield from grow(((*documents, document), (*teams, team)), chance * share, length, steps)


def next_document_chance(lists: Lists, documents: tuple[int, ...], teams: tuple[int, ...]) -> Fraction:
    """The chance of the last of these documents, given those above it and the teams of those."""
    above = sum(
        chance
        for (shown, names), chance in lists.items()
        if shown[: len(teams)] == documents[:-1] and names[: len(teams)] == teams and len(shown) > len(teams)
    )
    both = sum(
        chance
        for (shown, names), chance in lists.items()
        if shown[: len(documents)] == documents and names[: len(teams)] == teams
    )
    return Fraction(both) / Fraction(above)
