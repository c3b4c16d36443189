"""Tables 2 and 3 and Figure 3, ours beside the paper's."""

from collections.abc import Callable, Sequence

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Drawing, Expected, ItemResults, Table, panels
from duelist.simulation.figures import PALETTE
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
    "queries": "{queries} an update",
    "steps": "{exploration:g}, {exploitation:g}",
    "training": "{training}",
    "paper": "{paper:.3f}",
    "validation": "{validation:.3f}",
    "test": "{test:.3f}",
    "SVM w/t/l": "{contest}",
    "paper's w/t/l": "{printed}",
}


def show_web_search(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Show Table 2, Figure 3 and Table 3, on the documents that were played."""
    setting = SETTINGS[results.scale]
    documents = "MQ2008" if results.real else "made-up documents"
    wider = setting.shorter_explorations + setting.explorations
    shown: list[Drawing | Table] = [
        show_table_two(results, expected, documents, name, values)
        for name, values in tables_of(results, wider).items()
    ]
    shown += [draw_learning(results, expected, documents), show_table_three(results, expected, documents)]
    if has_second_grid(results):
        title = f"NDCG@10 with {FEWER_COMPARISONS:,} comparisons, {FEWER_QUERIES} queries an update: "
        pair = tables_of(results, setting.explorations, FEWER_QUERIES, FEWER_COMPARISONS)
        average, final = (pair[name] for name in MEASURES)
        shown.append(
            by_steps(
                results,
                f"{title}average / final",
                setting.explorations,
                lambda row, column: f"{average[row, column]:.4f} / {final[row, column]:.4f}",
            )
        )
    return shown


def by_steps(
    results: ItemResults, title: str, explorations: Sequence[float], cell: Callable[[int, int], str]
) -> Table:
    """Return a table with a row for every exploration and a column for every exploitation."""
    columns = SETTINGS[results.scale].exploitations
    rows = [
        [f"exploration {step:g}", *(cell(row, column) for column in range(len(columns)))]
        for row, step in enumerate(explorations)
    ]
    return Table(title, ["", *(f"exploitation {step:g}" for step in columns)], rows)


def show_table_two(
    results: ItemResults, expected: Expected, documents: str, name: str, ours: FloatArray
) -> Table:
    """Return one half of Table 2; the paper has no shorter explorations."""
    setting = SETTINGS[results.scale]
    wider = setting.shorter_explorations + setting.explorations

    def cell(row: int, column: int) -> str:
        words = f"{ours[row, column]:.3f}" + (" (highest)" if ours[row, column] == ours.max() else "")
        if wider[row] not in expected["explorations"]:
            return words
        place = expected["exploitations"].index(setting.exploitations[column])
        return f"{words} / {expected[name][expected['explorations'].index(wider[row])][place]:.3f}"

    title = (
        f"Table 2, {name} NDCG@10 on the training queries of {documents}, {setting.queries[-1]} queries an "
        "update: ours / paper, on other documents"
    )
    return by_steps(results, title, wider, cell)


def draw_learning(results: ItemResults, expected: Expected, documents: str) -> Drawing:
    """Draw Figure 3, mean and range of runs, beside what the ranking SVM reaches."""
    figure, ((axes,),) = panels(7.0, 4.4, xlabel="comparisons", ylabel="NDCG@10 on the training queries")
    drawn = {
        queries: one for queries, one in best_runs(results).items() if queries in expected["drawn queries"]
    }
    for colour, (queries, runs) in zip(PALETTE, drawn.items(), strict=False):
        rounds, curves = runs[0]["rounds"], np.stack([run["curve"] for run in runs])
        label = f"{queries} {'query' if queries == 1 else 'queries'} an update"
        draw_runs(axes, rounds, curves, "-", color=colour, label=label)
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


def show_table_three(results: ItemResults, expected: Expected, documents: str) -> Table:
    """Return Table 3, means of runs; queries won and lost are those of the first run."""
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
    table = Table.of(title, TABLE3, rows)
    means = [f"{values.mean():.3f}" for values in svm.values()]
    first_row = ["ranking SVM", "", means[0], f"{expected['svm']:.3f}", *means[1:], "", ""]
    return Table(title, table.headings, [first_row, *table.rows])
