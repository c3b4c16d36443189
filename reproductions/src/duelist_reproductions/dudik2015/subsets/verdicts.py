"""What random subsets of rankers say about the appendix's claims.

The paper's shares are of all matrices it sampled, with and without a Condorcet winner. Where there is one, it
is the only arm in the support and the only Copeland winner, so that such subsets cannot contradict a claim.
"""

import numpy as np
from scipy.stats import binom

from duelist.laboratory import Expected, Finding, ItemResults
from duelist_reproductions.dudik2015.subsets.tally import Tally, chance_of_counts

ONLY_BY_EASY_ONES = (
    "It holds because of subsets with a Condorcet winner, where it must; among the others it does not. The "
    "paper's share is of all matrices too, but of its matrices fewer have a Condorcet winner."
)


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims, tally = expected["claims"], Tally.of(results)
    hard, largest, supports = tally.contested, int(tally.support.max()), np.unique(tally.support)
    usual = [(some.support == 1) | (some.support == 3) for some in (tally, hard)]
    fives = [some.support == 5 for some in (tally, hard)]
    one, every = (tally.one_inside, hard.one_inside), (tally.all_inside, hard.all_inside)

    def share(chosen: tuple[np.ndarray, ...] | list[np.ndarray], least: float | None = None) -> Finding:
        """Return a share of all subsets; say if it is above a limit only by those with a winner."""
        easy, harder = tally.share(chosen[0]), hard.share(chosen[1])
        ours = f"{easy:.3%} of {tally.total:,}; {harder:.2%} of the {hard.total:,} without a Condorcet winner"
        only = least is not None and easy > least >= harder
        return Finding(ours, easy, ONLY_BY_EASY_ONES if only else "")

    losses = (
        f"{hard.mean_loss:.2%} of the others on average without a Condorcet winner, {tally.mean_loss:.2%} of "
        f"all; at most {tally.loss.max()} arms"
    )
    return {
        "condorcet": falling(results, claims["condorcet"]["tolerance"]),
        "at_most_five": Finding(f"largest support {largest} in {tally.total:,} subsets", largest),
        "one_or_three": share(usual, claims["one_or_three"]["tolerance"]),
        "five": share(fives),
        "one_copeland": share(one, claims["one_copeland"]["paper"]),
        "all_copeland": Finding(share(every).ours, hard.share(hard.all_inside)),
        "fewer_by_size": fewer_by_size(tally, claims["fewer_by_size"]["tolerance"]),
        "losses": Finding(losses, hard.mean_loss),
        "odd": Finding(f"supports of {', '.join(map(str, supports))}", supports % 2 == 1),
        "counting": counting(results, tally),
    }


def falling(results: ItemResults, limit: float) -> Finding:
    """Find out whether a Condorcet winner becomes ever rarer as subsets grow, until most have none."""
    chance, size = results["counting"]["chance"], results["counting"]["size"]
    lowest = int(chance.argmin())
    ours = (
        f"{chance[0]:.4f} at K = {size[0]}, lowest {chance[lowest]:.4f} at K = {size[lowest]}, "
        f"{chance[-1]:.4f} at K = {size[-1]}"
    )
    return Finding(ours, [*(np.diff(chance) <= 0.0), chance[-1] < limit])


def fewer_by_size(tally: Tally, level: float) -> Finding:
    """Find out whether all Copeland winners have weight less often than one, and not alike at all sizes."""
    hard = tally.contested
    left_out, drawn = hard.counts(~hard.all_inside), hard.counts(hard.size > 0)
    rate = np.full(len(drawn), left_out.sum() / drawn.sum())
    lower = hard.share(hard.one_inside) - hard.share(hard.all_inside)
    by_luck = chance_of_counts(left_out, drawn, rate, fitted=1)
    ours = (
        f"lower by {lower:.2%} without a Condorcet winner, by {lower * hard.total / tally.total:.2%} of all; "
        f"if it did not depend on the size, luck would make it look so with a chance of {by_luck:.1g}"
    )
    return Finding(ours, [lower > 0.0, by_luck < level])


def counting(results: ItemResults, tally: Tally) -> Finding:
    """Measure how likely Condorcet winners are drawn as often as they were, by counting all subsets."""
    found, drawn = tally.counts(tally.support == 1), tally.counts(tally.size > 0)
    chance = results["counting"]["chance"]
    by_luck = chance_of_counts(found, drawn, chance)
    alone = np.minimum(binom.cdf(found, drawn, chance), binom.sf(found - 1, drawn, chance))
    ours = (
        f"by luck as far or farther off with a chance of {by_luck:.2g}, all sizes together; the least likely "
        f"size alone, K = {tally.sizes[alone.argmin()]}, has {alone.min():.1g} on its side"
    )
    return Finding(ours, by_luck)
