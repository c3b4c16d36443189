"""Tables 2 and 3 and Figure 3, ours beside the paper's."""

import numpy as np

from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
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
    contest,
    mean_final,
    measure,
    table_of,
    table_two,
    wider_explorations,
)
from duelist_reproductions.yue2009_dbgd.web_search import BASELINES, SETTINGS


def show_web_search(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Show Table 2, Figure 3 and Table 3, on the documents that were played."""
    return [
        *(show_table_two(results, expected, name) for name in MEASURES),
        draw_learning(results, expected),
        show_table_three(results, expected),
        *(show_experiments(results) if experimented(results) else ()),
    ]


def documents_name(results: ItemResults) -> str:
    """Return what was played on."""
    return "MQ2008" if results.real else "made-up documents"


def show_table_two(results: ItemResults, expected: Expected, name: str) -> Table:
    """Return one half of Table 2; the paper has no shorter explorations."""
    settings = SETTINGS[results.scale]
    wider = wider_explorations(results)
    ours = table_two(results, name, wider)
    paper = {
        (row, column): value
        for row, values in zip(expected["explorations"], expected[name], strict=True)
        for column, value in zip(expected["exploitations"], values, strict=True)
    }
    rows = []
    for exploration, values in zip(wider, ours, strict=True):
        cells = []
        for exploitation, value in zip(settings.exploitations, values, strict=True):
            theirs = paper.get((exploration, exploitation))
            highest = " (highest)" if value == ours.max() else ""
            cells.append(f"{value:.3f}{highest}" + ("" if theirs is None else f" / {theirs:.3f}"))
        rows.append([f"exploration {exploration:g}", *cells])
    return Table(
        title=f"Table 2, {name} NDCG@10 on the training queries of {documents_name(results)}, "
        f"{settings.queries[-1]} queries an update: ours / paper, on other documents",
        headings=["", *(f"exploitation {step:g}" for step in settings.exploitations)],
        rows=rows,
    )


def draw_learning(results: ItemResults, expected: Expected) -> Drawing:
    """Draw Figure 3, mean and range of runs, beside what the ranking SVM reaches."""
    figure = new_figure(7.0, 4.4)
    axes = figure.subplots()
    drawn = {
        queries: runs for queries, runs in best_runs(results).items() if queries in expected["drawn queries"]
    }
    for colour, (queries, runs) in zip(PALETTE, drawn.items(), strict=False):
        rounds, curves = runs[0]["rounds"], np.stack([run["curve"] for run in runs])
        noun = "query" if queries == 1 else "queries"
        axes.plot(rounds, curves.mean(axis=0), color=colour, label=f"{queries} {noun} an update")
        low, high = curves.min(axis=0), curves.max(axis=0)
        axes.fill_between(rounds, low, high, color=colour, alpha=0.2, linewidth=0)
    baselines = results[BASELINES]
    axes.axhline(baselines["svm training"].mean(), color="black", linestyle=":", label="ranking SVM")
    axes.set(xlabel="comparisons", ylabel="NDCG@10 on the training queries", xlim=(0, rounds[-1]))
    axes.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
    axes.legend(loc="lower right", fontsize="small")
    axes.grid(alpha=0.3)
    caption = (
        f"Figure 3 on {documents_name(results)}: mean and range of {SETTINGS[results.scale].runs} runs with "
        f"the best steps of each. Equal weights, the start, have {baselines['start training'].mean():.3f}."
    )
    return Drawing("figure3", figure, caption)


def show_table_three(results: ItemResults, expected: Expected) -> Table:
    """Return Table 3, means of runs; queries won and lost are those of the first run."""
    svm = results[BASELINES]
    means = [f"{svm[f'svm {part}'].mean():.3f}" for part in PARTS]
    rows = [["ranking SVM", "", means[0], f"{expected['svm']:.3f}", *means[1:], "", ""]]
    for queries, runs in best_runs(results).items():
        place = expected["queries"].index(queries)
        ends = [float(run["training"].mean()) for run in runs]
        ours = contest(svm["svm training"], runs[0]["training"])
        setting = runs[0].setting
        rows.append(
            [
                f"{queries} an update",
                f"{setting['exploration']:g}, {setting['exploitation']:g}",
                f"{np.mean(ends):.3f} ({min(ends):.3f}-{max(ends):.3f})",
                f"{expected['finals'][place]:.3f}",
                *(f"{mean_final(runs, part):.3f}" for part in PARTS[1:]),
                f"{ours.wins}/{ours.ties}/{ours.losses}",
                "/".join(str(count) for count in expected["contests"][place]),
            ]
        )
    return Table(
        title=f"Table 3, final NDCG@10 on {documents_name(results)}, mean of "
        f"{SETTINGS[results.scale].runs} runs (lowest-highest), and queries on which the SVM wins/ties/loses",
        headings=["queries", "steps", "training", "paper", "validation", "test", "SVM w/t/l", "paper"],
        rows=rows,
    )


def show_experiments(results: ItemResults) -> list[Table]:
    """Return what was played to look for reasons."""
    settings = SETTINGS[results.scale]
    tenths = [
        Table(
            title=f"NDCG@10 with {EXPERIMENTS.horizon:,} comparisons, {queries} queries an update: "
            "average / final",
            headings=["", *(f"exploitation {step:g}" for step in settings.exploitations)],
            rows=[
                [
                    f"exploration {exploration:g}",
                    *(f"{one:.4f} / {other:.4f}" for one, other in zip(*pair, strict=True)),
                ]
                for exploration, *pair in zip(
                    settings.explorations,
                    *(
                        table_of(results, name, settings.explorations, queries, EXPERIMENTS.horizon)
                        for name in MEASURES
                    ),
                    strict=True,
                )
            ],
        )
        for queries in EXPERIMENTS.queries
    ]
    copied = Table(
        title=f"{EXPERIMENTS.horizon:,} comparisons, every feature {EXPERIMENTS.copies} times, exploitation "
        f"{EXPERIMENTS.copied_exploitation:g}, {settings.queries[-1]} queries an update: NDCG@10",
        headings=["exploration", *MEASURES],
        rows=[
            [f"{run.setting['exploration']:g}", *(f"{measure(run, name):.4f}" for name in MEASURES)]
            for run in copied_runs(results)
        ],
    )
    svms = Table(
        title="Ranking SVMs by the cost c of a pair in the wrong order: NDCG@10",
        headings=["c", *PARTS],
        rows=[
            [f"{cost:g}", *(f"{results[RANKING_SVMS][part][row].mean():.4f}" for part in PARTS)]
            for row, cost in enumerate(EXPERIMENTS.costs)
        ],
    )
    return [*tenths, copied, svms]
