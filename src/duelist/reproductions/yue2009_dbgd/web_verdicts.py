"""Whether the claims of Tables 2 and 3 and Figure 3 hold on the documents that were played."""

from collections.abc import Sequence

import numpy as np

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import Results, Scale
from duelist.reproductions.yue2009_dbgd.documents import PARTS
from duelist.reproductions.yue2009_dbgd.web_results import (
    MEASURES,
    best_runs,
    mean_final,
    table_two,
    wider_explorations,
)
from duelist.reproductions.yue2009_dbgd.web_search import BASELINES, SETTINGS
from duelist.types import FloatArray

MADE_UP = "The documents are made up, and the claim is about those of a search engine."
TOO_SHORT = "The claim is about the whole grid and runs of 10^7 comparisons; these are few and short."


def judge_web_search(results: Results, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Tables 2 and 3 and Figure 3."""
    tolerances = {name: claim["tolerance"] for name, claim in expected["claims"].items()}
    found = {
        "peak-inside": judge_peak(results),
        "smooth-average": judge_smoothness(results, "average", tolerances["smooth-average"]),
        "smooth-final": judge_smoothness(results, "final", tolerances["smooth-final"]),
        "queries-hardly-matter": judge_queries(results, tolerances["queries-hardly-matter"]),
        "smaller-steps": judge_steps(results),
        "near-ranking-svm": judge_goal(results, tolerances["near-ranking-svm"]),
    }
    if not results.real or results.scale is not Scale.PAPER:
        reason = TOO_SHORT if results.real else MADE_UP
        found = {name: Finding(one.ours, None, reason) for name, one in found.items()}
    return found | {"held-out": judge_held_out(results, tolerances["held-out"])}


def judge_peak(results: Results) -> Finding:
    """Find out whether performance peaks inside the paper's grid; a wider grid tells why not."""
    settings = SETTINGS[results.scale]
    own, wider = (
        {name: table_two(results, name, rows) for name in MEASURES}
        for rows in (settings.explorations, wider_explorations(results))
    )
    holds = all(peaks_inside(values) for values in own.values())
    searched = describe_peaks(results, wider, wider_explorations(results))
    shortest = f"{min(settings.shorter_explorations):g}"
    note = (
        f"The experiment that looked for the reason, explorations from {shortest} on: {searched}. "
        "A likely reason: theory's exploration grows with the root of the number of features, 46 here and "
        "367 in the paper, so that the paper's grid ends too early for these documents."
    )
    return Finding(describe_peaks(results, own, settings.explorations), holds, "" if holds else note)


def describe_peaks(results: Results, tables: dict[str, FloatArray], explorations: Sequence[float]) -> str:
    """Return where each measure is highest, in words."""
    words = []
    for name, values in tables.items():
        row, column = divmod(int(values.argmax()), values.shape[1])
        steps = f"({explorations[row]:g}, {SETTINGS[results.scale].exploitations[column]:g})"
        where = "inside" if peaks_inside(values) else "at the edge"
        words.append(f"the {name} peaks {where}, at {steps} with {values.max():.4f}")
    return "; ".join(words)


def peaks_inside(values: FloatArray) -> bool:
    """Return whether the largest number of a table stands neither in an outer row nor in an outer column."""
    row, column = np.unravel_index(values.argmax(), values.shape)
    return bool(0 < row < values.shape[0] - 1 and 0 < column < values.shape[1] - 1)


def judge_smoothness(results: Results, name: str, tolerance: float) -> Finding:
    """Find out whether rows and columns have one peak each."""
    own = unevenness(table_two(results, name, SETTINGS[results.scale].explorations))
    wider = unevenness(table_two(results, name, wider_explorations(results)))
    return Finding(
        f"the largest dip is {own:.4f}; with shorter explorations too, {wider:.4f}", own <= tolerance
    )


def unevenness(values: FloatArray) -> float:
    """Return the largest dip of all rows and columns of a table."""
    return max(largest_dip(line) for line in (*values, *values.T))


def largest_dip(line: Sequence[float] | FloatArray) -> float:
    """Return by how much a line at most falls and rises again: 0 if it has one peak."""
    values = np.asarray(line)
    left, right = np.maximum.accumulate(values), np.maximum.accumulate(values[::-1])[::-1]
    return float((np.minimum(left, right) - values).max())


def judge_queries(results: Results, tolerance: float) -> Finding:
    """Find out how far apart the ends are with different numbers of queries an update."""
    runs = best_runs(results)
    finals = [mean_final(of_queries, "training") for of_queries in runs.values()]
    firsts = [mean_final(of_queries[:1], "training") for of_queries in runs.values()]
    spread = max(finals) - min(finals)
    return Finding(
        f"means of {SETTINGS[results.scale].runs} runs lie within {spread:.4f}, from {min(finals):.4f} to "
        f"{max(finals):.4f}",
        spread <= tolerance,
        f"With one run each they lie within {max(firsts) - min(firsts):.4f}, because chance moves the end of "
        "a run; hence the means.",
    )


def judge_steps(results: Results) -> Finding:
    """Find out whether fewer queries an update go with smaller steps."""
    best = {queries: runs[0].setting["exploitation"] for queries, runs in best_runs(results).items()}
    *fewer, most = best.values()
    smaller = sum(step < most for step in fewer)
    return Finding(
        "best exploitations " + ", ".join(f"{step:g} with {queries}" for queries, step in best.items()),
        2 * smaller > len(fewer),
        "Steps larger than the best one with most queries were not tried with fewer.",
    )


def judge_goal(results: Results, tolerance: float) -> Finding:
    """Find out how far the best final model stays behind the ranking SVM."""
    goal = float(results[BASELINES]["svm training"].mean())
    best = max(mean_final(runs, "training") for runs in best_runs(results).values())
    return Finding(
        f"{best:.4f} against {goal:.4f}, {best / goal - 1.0:+.1%}",
        best >= (1.0 - tolerance) * goal,
        "" if best <= goal else "Not the paper's picture in one respect: here DBGD ends ahead of the SVM.",
    )


def judge_held_out(results: Results, tolerance: float) -> Finding:
    """Find out how much of what is gained on the training queries is gained on others too."""
    gains = {}
    runs = best_runs(results)
    for part in PARTS:
        start = float(results[BASELINES][f"start {part}"].mean())
        gains[part] = float(np.mean([mean_final(one, part) for one in runs.values()])) - start
    kept = min(gains["validation"], gains["test"])
    return Finding(
        "NDCG@10 gains " + ", ".join(f"{gain:.3f} on {part}" for part, gain in gains.items()),
        bool(gains["training"] > 0.0 and kept >= tolerance * gains["training"]),
    )
