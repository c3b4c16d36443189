"""Whether the claims of Figure 2 hold, at the end of the paper's axis and with the rounds of Table 1."""

from collections.abc import Callable, Mapping

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults
from duelist_reproductions.yue2009_dbgd.figure2_sweep import FACTOR, FIGURE2, curves_of, end_of

FULL_LENGTH = 10**6
BASELINES = ("BGD1", "BGD2")


def judge_figure2(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Figure 2."""
    settings = FIGURE2[results.scale]
    rules: Mapping[str, Callable[[ItemResults, Expected, int], Finding]] = {
        "ahead-of-bgd1": judge_lead,
        "bgd2-best": judge_informed,
        "similar": judge_course,
        "similar-levels": judge_levels,
    }
    found = {
        name: together({horizon: rule(results, expected, horizon) for horizon in settings.horizons})
        for name, rule in rules.items()
    }
    if max(settings.horizons) < FULL_LENGTH:
        short = f"It is judged with {FULL_LENGTH:,} rounds too, the horizon that Table 1 agrees with."
        unknown = {name: Finding(one.ours, None, short) for name, one in found.items()}
        return unknown | {"ahead-of-bgd1": found["ahead-of-bgd1"]}
    searched = search_reasons(results, expected)
    return {
        name: Finding(one.ours, one.value, "" if one.value else searched.get(name, ""))
        for name, one in found.items()
    }


def together(found: Mapping[int, Finding]) -> Finding:
    """Return what is found with all numbers of rounds: it holds if it holds with each."""
    words = [
        f"{horizon:,} rounds: {one.ours} ({'holds' if one.value else 'does not hold'})"
        for horizon, one in found.items()
    ]
    return Finding(". ".join(words), all(one.value for one in found.values()))


def judge_lead(results: ItemResults, expected: Expected, horizon: int) -> Finding:
    """Find out whether DBGD ends below BGD1 where the paper says so."""
    pairs = {
        problem: (end_of(results, problem, "DBGD", horizon), end_of(results, problem, "BGD1", horizon))
        for problem in expected["outperformed"]
    }
    return Finding(
        "; ".join(f"{problem} {ours:.3f} against {theirs:.3f}" for problem, (ours, theirs) in pairs.items()),
        all(ours < theirs for ours, theirs in pairs.values()),
    )


def judge_informed(results: ItemResults, expected: Expected, horizon: int) -> Finding:
    """Find out whether BGD2, which knows most, ends lowest everywhere."""
    leads = leads_of_informed(results, horizon, FACTOR)
    return Finding(
        f"BGD2 is below the better of the others by {in_words(leads)}",
        all(lead > 0.0 for lead in leads.values()),
    )


def search_reasons(results: ItemResults, expected: Expected) -> dict[str, str]:
    """Return what half the exploration does at the end of the paper's axis, by claim."""
    settings = FIGURE2[results.scale]
    if settings.shorter_factor is None:
        return {}
    horizon, factor = min(settings.horizons), settings.shorter_factor
    experiment = f"The experiment that looked for the reason, {horizon:,} rounds with factor {factor:g}: "
    return {
        "bgd2-best": f"{experiment}BGD2 is below by {in_words(leads_of_informed(results, horizon, factor))}. "
        "A likely reason: BGD2 steps away from a neighbour that is bound to lose, wherever it lies, and DBGD "
        "stays; long explorations make such neighbours.",
        "similar-levels": f"{experiment}{levels_in_words(ends_of(results, expected, horizon, factor))}.",
    }


def leads_of_informed(results: ItemResults, horizon: int, factor: float) -> dict[str, float]:
    """Return by how much BGD2 ends below the better of the others, by problem."""
    return {
        problem: min(end_of(results, problem, other, horizon, factor) for other in ("DBGD", "BGD1"))
        - end_of(results, problem, "BGD2", horizon, factor)
        for problem in FIGURE2[results.scale].problems
    }


def in_words(leads: Mapping[str, float]) -> str:
    """Return numbers by problem."""
    return "; ".join(f"{problem} {lead:+.3f}" for problem, lead in leads.items())


def judge_course(results: ItemResults, expected: Expected, horizon: int) -> Finding:
    """Find out whether DBGD's curve takes the course of the baselines': falling with them, at their pace."""
    found = []
    for problem in expected["drawn"]:
        curves = {
            learner: curves_of(results, problem, learner, horizon)[1].mean(axis=0)
            for learner in ("DBGD", *BASELINES)
        }
        found += [correlation(curves["DBGD"], curves[other]) for other in BASELINES]
    return Finding(
        "correlations of the curves on "
        + " and ".join(expected["drawn"])
        + f" from {min(found):.3f} to {max(found):.3f}",
        min(found) >= expected["claims"]["similar"]["tolerance"],
    )


def correlation(one: FloatArray, other: FloatArray) -> float:
    """Return the correlation of two curves, 0 where one is flat."""
    if one.std() == 0.0 or other.std() == 0.0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def judge_levels(results: ItemResults, expected: Expected, horizon: int) -> Finding:
    """Find out whether DBGD ends where the baselines end."""
    ends = ends_of(results, expected, horizon, FACTOR)
    farthest = max(abs(one["DBGD"] / one[other] - 1.0) for one in ends.values() for other in BASELINES)
    return Finding(levels_in_words(ends), farthest <= expected["claims"]["similar-levels"]["tolerance"])


def ends_of(
    results: ItemResults, expected: Expected, horizon: int, factor: float
) -> dict[str, dict[str, float]]:
    """Return where all learners end, on the problems that the paper draws."""
    return {
        problem: {name: end_of(results, problem, name, horizon, factor) for name in ("DBGD", *BASELINES)}
        for problem in expected["drawn"]
    }


def levels_in_words(ends: Mapping[str, Mapping[str, float]]) -> str:
    """Return DBGD's level beside the baselines', by problem."""
    return "; ".join(
        f"{problem} {one['DBGD']:.3f} against {one['BGD1']:.3f} and {one['BGD2']:.3f}"
        for problem, one in ends.items()
    )
