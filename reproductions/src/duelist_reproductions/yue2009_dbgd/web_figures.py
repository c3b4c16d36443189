"""Tables 2 and 3 and Figure 3, ours and the paper's."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from duelist.laboratory import Drawing, Expected, ItemResults, ResultTable, panels
from duelist.simulation.figures import look, staggered
from duelist_reproductions.documents import PARTS
from duelist_reproductions.yue2009_dbgd.figures import draw_runs, spread
from duelist_reproductions.yue2009_dbgd.web_search import (
    FEWER_COMPARISONS,
    FEWER_QUERIES,
    SETTINGS,
    has_second_grid,
)
from duelist_reproductions.yue2009_dbgd.web_verdicts import MEASURES, best_runs, mean_final, tables_of

TABLE3 = {
    "queries": "{queries} per update",
    "steps": "{exploration:g}, {exploitation:g}",
    "training": "{training}",
    "paper": "{paper:.3f}",
    "validation": "{validation:.3f}",
    "test": "{test:.3f}",
    "SVM w/t/l": "{contest}",
    "paper's w/t/l": "{printed}",
}


def show_web_search(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    """Show Table 2, Figure 3 and Table 3."""
    setting = SETTINGS[results.scale]
    documents = "MQ2008" if results.real else "made-up documents"
    wider = setting.shorter_explorations + setting.explorations
    shown: list[Drawing | ResultTable] = []
    for name, ours in tables_of(results, wider).items():
        # the paper has no smaller explorations
        paper = {
            (row, column): f" / {value:.3f}"
            for row, values in zip(expected["explorations"], expected[name], strict=True)
            for column, value in zip(expected["exploitations"], values, strict=True)
        }
        cells = [
            f"{value:.3f}{' (highest)' if value == ours.max() else ''}{paper.get(steps, '')}"
            for steps, value in zip(product(wider, setting.exploitations), ours.flat, strict=True)
        ]
        title = (
            f"Table 2, {name} NDCG@10 on the training queries of {documents}, {setting.queries[-1]} queries "
            "per update: ours / paper, on other documents"
        )
        shown.append(by_steps(title, wider, setting.exploitations, cells))
    shown += [draw_learning(results, expected, documents), show_table_three(results, expected, documents)]
    if has_second_grid(results):
        pair = tables_of(results, setting.explorations, FEWER_QUERIES, FEWER_COMPARISONS)
        both = zip(*(pair[name].flat for name in MEASURES), strict=True)
        title = f"NDCG@10 with {FEWER_COMPARISONS:,} comparisons, {FEWER_QUERIES} queries per update: "
        cells = [f"{average:.4f} / {final:.4f}" for average, final in both]
        shown.append(by_steps(title + "average / final", setting.explorations, setting.exploitations, cells))
    return shown


def by_steps(title: str, rows: Sequence[float], columns: Sequence[float], cells: list[str]) -> ResultTable:
    """Return a table with one row per exploration and one column per exploitation."""
    width = len(columns)
    lines = [[f"exploration {step:g}", *cells[width * row :][:width]] for row, step in enumerate(rows)]
    return ResultTable(title, ["", *(f"exploitation {step:g}" for step in columns)], lines)


def draw_learning(results: ItemResults, expected: Expected, documents: str) -> Drawing:
    """Draw Figure 3: mean and range of runs, and the level of the ranking SVM."""
    figure, ((axes,),) = panels(7.0, 4.4, xlabel="comparisons", ylabel="NDCG@10 on the training queries")
    best = best_runs(results)
    drawn = [queries for queries in best if queries in expected["drawn queries"]]
    for place, queries in enumerate(drawn):
        runs = best[queries]
        rounds, curves = runs[0]["rounds"], np.stack([run["curve"] for run in runs])
        label = f"{queries} {'query' if queries == 1 else 'queries'} per update"
        marked = staggered(place, len(drawn), len(rounds))
        draw_runs(axes, rounds, curves, **look(place), markevery=marked, label=label)
    baselines = results["baselines"]
    axes.axhline(baselines["svm training"].mean(), color="black", linestyle=":", label="ranking SVM")
    axes.set(xlim=(0, rounds[-1]))
    axes.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
    axes.legend(loc="lower right", fontsize="small")
    caption = (
        f"Figure 3 on {documents}: mean and range of {SETTINGS[results.scale].runs} runs with "
        f"the best steps of each. Equal weights, the start, have {baselines['start training'].mean():.3f}."
    )
    return Drawing("figure3", figure, caption)


def show_table_three(results: ItemResults, expected: Expected, documents: str) -> ResultTable:
    """Return Table 3: means of runs, with queries won and lost in the first run."""
    svm = {part: results["baselines"][f"svm {part}"] for part in PARTS}
    rows = []
    for queries, runs in best_runs(results).items():
        place, first = expected["queries"].index(queries), runs[0]["training"]
        counts = [(svm["training"] > first), (svm["training"] == first), (svm["training"] < first)]
        rows.append(
            {
                **runs[0].setting,
                **{part: mean_final(runs, part) for part in PARTS},
                "training": spread(np.array([run["training"].mean() for run in runs])),
                "paper": expected["finals"][place],
                "contest": "/".join(str(one.sum()) for one in counts),
                "printed": "/".join(str(count) for count in expected["contests"][place]),
            }
        )
    title = (
        f"Table 3, final NDCG@10 on {documents}, mean of {SETTINGS[results.scale].runs} runs "
        "(lowest-highest), and queries on which the SVM wins/ties/loses"
    )
    table = ResultTable.of(title, TABLE3, rows)
    means = [f"{values.mean():.3f}" for values in svm.values()]
    first_row = ["ranking SVM", "", means[0], f"{expected['svm']:.3f}", *means[1:], "", ""]
    return ResultTable(title, table.headings, [first_row, *table.rows])
