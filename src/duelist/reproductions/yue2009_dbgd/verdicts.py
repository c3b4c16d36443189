"""Whether the claims of Table 1 and Figure 2 hold."""

import numpy as np

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import Results
from duelist.reproductions.yue2009_dbgd.sweep import (
    FIGURE2,
    TABLE1,
    curves_of,
    paper_table,
    table_of,
)
from duelist.types import FloatArray

FULL_LENGTH = 10**6


def judge_table1(results: Results, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Table 1."""
    settings = TABLE1[results.scale]
    ours = table_of(results, "printed", settings.horizon)
    shorter = table_of(results, "printed", settings.shorter_horizon)
    return {
        "cells": judge_cells(results, expected, ours, shorter),
        "best-factor": judge_factors(results, ours, paper_table(results, expected)),
        "sublinear": judge_growth(ours, shorter, settings.horizon / settings.shorter_horizon),
    }


def judge_cells(results: Results, expected: Expected, ours: FloatArray, shorter: FloatArray) -> Finding:
    """Compare every cell with the paper's, and say what other readings of the paper come to."""
    settings = TABLE1[results.scale]
    paper = paper_table(results, expected)
    deviations = ours / paper - 1.0
    row, column = np.unravel_index(np.abs(deviations).argmax(), deviations.shape)
    others = [f"with {settings.shorter_horizon:,} rounds it is {largest(shorter / paper - 1.0):+.1%}"]
    if "farther" in settings.starts:
        farther = table_of(results, "farther", settings.horizon)
        others.append(f"from a start of norm 5 it is {largest(farther / paper - 1.0):+.1%}")
    return Finding(
        ours=f"the largest deviation of {ours.size} cells is {deviations[row, column]:+.1%} "
        f"({settings.problems[row]}, factor {settings.factors[column]:g})",
        holds=bool(np.abs(deviations).max() <= expected["claims"]["cells"]["tolerance"]),
        note=f"The largest deviation under other readings: {', '.join(others)}.",
    )


def largest(deviations: FloatArray) -> float:
    """Return the deviation that is farthest from none."""
    return float(deviations.ravel()[np.abs(deviations).argmax()])


def judge_factors(results: Results, ours: FloatArray, paper: FloatArray) -> Finding:
    """Compare the factor of the least regret, problem by problem."""
    settings = TABLE1[results.scale]
    best = ours.argmin(axis=1)
    named = ", ".join(
        f"{problem} {settings.factors[column]:g}"
        for problem, column in zip(settings.problems, best, strict=True)
    )
    played = "" if len(settings.factors) == 5 else f"Only the factors {settings.factors} were played."
    return Finding(ours=named, holds=bool((best == paper.argmin(axis=1)).all()), note=played)


def judge_growth(ours: FloatArray, shorter: FloatArray, longer: float) -> Finding:
    """Compare average regret with that of fewer rounds: sublinear regret grows less than rounds do."""
    exponents = 1.0 + np.log(ours / shorter) / np.log(longer)
    return Finding(
        ours=f"average regret is lower in {int((ours < shorter).sum())} of {ours.size} cells with {longer:g} "
        f"times the rounds; regret grows like T^{exponents.min():.2f} to T^{exponents.max():.2f}",
        holds=bool((ours < shorter).all()),
    )


def judge_figure2(results: Results, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Figure 2."""
    horizons = FIGURE2[results.scale].horizons
    ahead = {horizon: judge_lead(results, expected, horizon) for horizon in horizons}
    if horizons[-1] < FULL_LENGTH:
        short = f"It is judged with {FULL_LENGTH:,} rounds only, the horizon that Table 1 agrees with."
        unknown = Finding(f"{horizons[-1]:,} rounds were played", None, short)
        return {"ahead-of-bgd1": ahead[horizons[-1]], "bgd2-best": unknown, "similar": unknown}
    best = {horizon: judge_informed(results, horizon) for horizon in horizons}
    alike = {horizon: judge_course(results, expected, horizon) for horizon in horizons}
    return {
        "ahead-of-bgd1": together(ahead),
        "bgd2-best": together(best),
        "similar": together(alike),
    }


def together(found: dict[int, Finding]) -> Finding:
    """Return the finding of the most rounds, with what fewer rounds come to as a note."""
    most = max(found)
    others = [
        f"With steps for {horizon:,} rounds, the end of the paper's axis: {one.ours} "
        f"({'holds' if one.holds else 'does not hold'})."
        for horizon, one in found.items()
        if horizon != most
    ]
    return Finding(found[most].ours, found[most].holds, " ".join(others))


def end(results: Results, problem: str, learner: str, horizon: int) -> float:
    """Return mean average regret at the end."""
    return float(curves_of(results, problem, learner, horizon)[1][:, -1].mean())


def judge_lead(results: Results, expected: Expected, horizon: int) -> Finding:
    """Find out whether DBGD ends below BGD1 where the paper says so."""
    pairs = {
        problem: (end(results, problem, "DBGD", horizon), end(results, problem, "BGD1", horizon))
        for problem in expected["outperformed"]
    }
    return Finding(
        "; ".join(f"{problem} {ours:.3f} against {theirs:.3f}" for problem, (ours, theirs) in pairs.items()),
        all(ours < theirs for ours, theirs in pairs.values()),
    )


def judge_informed(results: Results, horizon: int) -> Finding:
    """Find out whether BGD2, which knows most, ends lowest everywhere."""
    problems = FIGURE2[results.scale].problems
    leads = {
        problem: min(end(results, problem, other, horizon) for other in ("DBGD", "BGD1"))
        - end(results, problem, "BGD2", horizon)
        for problem in problems
    }
    text = "; ".join(f"{problem} {lead:+.3f}" for problem, lead in leads.items())
    return Finding(f"BGD2 is below the better of the others by {text}", all(v > 0.0 for v in leads.values()))


def judge_course(results: Results, expected: Expected, horizon: int) -> Finding:
    """Find out whether DBGD's curve takes the course of the baselines': falling with them, at their pace."""
    found = []
    for problem in expected["drawn"]:
        curves = {
            learner: curves_of(results, problem, learner, horizon)[1].mean(axis=0)
            for learner in ("DBGD", "BGD1", "BGD2")
        }
        found += [correlation(curves["DBGD"], curves[other]) for other in ("BGD1", "BGD2")]
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
