"""What random subsets of rankers say about the appendix's claims."""

from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import Results, Scale
from duelist.reproductions.dudik2015.subsets.sweep import ALL_INSIDE, NONE_INSIDE
from duelist.reproductions.dudik2015.subsets.tally import Tally

MADE_UP = "The claim is about rankers of MSLR; these preferences are made up."
TOO_FEW = "Too few subsets at this scale to tell such small shares apart."
ANOTHER_MATRIX = (
    "In this matrix arm 12 beats all others, so it wins every subset it is in, and the chance rises again. "
    "The paper's users are informational; who clicked for this file is not stated. The item `users` looked "
    "for the reason: estimated anew on a sample of MSLR, the chance depends on how often rankers are "
    "compared more than on who clicks, and rises again too once they are compared often enough."
)
ANOTHER_MIX = (
    "The share depends on the sizes that are drawn, which the paper does not state, and on the matrix, which "
    "may not be the paper's; the table shows the shares by size."
)


def judge(results: Results, expected: Expected) -> dict[str, Finding]:
    """Return a finding for every claim."""
    claims, tally = expected["claims"], Tally.of(results)
    about_rankers: dict[str, Callable[[], Finding]] = {
        "condorcet": lambda: falling(results, float(claims["condorcet"]["tolerance"])),
        "at_most_five": lambda: at_most_five(tally, int(claims["at_most_five"]["paper"])),
        "one_or_three": lambda: one_or_three(tally, float(claims["one_or_three"]["tolerance"])),
        "five": lambda: five(tally, results.scale, float(claims["five"]["paper"])),
        "one_copeland": lambda: one_copeland(tally, float(claims["one_copeland"]["paper"])),
        "all_copeland": lambda: all_copeland(tally, float(claims["all_copeland"]["tolerance"])),
        "losses": lambda: losses(tally, float(claims["losses"]["tolerance"])),
    }
    findings = {name: finding() for name, finding in about_rankers.items()}
    if not results.real:
        findings = {name: Finding(one.ours, None, MADE_UP) for name, one in findings.items()}
    return {
        **findings,
        "odd": odd(tally),
        "counting": counting(results, tally, float(claims["counting"]["tolerance"])),
    }


def falling(results: Results, limit: float) -> Finding:
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


def one_or_three(tally: Tally, least: float) -> Finding:
    """Judge how many supports have one arm or three."""
    one, three = (tally.share(tally.support == size) for size in (1, 3))
    return Finding(f"{one + three:.3%}: {one:.2%} one, {three:.2%} three", one + three > least)


def five(tally: Tally, scale: Scale, most: float) -> Finding:
    """Judge how many supports have five arms."""
    share = tally.share(tally.support == 5)
    ours = f"{share:.4%} of {tally.total:,}"
    if scale is Scale.QUICK:
        return Finding(ours, None, TOO_FEW)
    return Finding(ours, share < most, "" if share < most else ANOTHER_MIX)


def one_copeland(tally: Tally, least: float) -> Finding:
    """Judge how often a Copeland winner has weight."""
    share = tally.share(tally.inside > NONE_INSIDE)
    return Finding(f"{share:.3%} of {tally.total:,}", share > least)


def all_copeland(tally: Tally, least: float) -> Finding:
    """Judge how often all Copeland winners have weight."""
    inside = tally.inside == ALL_INSIDE
    share, shares = tally.share(inside), tally.shares(inside)
    worst = int(shares.argmin())
    ours = f"{share:.2%}; lowest {shares[worst]:.2%}, at K = {tally.sizes[worst]}"
    return Finding(ours, share >= least)


def losses(tally: Tally, most: float) -> Finding:
    """Judge to which part of the others the weakest arm of a support loses, on average."""
    parts = tally.loss / (tally.size - 1)
    mean = float((parts * tally.number).sum()) / tally.total
    return Finding(f"{mean:.2%} of the others on average; at most {tally.loss.max()} arms", mean <= most)


def odd(tally: Tally) -> Finding:
    """Judge whether every support is odd, as it must be without ties."""
    sizes = np.unique(tally.support)
    return Finding(f"supports of {', '.join(map(str, sizes))}", bool(np.all(sizes % 2 == 1)))


def counting(results: Results, tally: Tally, least: float) -> Finding:
    """Judge whether Condorcet winners were drawn as often as counting says, at every size."""
    found, drawn = tally.counts(tally.support == 1), tally.counts(tally.size > 0)
    chance = results["counting"]["chance"]
    fewer, more = binom.cdf(found, drawn, chance), binom.sf(found - 1, drawn, chance)
    unlikely = float(np.minimum(fewer, more).min())
    worst = float(np.abs(found / drawn - chance).max())
    ours = f"largest difference {worst:.4f}; the least likely has a chance of {unlikely:.2g}"
    return Finding(ours, unlikely >= least)
