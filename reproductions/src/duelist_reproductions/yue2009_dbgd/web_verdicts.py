"""Whether the claims of Tables 2 and 3 and Figure 3 hold on the documents that were played."""

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults, Scale
from duelist_reproductions.yue2009_dbgd.documents import PARTS
from duelist_reproductions.yue2009_dbgd.web_experiments import (
    EXPERIMENTS,
    RANKING_SVMS,
    copied_runs,
    experimented,
)
from duelist_reproductions.yue2009_dbgd.web_results import (
    MEASURES,
    best_runs,
    mean_contest,
    mean_final,
    measure,
    run_deviation,
    table_of,
    table_two,
    wider_explorations,
)
from duelist_reproductions.yue2009_dbgd.web_search import BASELINES, SETTINGS

MADE_UP = "The documents are made up, and the claim is about those of a search engine."
TOO_SHORT = "The claim is about the whole grid and runs of 10^7 comparisons; these are few and short."


def judge_web_search(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about Tables 2 and 3 and Figure 3."""
    tolerances = {name: claim["tolerance"] for name, claim in expected["claims"].items()}
    found = {
        "peak-inside": judge_peak(results),
        "smooth-average": judge_smoothness(results, "average", tolerances["smooth-average"]),
        "smooth-final": judge_smoothness(results, "final", tolerances["smooth-final"]),
        "queries-hardly-matter": judge_queries(results, tolerances["queries-hardly-matter"]),
        "smaller-steps": judge_steps(results),
        "near-ranking-svm": judge_goal(results, tolerances["near-ranking-svm"]),
        "svm-wins-queries": judge_contests(results),
        "similar-with-fewer-queries": judge_fewer(results, tolerances["similar-with-fewer-queries"]),
    }
    if not results.real or results.scale is not Scale.PAPER:
        reason = TOO_SHORT if results.real else MADE_UP
        found = {name: Finding(one.ours, None, reason) for name, one in found.items()}
    return found | {"held-out": judge_held_out(results, tolerances["held-out"])}


def judge_peak(results: ItemResults) -> Finding:
    """Find out whether performance peaks inside the paper's grid; experiments tell why not."""
    settings = SETTINGS[results.scale]
    own, wider = (
        {name: table_two(results, name, rows) for name in MEASURES}
        for rows in (settings.explorations, wider_explorations(results))
    )
    holds = all(peaks_inside(values) for values in own.values())
    searched = describe_peaks(results, wider, wider_explorations(results))
    shortest = f"{min(settings.shorter_explorations):g}"
    chance = " and ".join(f"{sqrt(2.0) * run_deviation(results, name):.4f}" for name in MEASURES)
    note = f"Two equal runs differ by a standard deviation of {chance} in average and final."
    if not holds:
        note += f" Experiments that looked for the reason. Explorations from {shortest} on: {searched}."
    if not holds and experimented(results):
        note += tell_experiments(results)
    return Finding(describe_peaks(results, own, settings.explorations), holds, note)


def tell_experiments(results: ItemResults) -> str:
    """Return where the average peaks with fewer comparisons, and with more features."""
    rows = SETTINGS[results.scale].explorations
    tenth = table_of(results, "average", rows, EXPERIMENTS.queries[-1], EXPERIMENTS.horizon)
    copied = ", ".join(
        f"{measure(run, 'average'):.4f} with exploration {run.setting['exploration']:g}"
        for run in copied_runs(results)
    )
    return (
        f" {EXPERIMENTS.horizon:,} comparisons: {describe_peak(results, 'average', tenth, rows)}. "
        f"As many, every feature {EXPERIMENTS.copies} times, exploitation "
        f"{EXPERIMENTS.copied_exploitation:g}: averages of {copied}."
    )


def describe_peaks(
    results: ItemResults, tables: Mapping[str, FloatArray], explorations: Sequence[float]
) -> str:
    """Return where each measure is highest, in words."""
    return "; ".join(describe_peak(results, name, values, explorations) for name, values in tables.items())


def describe_peak(results: ItemResults, name: str, values: FloatArray, explorations: Sequence[float]) -> str:
    """Return where a measure is highest, and by how much it is higher than at the edge, or inside."""
    row, column = divmod(int(values.argmax()), values.shape[1])
    steps = f"({explorations[row]:g}, {SETTINGS[results.scale].exploitations[column]:g})"
    inner = np.zeros(values.shape, bool)
    inner[1:-1, 1:-1] = True
    inside = peaks_inside(values)
    rivals = values[~inner if inside else inner]
    words = f"the {name} peaks {'inside' if inside else 'at the edge'}, at {steps} with {values.max():.4f}"
    if rivals.size == 0:
        return words
    lead = float(values.max() - rivals.max())
    return f"{words}, {lead:.5f} above the highest {'outer' if inside else 'inner'} cell"


def peaks_inside(values: FloatArray) -> bool:
    """Return whether the largest number of a table stands neither in an outer row nor in an outer column."""
    row, column = np.unravel_index(values.argmax(), values.shape)
    return bool(0 < row < values.shape[0] - 1 and 0 < column < values.shape[1] - 1)


def judge_smoothness(results: ItemResults, name: str, tolerance: float) -> Finding:
    """Find out whether rows and columns have one peak each."""
    own = relative_dip(table_two(results, name, SETTINGS[results.scale].explorations))
    wider = relative_dip(table_two(results, name, wider_explorations(results)))
    return Finding(
        f"the largest dip is {own:.1%} of the table's range; with shorter explorations too, {wider:.1%}",
        own <= tolerance,
    )


def relative_dip(values: FloatArray) -> float:
    """Return the largest dip of a table as a share of its range."""
    dip = unevenness(values)
    return dip / float(np.ptp(values)) if dip > 0.0 else 0.0


def unevenness(values: FloatArray) -> float:
    """Return the largest dip of all rows and columns of a table."""
    return max(largest_dip(line) for line in (*values, *values.T))


def largest_dip(line: Sequence[float] | FloatArray) -> float:
    """Return by how much a line at most falls and rises again: 0 if it has one peak."""
    values = np.asarray(line)
    left, right = np.maximum.accumulate(values), np.maximum.accumulate(values[::-1])[::-1]
    return float((np.minimum(left, right) - values).max())


def judge_queries(results: ItemResults, tolerance: float) -> Finding:
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


def judge_steps(results: ItemResults) -> Finding:
    """Find out whether fewer queries an update go with smaller steps."""
    best = {queries: runs[0].setting["exploitation"] for queries, runs in best_runs(results).items()}
    *fewer, most = best.values()
    smaller = sum(step < most for step in fewer)
    return Finding(
        "best exploitations " + ", ".join(f"{step:g} with {queries}" for queries, step in best.items()),
        2 * smaller > len(fewer),
        "Tried with fewer queries are the best exploitation with most, all smaller ones of the grid and the "
        "next larger.",
    )


def judge_goal(results: ItemResults, tolerance: float) -> Finding:
    """Find out how far the best final model is from the ranking SVM."""
    goal = float(results[BASELINES]["svm training"].mean())
    best = max(mean_final(runs, "training") for runs in best_runs(results).values())
    note = ""
    if best > goal:
        note = f"Not the paper's picture: here DBGD ends ahead of the SVM. {tell_overtaking(results, goal)}"
        if experimented(results):
            note += tell_costs(results)
    return Finding(
        f"{best:.4f} against {goal:.4f}, {best / goal - 1.0:+.1%}", abs(best / goal - 1.0) <= tolerance, note
    )


def tell_overtaking(results: ItemResults, goal: float) -> str:
    """Return after how many comparisons DBGD is ahead of a goal to stay, in the mean of its runs."""
    passed = []
    for queries, runs in best_runs(results).items():
        behind = np.flatnonzero(np.mean([run["curve"] for run in runs], axis=0) <= goal)
        place = int(behind[-1]) + 1 if behind.size else 0
        rounds = runs[0]["rounds"]
        passed.append(f"{int(rounds[place]):,} ({queries})" if place < len(rounds) else f"never ({queries})")
    return f"It is ahead from these looks on, by queries an update: {', '.join(passed)}."


def tell_costs(results: ItemResults) -> str:
    """Return what other costs of a wrong pair make of the ranking SVM."""
    means = results[RANKING_SVMS]["training"].mean(axis=1)
    costs = EXPERIMENTS.costs
    return (
        f" The experiment that looked for the reason, costs c from {min(costs):g} to {max(costs):g}: SVMs "
        f"have {means.min():.4f} to {means.max():.4f} on the training queries."
    )


def judge_contests(results: ItemResults) -> Finding:
    """Find out whether the ranking SVM wins more training queries than it loses, against every end."""
    svm = results[BASELINES]["svm training"]
    found = {queries: mean_contest(svm, runs) for queries, runs in best_runs(results).items()}
    holds = all(wins > losses for wins, losses in found.values())
    note = ""
    if not holds and experimented(results):
        note = "DBGD ends ahead of the SVM here, so it wins queries too." + tell_costs(results)
    return Finding(
        f"of {len(svm)} queries, the SVM wins and loses on average "
        + "; ".join(f"{wins:g} and {losses:g} ({queries})" for queries, (wins, losses) in found.items()),
        holds,
        note,
    )


def judge_fewer(results: ItemResults, tolerance: float) -> Finding:
    """Find out whether the grid looks alike with fewer queries an update: a peak inside, and smooth."""
    if not experimented(results):
        return Finding("the grid was played with one number of queries only", None)
    rows, queries = SETTINGS[results.scale].explorations, EXPERIMENTS.queries[0]
    tables = {name: table_of(results, name, rows, queries, EXPERIMENTS.horizon) for name in MEASURES}
    dips = {name: relative_dip(values) for name, values in tables.items()}
    return Finding(
        f"{queries} queries, {EXPERIMENTS.horizon:,} comparisons: {describe_peaks(results, tables, rows)}; "
        f"the largest dips are {dips['average']:.1%} and {dips['final']:.1%} of the range",
        all(peaks_inside(values) for values in tables.values()) and max(dips.values()) <= tolerance,
    )


def judge_held_out(results: ItemResults, tolerance: float) -> Finding:
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
