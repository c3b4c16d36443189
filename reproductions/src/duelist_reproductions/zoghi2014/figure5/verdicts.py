"""Figure 5: whether the paper's claims hold."""

from math import comb

import numpy as np

from duelist.laboratory import Expected, Finding, ItemResults
from duelist_reproductions.zoghi2014.rankers import RANKERS


def judge(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims = expected["claims"]
    return {
        "condorcet_chance": condorcet_chance(results, claims["condorcet_chance"]),
        "condorcet_shape": condorcet_shape(results),
        "total_order_vanishes": total_order_vanishes(results, claims["total_order_vanishes"]),
        "total_order_of_three": total_order_of_three(results, claims["total_order_of_three"]),
    }


def condorcet_chance(results: ItemResults, claim: Expected) -> Finding:
    """Judge whether a Condorcet winner is likely at every size."""
    chance = results["condorcet"]["chance"]
    least = int(chance.argmin())
    ours = f"never below {chance[least]:.5f}, at K = {least + 1}"
    if not results.real:
        return Finding(ours, None, "The number is one of the paper's data; made-up preferences have another.")
    return Finding(ours, bool(chance[least] > claim["paper"]))


def condorcet_shape(results: ItemResults) -> Finding:
    """Judge whether the chance falls first, and rises again to 1."""
    chance = results["condorcet"]["chance"]
    least = int(chance.argmin())
    rises = np.diff(chance) > 0.0
    only_rises = bool((np.diff(chance[least:]) >= 0.0).all())
    holds = bool(chance[2] < chance[1]) and only_rises and bool(chance[-1] == 1.0 > chance[least])
    ours = f"1 at K = 2, {chance[2]:.5f} at K = 3, {chance[least]:.5f} at K = {least + 1}, 1 at K = {RANKERS}"
    humps = int(rises[:least].sum())
    note = f"On the way down it rises a little at {humps} sizes." if humps else ""
    return Finding(ours, holds, note)


def total_order_vanishes(results: ItemResults, claim: Expected) -> Finding:
    """Judge whether a total order becomes rare, ever more so, while a Condorcet winner remains likely."""
    found = results["total-order"]
    share = found["ordered"] / found["samples"]
    half = RANKERS // 2
    doubled = share[[1, 3, 7, 15, half - 1]]
    falls = np.diff(doubled) < 0.0
    holds = bool(falls.all() and doubled[-1] <= claim["tolerance"] and share[-1] == 0.0)
    sizes = ", ".join(f"{share[k - 1]:.2%} at K = {k}" for k in (4, 8, 16, half))
    return Finding(f"{sizes}, {share[-1]:.0%} at K = {RANKERS}", holds)


def total_order_of_three(results: ItemResults, claim: Expected) -> Finding:
    """Judge whether sampling agrees with counting where both are possible: three arms, ordered or a cycle."""
    found = results["total-order"]
    samples = int(found["samples"])
    share = found["ordered"][2] / samples
    exact = 1.0 - int(results["condorcet"]["cyclic_triples"]) / comb(RANKERS, 3)
    apart = abs(share - exact) / (exact * (1.0 - exact) / samples) ** 0.5
    ours = f"{share:.5f} of samples, {exact:.5f} by counting cycles: {apart:.1f} standard errors"
    return Finding(ours, bool(apart <= claim["tolerance"]))
