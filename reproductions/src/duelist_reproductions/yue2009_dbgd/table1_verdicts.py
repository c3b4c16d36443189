"""Whether Table 1, and what Section 5.1 says about it, comes out."""

from math import sqrt

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults, Scale
from duelist_reproductions.yue2009_dbgd.table1_sweep import (
    EUCLIDEAN,
    RANDOM_POINTS,
    TABLE1,
    Reading,
    columns_of,
    ends_of,
    name_of,
    paper_table,
    table_of,
)


def judge_table1(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Table 1."""
    settings = TABLE1[results.scale]
    ours, shorter = table_of(results, settings.judged), table_of(results, settings.shorter)
    return {
        "cells": judge_cells(results, expected),
        "cells-by-chance": judge_chance(results, expected),
        "best-factor": judge_factors(results, ours, paper_table(results, expected)),
        "sublinear": judge_growth(ours, shorter, settings.judged.horizon / settings.shorter.horizon),
        "graceful": judge_grace(results, ours),
        "random-point": judge_random_points(results, expected),
    }


def judge_cells(results: ItemResults, expected: Expected) -> Finding:
    """Compare every cell with the paper's, and say what other readings of the paper come to."""
    settings = TABLE1[results.scale]
    paper = paper_table(results, expected)
    ours = table_of(results, settings.judged)
    deviations = ours / paper - 1.0
    row, column = np.unravel_index(np.abs(deviations).argmax(), deviations.shape)
    others = [
        f"{name_of(reading)} it is {largest(table_of(results, reading) / paper - 1.0):+.1%}"
        for reading in (*settings.others, settings.shorter)
    ]
    if EUCLIDEAN in results:
        norms = results[EUCLIDEAN]["regret"].mean(axis=1) / paper[settings.problems.index("P2")] - 1.0
        others.append(f"with the Euclidean norm, P2's are {norms.min():+.1%} to {norms.max():+.1%}")
    return Finding(
        ours=f"the largest deviation of {ours.size} cells is {deviations[row, column]:+.1%} "
        f"({settings.problems[row]}, factor {settings.factors[column]:g})",
        value=bool(np.abs(deviations).max() <= expected["claims"]["cells"]["tolerance"]),
        note=f"The largest deviation under other readings: {'; '.join(others)}.",
    )


def largest(deviations: FloatArray) -> float:
    """Return the deviation that is farthest from none."""
    return float(deviations.ravel()[np.abs(deviations).argmax()])


def judge_chance(results: ItemResults, expected: Expected) -> Finding:
    """Find out whether each of the paper's numbers could be one more run of ours."""
    settings = TABLE1[results.scale]
    if settings.judged.runs < 2:
        return Finding("one run a cell was played", None, "What chance does is measured with several runs.")
    limit = expected["claims"]["cells-by-chance"]["tolerance"]
    too_far = {reading: beyond(results, expected, reading, limit) for reading in settings.readings}
    farther = beyond(results, expected, settings.judged, 3.0)
    below = table_of(results, settings.judged) < paper_table(results, expected)
    found = too_far.pop(settings.judged)
    others = ", ".join(f"{name_of(reading)} {int(cells.sum())}" for reading, cells in too_far.items())
    return Finding(
        ours=f"{int(found.sum())} of {found.size} cells are farther from the paper's than chance takes one "
        f"run ({int(farther.sum())} than three standard deviations as measured); {int(below.sum())} are "
        "lower",
        value=not found.any(),
        note=f"The experiments that looked for the reason, cells too far away: {others}.",
    )


def beyond(results: ItemResults, expected: Expected, reading: Reading, limit: float) -> FloatArray:
    """Return which cells are farther from the paper's than so many standard deviations of the difference.

    The difference is that of one run, the paper's, and the mean of the reading's; the deviation of a run is
    that of the reading that is judged, because it has most runs.
    """
    settings = TABLE1[results.scale]
    spread = np.array(
        [
            [ends_of(results, problem, factor, settings.judged).std(ddof=1) for factor in settings.factors]
            for problem in settings.problems
        ]
    )
    differences = np.abs(table_of(results, reading) - paper_table(results, expected))
    return np.asarray(differences > limit * spread * sqrt(1.0 + 1.0 / reading.runs))


def judge_factors(results: ItemResults, ours: FloatArray, paper: FloatArray) -> Finding:
    """Compare the factor of the least regret, problem by problem."""
    settings = TABLE1[results.scale]
    best = ours.argmin(axis=1)
    named = ", ".join(
        f"{problem} {settings.factors[column]:g}"
        for problem, column in zip(settings.problems, best, strict=True)
    )
    played = "" if len(settings.factors) == 5 else f"Only the factors {settings.factors} were played."
    return Finding(ours=named, value=bool((best == paper.argmin(axis=1)).all()), note=played)


def judge_growth(ours: FloatArray, shorter: FloatArray, longer: float) -> Finding:
    """Compare average regret with that of fewer rounds: sublinear regret grows less than rounds do."""
    exponents = 1.0 + np.log(ours / shorter) / np.log(longer)
    return Finding(
        ours=f"average regret is lower in {int((ours < shorter).sum())} of {ours.size} cells with {longer:g} "
        f"times the rounds; regret grows like T^{exponents.min():.2f} to T^{exponents.max():.2f}",
        value=bool((ours < shorter).all()),
    )


def judge_grace(results: ItemResults, ours: FloatArray) -> Finding:
    """Find out whether regret grows beyond the range of factors, and no faster than somewhere within it."""
    settings = TABLE1[results.scale]
    if results.scale is not Scale.PAPER:
        return Finding("no factors beyond the range were played", None, "They are played at full scale only.")
    outer = columns_of(results, settings.judged, settings.outer_factors)
    octaves = np.diff(np.log2(settings.factors))
    steepest = np.abs(np.diff(ours, axis=1) / octaves).max(axis=1, keepdims=True)
    least, lower, higher, most = settings.outer_factors
    # the least and the largest are one octave away from the range
    steps = outer[:, [0, -1]] - ours[:, [0, -1]]
    fine = (steps > 0.0) & (steps <= steepest)
    rows = zip(settings.problems, outer[:, [0, -1]], steps, steepest[:, 0], strict=True)
    nearer = "; ".join(
        f"{problem} {low:.3f} and {high:.3f}"
        for problem, (_, low, high, _) in zip(settings.problems, outer, strict=True)
    )
    return Finding(
        ours=f"with factors {least:g} and {most:g}, and the change by this octave: "
        + "; ".join(
            f"{problem} {low:.3f} ({down:+.3f}) and {high:.3f} ({up:+.3f}), within at most {slope:.3f}"
            for problem, (low, high), (down, up), slope in rows
        ),
        value=bool(fine.all()),
        note=f"Half way there, with factors {lower:g} and {higher:g}: {nearer}.",
    )


def judge_random_points(results: ItemResults, expected: Expected) -> Finding:
    """Find out what regret is without learning."""
    means = results[RANDOM_POINTS]["regret"].mean(axis=1)
    problems = TABLE1[results.scale].problems
    return Finding(
        "mean regret of "
        + ", ".join(f"{value:.4f} on {problem}" for problem, value in zip(problems, means, strict=True)),
        bool((np.abs(means - 1.0) <= expected["claims"]["random-point"]["tolerance"]).all()),
    )
