"""Team-draft interleaving (Radlinski, Kurup and Joachims 2008): two captains pick in rounds."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from numpy.random import Generator

from duelist.duel import BoolArray, IntArray
from duelist.interleaving import page as pages
from duelist.interleaving.base import FEW, Interleaving, Shown, find_clicked, require_shown, wrong_clicks
from duelist.interleaving.page import LEFT, NOBODY, RIGHT, Page, draft, settle
from duelist.kernels.compile import jitable, overload_for

WORTH = (1, -1, 0)  # what a click adds to the lead of the left ranking, by the team; at -1 is NOBODY


class TeamDraftRules(NamedTuple):
    """The parameters of the kernels."""

    counting: int  # which clicks count


@jitable
def next_best(ranking: IntArray, rank: int, taken: BoolArray) -> int:
    """Return the first rank, from `rank` on, whose document is not yet taken."""
    while rank < len(ranking) and taken[ranking[rank]]:
        rank += 1
    return rank


@jitable
def full_rounds(first: IntArray, second: IntArray, taken: BoolArray, most: int) -> int:
    """Return in how many rounds, up to `most`, both can pick if `first` always goes first."""
    gone = taken.copy()
    for document in first:
        gone[document] = False
    for document in second:
        gone[document] = False
    rounds, i, j = 0, 0, 0
    while rounds < most:
        i, j = next_best(first, i, gone), next_best(second, j, gone)
        if i == len(first) or j == len(second):
            break
        gone[first[i]] = True
        if first[i] == second[j]:
            i, j = next_best(first, i, gone), next_best(second, j, gone)
            if i == len(first) or j == len(second):
                break
        gone[second[j]] = True
        rounds += 1
    return rounds


@jitable
def sure_places(left: IntArray, right: IntArray, taken: BoolArray, room: int) -> int:
    """Return how many places are in rounds in which both can pick, whatever the coins."""
    # a round takes two documents of a ranking at most
    rounds = min(len(left), len(right)) // 2
    if room > 2 * rounds:
        most = (room + 1) // 2
        rounds = min(full_rounds(left, right, taken, most), full_rounds(right, left, taken, most))
    return 2 * rounds


@overload_for(draft, TeamDraftRules)
def draft_teams(rules: TeamDraftRules, left: IntArray, right: IntArray, page: Page, rng: Generator) -> None:
    """Fill a page in rounds; in each, a coin decides who picks first."""
    documents, teams, propensities, shown, taken = page
    room = len(documents)
    place = shown[0]
    credited = sure_places(left, right, taken, room)
    i, j = 0, 0  # where each ranking's best free document stood when the round began
    if place % 2 == 1 and place < credited:
        taken[documents[place - 1]] = False
        i, j = next_best(left, 0, taken), next_best(right, 0, taken)
        taken[documents[place - 1]] = True
    while place < room:
        if place % 2 == 0 or place >= credited:
            i, j = next_best(left, i, taken), next_best(right, j, taken)
            if i == len(left) and j == len(right):
                break
            propensity = 1.0
            if i == len(left):
                team = RIGHT
            elif j == len(right):
                team = LEFT
            else:
                team = LEFT if rng.random() < 0.5 else RIGHT
                if left[i] != right[j]:
                    propensity = 0.5
        else:
            # the documents above tell who picked first, unless both would have picked the same
            told = left[i] != right[j]
            team = RIGHT if teams[place - 1] == LEFT else LEFT
            i, j = next_best(left, i, taken), next_best(right, j, taken)
            propensity = 1.0 if told or left[i] == right[j] else 0.5
        document = left[i] if team == LEFT else right[j]
        taken[document] = True
        documents[place] = document
        teams[place] = team if place < credited else NOBODY
        propensities[place] = propensity
        place += 1
    shown[0] = place


@overload_for(settle, TeamDraftRules)
def settle_teams(
    rules: TeamDraftRules, left: IntArray, right: IntArray, page: Page, clicked: BoolArray
) -> float:
    """Return whose team has more of the clicks that count, on a list that shows a common prefix first."""
    _, teams, _, shown, _ = page
    first = pages.shared_prefix(left, right) if rules.counting == pages.UNSHARED else 0
    lead = 0
    for place in range(first, shown[0]):
        if clicked[place]:
            lead += WORTH[teams[place]]
            if rules.counting == pages.FIRST:
                break
    return pages.verdict(lead)


@dataclass(frozen=True)
class TeamDraft(Interleaving):
    """Interleave as two captains pick teams: in each round both pick their best, in the order of a coin toss.

    A click is a point for the team of its document; the ranking with more points wins. The usual choice:
    simple, and fair to both rankings as long as clicks do not depend on the documents.

    Parameters
    ----------
    counting : str, default "all"
        Which clicks count: "all", "first" (the topmost clicked place only) or "unshared" (all but those on
        the prefix that both rankings have in common).

    Notes
    -----
    Fairness: where clicks depend on places and on each other, but not on the documents, neither ranking wins
    more often: with every coin turned over, which is as likely, the teams change sides at every place. This
    holds for a length that cuts a round; continued with `after`, the other side finishes the round.

    Deviations from the paper, whose lists are long enough to credit every place: a round is credited only if
    both can pick in it *whatever* the coins. A ranking is exhausted soonest if the other goes first in every
    round: two runs of the draft count the full rounds. Below them, a coin chooses a ranking for each place,
    and the document is credited to nobody.

    References
    ----------
    Radlinski, Kurup, Joachims (2008). How does clickthrough data reflect retrieval quality? CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> shown = TeamDraft().interleave(["a", "b", "c"], ["b", "d"], np.random.default_rng(5))
    >>> shown.documents, shown.teams
    (('b', 'a', 'd', 'c'), (1, 0, 1, 0))
    >>> TeamDraft().credit(shown, clicked=["b"])
    0.0
    """

    counting: str = "all"
    fair: ClassVar[tuple[str, ...]] = ("all", "first", "unshared")

    def rules(self) -> TeamDraftRules:
        """Return the parameters of the kernels."""
        return TeamDraftRules(self.counting_rule())

    def credit(self, shown: Shown, clicked: Iterable[Hashable]) -> float:
        """Return what the kernel does, from the clicked places alone."""
        try:
            clicked = {*clicked}
            if len(clicked) < FEW and self.counting == "all":
                # on most lists, calls would take longer than this loop
                documents, teams, _, _, _ = shown
                lead = 0
                for document in clicked:
                    lead += WORTH[teams[documents.index(document)]]
                return 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5
        except (TypeError, ValueError):
            require_shown("shown", shown, Shown)
            raise wrong_clicks(shown.documents, clicked) from None
        require_shown("shown", shown, Shown)
        places = find_clicked(shown.documents, clicked)
        if self.counting == "first":
            places = sorted(places)[:1]
        elif self.counting == "unshared":
            rankings: Any = shown.left, shown.right
            depth = pages.shared_prefix(*rankings)
            places = [place for place in places if place >= depth]
        teams = shown.teams
        return pages.verdict(sum([WORTH[teams[place]] for place in places]))
