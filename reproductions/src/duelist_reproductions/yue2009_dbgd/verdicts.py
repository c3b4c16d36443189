"""What was found out about Table 1 and what Section 5.1 says of it, and about Figure 2."""

from collections.abc import Callable, Mapping
from math import sqrt

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, ItemResults, agrees
from duelist_reproductions.yue2009_dbgd.sweep import FIGURE2, HORIZON, SHORTER, TABLE1, ends_of, table_of

BASELINES = ("BGD1", "BGD2")


def find_table1(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Table 1."""
    setting = TABLE1[results.scale]
    problems, factors = setting.problems, setting.factors
    ours, shorter = table_of(results, factors), table_of(results, factors, SHORTER)
    paper = paper_table(results, expected)
    deviations = ours / paper - 1.0
    row, column = np.unravel_index(np.abs(deviations).argmax(), deviations.shape)
    best, longer = ours.argmin(axis=1), HORIZON / SHORTER
    exponents = 1.0 + np.log(ours / shorter) / np.log(longer)
    points = results["random-points"]["regret"].mean(axis=1)
    return {
        "cells": Finding(
            f"the largest deviation of {ours.size} cells is {deviations[row, column]:+.1%} "
            f"({problems[row]}, factor {factors[column]:g})",
            deviations,
        ),
        "cells-by-chance": find_chance(results, ours, paper, expected),
        "best-factor": Finding(
            ", ".join(f"{problem} {factors[one]:g}" for problem, one in zip(problems, best, strict=True)),
            best,
            "" if len(factors) == 5 else f"Only the factors {factors} were played.",
            limit=paper.argmin(axis=1),
        ),
        "sublinear": Finding(
            f"average regret is lower in {int((ours < shorter).sum())} of {ours.size} cells with {longer:g} "
            f"times the rounds; regret grows like T^{exponents.min():.2f} to T^{exponents.max():.2f}",
            ours < shorter,
        ),
        "graceful": find_grace(results, ours),
        "random-point": Finding(
            "mean regret of "
            + ", ".join(f"{value:.4f} on {problem}" for problem, value in zip(problems, points, strict=True)),
            points,
        ),
    }


def paper_table(results: ItemResults, expected: Expected) -> FloatArray:
    """Return the paper's numbers of the cells that are played."""
    setting = TABLE1[results.scale]
    rows = [expected["problems"].index(problem) for problem in setting.problems]
    columns = [expected["factors"].index(factor) for factor in setting.factors]
    return np.array(expected["claims"]["cells"]["paper"])[np.ix_(rows, columns)]


def find_chance(results: ItemResults, ours: FloatArray, paper: FloatArray, expected: Expected) -> Finding:
    """Compare each of the paper's numbers, as one run, with the mean of ours, in standard deviations."""
    setting = TABLE1[results.scale]
    if setting.runs < 2:
        return Finding("one run a cell was played", None, "What chance does is measured with several runs.")
    spread = [
        [
            ends_of(results, problem=problem, factor=factor, horizon=HORIZON).std(ddof=1)
            for factor in setting.factors
        ]
        for problem in setting.problems
    ]
    apart = (ours - paper) / (np.array(spread) * sqrt(1.0 + 1.0 / setting.runs))
    limit = expected["claims"]["cells-by-chance"]["tolerance"]
    far, farther = (int((np.abs(apart) > most).sum()) for most in (limit, 3.0))
    return Finding(
        f"{far} of {apart.size} cells are farther from the paper's than chance takes one run ({farther} than "
        f"three standard deviations as measured); {int((apart < 0.0).sum())} are lower",
        apart,
    )


def find_grace(results: ItemResults, ours: FloatArray) -> Finding:
    """Find out whether regret grows beyond the range of factors, and no faster than somewhere within it."""
    setting = TABLE1[results.scale]
    if not setting.outer_factors:
        return Finding("no factors beyond the range were played", None, "They are played at full scale only.")
    outer, (least, most) = table_of(results, setting.outer_factors), setting.outer_factors
    steepest = np.abs(np.diff(ours, axis=1) / np.diff(np.log2(setting.factors))).max(axis=1)
    # both are one octave away from the range
    steps = outer - ours[:, [0, -1]]
    rows = zip(setting.problems, outer, steps, steepest, strict=True)
    return Finding(
        f"with factors {least:g} and {most:g}, and the change by this octave: "
        + "; ".join(
            f"{problem} {low:.3f} ({down:+.3f}) and {high:.3f} ({up:+.3f}), within at most {slope:.3f}"
            for problem, (low, high), (down, up), slope in rows
        ),
        (steps > 0.0) & (steps <= steepest[:, np.newaxis]),
    )


def find_figure2(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Figure 2; a claim holds if it does with every number of rounds."""
    rules: Mapping[str, Callable[[ItemResults, Expected, int], tuple[str, list[float]]]] = {
        "ahead-of-bgd1": leads_of_dbgd,
        "bgd2-best": leads_of_bgd2,
        "similar": correlations,
        "similar-levels": levels,
    }
    found = {}
    for name, rule in rules.items():
        words, values = [], []
        for horizon in FIGURE2[results.scale].horizons:
            said, one = rule(results, expected, horizon)
            verdict = "holds" if agrees(expected["claims"][name], one) else "does not hold"
            words.append(f"{horizon:,} rounds: {said} ({verdict})")
            values += one
        found[name] = Finding(". ".join(words), values)
    return found


def end_of(results: ItemResults, problem: str, learner: str, horizon: int) -> float:
    """Return mean average regret at the end."""
    return float(ends_of(results, problem=problem, learner=learner, horizon=horizon).mean())


def leads_of_dbgd(results: ItemResults, expected: Expected, horizon: int) -> tuple[str, list[float]]:
    """Return by how much DBGD ends below BGD1 where the paper says so."""
    pairs = {
        problem: [end_of(results, problem, learner, horizon) for learner in ("DBGD", "BGD1")]
        for problem in expected["outperformed"]
    }
    words = [f"{problem} {ours:.3f} against {theirs:.3f}" for problem, (ours, theirs) in pairs.items()]
    return "; ".join(words), [theirs - ours for ours, theirs in pairs.values()]


def leads_of_bgd2(results: ItemResults, expected: Expected, horizon: int) -> tuple[str, list[float]]:
    """Return by how much BGD2, which knows most, ends below the better of the others."""
    leads = {
        problem: min(end_of(results, problem, other, horizon) for other in ("DBGD", "BGD1"))
        - end_of(results, problem, "BGD2", horizon)
        for problem in FIGURE2[results.scale].problems
    }
    words = "; ".join(f"{problem} {lead:+.3f}" for problem, lead in leads.items())
    return f"BGD2 is below the better of the others by {words}", list(leads.values())


def correlations(results: ItemResults, expected: Expected, horizon: int) -> tuple[str, list[float]]:
    """Return whether DBGD's curve takes the course of the baselines': 0 where one is flat."""
    found = []
    for problem in expected["drawn"]:
        for other in BASELINES:
            pair = [
                results.where(problem=problem, learner=learner, horizon=horizon)[0]["regret"].mean(axis=0)
                for learner in ("DBGD", other)
            ]
            flat = min(one.std() for one in pair) == 0.0
            found.append(0.0 if flat else float(np.corrcoef(*pair)[0, 1]))
    drawn = " and ".join(expected["drawn"])
    return f"correlations of the curves on {drawn} from {min(found):.3f} to {max(found):.3f}", found


def levels(results: ItemResults, expected: Expected, horizon: int) -> tuple[str, list[float]]:
    """Return how far DBGD ends from where the baselines end, relative to them."""
    words, off = [], []
    for problem in expected["drawn"]:
        ours, *theirs = (end_of(results, problem, learner, horizon) for learner in ("DBGD", *BASELINES))
        words.append(f"{problem} {ours:.3f} against {theirs[0]:.3f} and {theirs[1]:.3f}")
        off += [ours / one - 1.0 for one in theirs]
    return "; ".join(words), off
