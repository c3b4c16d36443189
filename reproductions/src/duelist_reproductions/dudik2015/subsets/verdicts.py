"""What random subsets of rankers say about the appendix's claims.

The paper's shares are of all matrices it sampled, with and without a Condorcet winner. Where there is one, it
is the only arm in the support and the only Copeland winner, so that such subsets cannot contradict a claim.
"""

from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from duelist.duel import BoolArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults, Scale
from duelist_reproductions.dudik2015.subsets.luck import chance_of_counts
from duelist_reproductions.dudik2015.subsets.sweep import ALL_INSIDE, NONE_INSIDE
from duelist_reproductions.dudik2015.subsets.tally import Tally

MADE_UP = "The claim is about rankers of MSLR; these preferences are made up."
TOO_FEW = "Too few subsets at this scale to tell such small shares apart."
ANOTHER_MATRIX = (
    "In this matrix arm 12 beats all others, so it wins every subset it is in, and the chance rises again. "
    "The paper's users are informational; who clicked for this file is not stated. The item `users` looked "
    "for the reason: estimated anew on a sample of MSLR, the chance depends on how often rankers are "
    "compared more than on who clicks, and rises again too once they are compared often enough."
)
MORE_FIVES = (
    "Only subsets without a Condorcet winner can have five, and here these are few. The paper's matrix has "
    "more of them, so that among them fives are rarer there by more than the shares of all subsets tell. Its "
    "matrix may not be this one, and its sizes are not stated; the tables show the shares by size."
)
ONLY_BY_EASY_ONES = (
    "It holds because of subsets with a Condorcet winner, where it must; among the others it does not. The "
    "paper's share is of all matrices too, but of its matrices fewer have a Condorcet winner."
)
ONE_OF_TWO_LEFT_OUT = (
    "Judged on subsets without a Condorcet winner; of all subsets it would hold whatever the others were. "
    "It is mostly pairs of Copeland winners of which one has no weight, see the table by their number. It is "
    "no peculiarity of this matrix: in preferences estimated anew by the item `users`, Copeland winners are "
    "left out about as often or more often."
)


def judge(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return a finding for every claim."""
    claims, tally = expected["claims"], Tally.of(results)
    paper, tolerance = ({name: one[key] for name, one in claims.items()} for key in ("paper", "tolerance"))
    about_rankers: dict[str, Callable[[], Finding]] = {
        "condorcet": lambda: falling(results, tolerance["condorcet"]),
        "at_most_five": lambda: at_most_five(tally, paper["at_most_five"]),
        "one_or_three": lambda: usual(tally, one_or_three, tolerance["one_or_three"]),
        "five": lambda: five(tally, results.scale, paper["five"]),
        "one_copeland": lambda: usual(tally, one_inside, paper["one_copeland"]),
        "all_copeland": lambda: all_copeland(tally, results.scale, tolerance["all_copeland"]),
        "fewer_by_size": lambda: fewer_by_size(tally, results.scale, tolerance["fewer_by_size"]),
        "losses": lambda: losses(tally, tolerance["losses"]),
    }
    findings = {name: finding() for name, finding in about_rankers.items()}
    if not results.real:
        findings = {name: Finding(one.ours, None, MADE_UP) for name, one in findings.items()}
    return {
        **findings,
        "odd": odd(tally),
        "counting": counting(results, tally, tolerance["counting"]),
    }


def falling(results: ItemResults, limit: float) -> Finding:
    """Judge whether a Condorcet winner becomes ever rarer as subsets grow, until most have none."""
    counted = results["counting"]
    chance, size = counted["chance"], counted["size"]
    lowest = int(chance.argmin())
    ours = (
        f"{chance[0]:.4f} at K = {size[0]}, lowest {chance[lowest]:.4f} at K = {size[lowest]}, "
        f"{chance[-1]:.4f} at K = {size[-1]}"
    )
    if np.all(np.diff(chance) <= 0.0) and chance[-1] < limit:
        return Finding(ours, True)
    if results.scale is Scale.QUICK:
        return Finding(ours, None, f"Judged on the paper's scale. {ANOTHER_MATRIX}")
    return Finding(ours, False, ANOTHER_MATRIX)


def at_most_five(tally: Tally, largest: int) -> Finding:
    """Judge the size of the largest support."""
    ours = int(tally.support.max())
    return Finding(f"largest support {ours} in {tally.total:,} subsets", ours <= largest)


def one_or_three(tally: Tally) -> BoolArray:
    """Say where the support has one arm or three."""
    return np.asarray((tally.support == 1) | (tally.support == 3))


def one_inside(tally: Tally) -> BoolArray:
    """Say where a Copeland winner has weight."""
    return np.asarray(tally.inside > NONE_INSIDE)


def all_inside(tally: Tally) -> BoolArray:
    """Say where all Copeland winners have weight."""
    return np.asarray(tally.inside == ALL_INSIDE)


def both_shares(tally: Tally, kind: Callable[[Tally], BoolArray]) -> str:
    """Say which part of all subsets is of a kind, and which part of those without a Condorcet winner."""
    hard = tally.contested
    return (
        f"{tally.share(kind(tally)):.3%} of {tally.total:,}; {hard.share(kind(hard)):.2%} of the "
        f"{hard.total:,} without a Condorcet winner"
    )


def usual(tally: Tally, kind: Callable[[Tally], BoolArray], least: float) -> Finding:
    """Judge whether nearly all subsets are of a kind, and say if those without a winner are not."""
    holds = tally.share(kind(tally)) > least
    hard = tally.contested
    only = holds and hard.share(kind(hard)) <= least
    return Finding(both_shares(tally, kind), holds, ONLY_BY_EASY_ONES if only else "")


def five(tally: Tally, scale: Scale, most: float) -> Finding:
    """Judge how many supports have five arms."""
    ours = both_shares(tally, lambda some: some.support == 5)
    if scale is Scale.QUICK:
        return Finding(ours, None, TOO_FEW)
    holds = tally.share(tally.support == 5) < most
    return Finding(ours, holds, "" if holds else MORE_FIVES)


def all_copeland(tally: Tally, scale: Scale, least: float) -> Finding:
    """Judge how often all Copeland winners have weight, where there is no Condorcet winner."""
    ours, hard = both_shares(tally, all_inside), tally.contested
    if scale is Scale.QUICK:
        return Finding(ours, None, TOO_FEW)
    holds = hard.share(all_inside(hard)) >= least
    return Finding(ours, holds, "" if holds else ONE_OF_TWO_LEFT_OUT)


def fewer_by_size(tally: Tally, scale: Scale, level: float) -> Finding:
    """Judge whether all Copeland winners have weight less often than one has, and not equally at any size."""
    hard = tally.contested
    left_out = hard.counts(~all_inside(hard))
    drawn = hard.counts(hard.size > 0)
    rate = np.full(len(drawn), left_out.sum() / drawn.sum())
    lower = hard.share(one_inside(hard)) - hard.share(all_inside(hard))
    by_luck = chance_of_counts(left_out, drawn, rate, fitted=1)
    ours = (
        f"lower by {lower:.2%} without a Condorcet winner, by {lower * hard.total / tally.total:.2%} of all; "
        f"if it did not depend on the size, luck would make it look so with a chance of {by_luck:.1g}"
    )
    if scale is Scale.QUICK:
        return Finding(ours, None, TOO_FEW)
    return Finding(ours, lower > 0.0 and by_luck < level)


def losses(tally: Tally, most: float) -> Finding:
    """Judge to which part of the others the weakest arm of a support loses, without a Condorcet winner."""
    hard = tally.contested
    ours = (
        f"{hard.mean_loss:.2%} of the others on average without a Condorcet winner, {tally.mean_loss:.2%} of "
        f"all; at most {tally.loss.max()} arms"
    )
    return Finding(ours, hard.mean_loss <= most)


def odd(tally: Tally) -> Finding:
    """Judge whether every support is odd, as it must be without ties."""
    sizes = np.unique(tally.support)
    return Finding(f"supports of {', '.join(map(str, sizes))}", bool(np.all(sizes % 2 == 1)))


def counting(results: ItemResults, tally: Tally, level: float) -> Finding:
    """Judge whether Condorcet winners were drawn as often as counting says, all sizes together."""
    found, drawn = tally.counts(tally.support == 1), tally.counts(tally.size > 0)
    chance = results["counting"]["chance"]
    by_luck = chance_of_counts(found, drawn, chance)
    fewer, more = binom.cdf(found, drawn, chance), binom.sf(found - 1, drawn, chance)
    alone = np.minimum(fewer, more)
    ours = (
        f"by luck as far or farther off with a chance of {by_luck:.2g}, all sizes together; the least likely "
        f"size alone, K = {tally.sizes[alone.argmin()]}, has {alone.min():.1g} on its side"
    )
    return Finding(ours, by_luck >= level)
