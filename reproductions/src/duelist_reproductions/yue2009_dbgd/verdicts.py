"""Findings about Table 1, what Section 5.1 says about it, and Figure 2."""

from collections.abc import Iterable
from math import sqrt

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, ItemResults, agrees
from duelist_reproductions.yue2009_dbgd.sweep import (
    FIGURE2,
    HORIZON,
    LEARNERS,
    SHORTER,
    TABLE1,
    ends_of,
    table_of,
)

BASELINES = ("BGD1", "BGD2")


def find_table1(results: ItemResults, expected: Expected) -> dict[str, Finding]:
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
            "" if len(factors) == 5 else f"Only the factors {factors} were run.",
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
    """Return the paper's numbers for the cells of the runs."""
    setting = TABLE1[results.scale]
    rows = [expected["problems"].index(problem) for problem in setting.problems]
    columns = [expected["factors"].index(factor) for factor in setting.factors]
    return np.array(expected["claims"]["cells"]["paper"])[np.ix_(rows, columns)]


def find_chance(results: ItemResults, ours: FloatArray, paper: FloatArray, expected: Expected) -> Finding:
    """Compare each of the paper's numbers, as one run, with the mean of ours, in standard deviations."""
    setting = TABLE1[results.scale]
    if setting.runs < 2:
        return Finding("one run per cell", None, "Chance can only be measured with several runs.")
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
    """Check that regret grows beyond the range of factors, and no faster than somewhere within it."""
    setting = TABLE1[results.scale]
    if not setting.outer_factors:
        return Finding("no factors beyond the range", None, "They run at full scale only.")
    outer, (least, most) = table_of(results, setting.outer_factors), setting.outer_factors
    steepest = np.abs(np.diff(ours, axis=1) / np.diff(np.log2(setting.factors))).max(axis=1)
    # both are one octave beyond the range
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
    """Return the findings about Figure 2; a claim must hold with every number of rounds."""
    words: dict[str, list[str]] = {name: [] for name in expected["claims"]}
    values: dict[str, list[float]] = {name: [] for name in expected["claims"]}
    for horizon in FIGURE2[results.scale].horizons:
        for name, (text, found) in compare_ends(results, expected, horizon).items():
            verdict = "holds" if agrees(expected["claims"][name], found) else "does not hold"
            words[name].append(f"{horizon:,} rounds: {text} ({verdict})")
            values[name] += found
    return {name: Finding(". ".join(texts), values[name]) for name, texts in words.items()}


def compare_ends(
    results: ItemResults, expected: Expected, horizon: int
) -> dict[str, tuple[str, list[float]]]:
    """Return the comparisons with one number of rounds, in words and as numbers, by claim."""
    problems, drawn = FIGURE2[results.scale].problems, expected["drawn"]
    curves = {
        (problem, learner): results.where(problem=problem, learner=learner, horizon=horizon)[0][
            "regret"
        ].mean(axis=0)
        for problem in problems
        for learner in LEARNERS
    }
    ends = {problem: [float(curves[problem, learner][-1]) for learner in LEARNERS] for problem in problems}
    ahead = [ends[problem] for problem in expected["outperformed"]]
    leads = [min(dbgd, bgd1) - bgd2 for dbgd, bgd1, bgd2 in ends.values()]
    alike = [correlation(curves[one, "DBGD"], curves[one, other]) for one in drawn for other in BASELINES]
    return {
        "ahead-of-bgd1": (
            in_words(expected["outperformed"], (f"{dbgd:.3f} against {bgd1:.3f}" for dbgd, bgd1, _ in ahead)),
            [bgd1 - dbgd for dbgd, bgd1, _ in ahead],
        ),
        "bgd2-best": (
            "BGD2 is below the better of the others by "
            + in_words(problems, (f"{lead:+.3f}" for lead in leads)),
            leads,
        ),
        "similar": (
            f"correlations of the curves on {' and '.join(drawn)} from {min(alike):.3f} to {max(alike):.3f}",
            alike,
        ),
        "similar-levels": (
            in_words(drawn, ("{:.3f} against {:.3f} and {:.3f}".format(*ends[problem]) for problem in drawn)),
            [ends[problem][0] / other - 1.0 for problem in drawn for other in ends[problem][1:]],
        ),
    }


def in_words(problems: Iterable[str], texts: Iterable[str]) -> str:
    """Join the words on each problem."""
    return "; ".join(f"{problem} {one}" for problem, one in zip(problems, texts, strict=True))


def correlation(one: FloatArray, other: FloatArray) -> float:
    """Return the correlation of two curves, 0 if one is flat."""
    return 0.0 if 0.0 in (one.std(), other.std()) else float(np.corrcoef(one, other)[0, 1])
