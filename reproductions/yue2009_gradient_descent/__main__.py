"""Play Tables 1 to 3 and Figures 2 and 3 and compare them with the paper."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from duelist.errors import DuelistError
from duelist.ranking.ranking_svm import fit_ranking_svm
from reproductions.yue2009_gradient_descent.figures import draw_learning, draw_regrets
from reproductions.yue2009_gradient_descent.sweep import FACTORS, PROBLEMS, STARTS, rivals, table_cell
from reproductions.yue2009_gradient_descent.web_search import (
    HORIZON,
    MARKS,
    QUERIES,
    RUNS,
    SHORT_EXPLORATIONS,
    SHORT_HORIZON,
    SYNTHETIC,
    Documents,
    best_of,
    grid,
    load_documents,
    play_cells,
    quality,
    smaller_steps,
)
from reproductions.yue2009_gradient_descent.web_tables import table_three, table_two, write_found

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text())
ITEMS = ("utilities", "web-search")


def table_one(start: str) -> bool:
    """Print every cell of Table 1 beside the paper's, and return whether all agree within the tolerance."""
    expected = EXPECTED["table 1"]
    table = Table(title=f"Table 1, start {start}: average regret (ours / paper)", title_justify="left")
    for column in ("", *map(str, FACTORS)):
        table.add_column(column)
    worst = 0.0
    for name in track(PROBLEMS, description=f"Table 1, start {start}"):
        row = []
        for factor, paper in zip(FACTORS, expected[name], strict=True):
            ours = table_cell(name, factor, STARTS[start]).mean
            worst = max(worst, abs(ours / paper - 1.0))
            row.append(f"{ours:.3f} / {paper:.3f} ({ours / paper - 1.0:+.1%})")
        table.add_row(name, *row)
    Console().print(table, f"largest deviation {worst:.1%}, tolerance {expected['tolerance']:.0%}")
    return bool(worst <= expected["tolerance"])


def figure_two() -> bool:
    """Print DBGD beside its baselines, and return whether it is ahead of BGD1 where the paper says so."""
    table = Table(title="Figure 2, factor 1: average regret at the end", title_justify="left")
    for column in ("", "DBGD", "BGD1", "BGD2"):
        table.add_column(column)
    ahead = True
    for name in track(PROBLEMS, description="Figure 2"):
        ours, first, second = (cell.mean for cell in rivals(name, STARTS["sqrt(5/d)"]).values())
        table.add_row(name, *(f"{value:.3f}" for value in (ours, first, second)))
        ahead = ahead and (name not in EXPECTED["figure 2"]["problems"] or ours < first)
    Console().print(table, f"{EXPECTED['figure 2']['claim']}: {ahead}")
    return ahead


def utilities(out: Path) -> bool:
    """Play Table 1 and Figure 2, and return whether they come out."""
    verdicts = [*(table_one(start) for start in STARTS), figure_two()]
    print(f"figure written to {draw_regrets(out / 'figure2.svg')}")
    return all(verdicts)


def web_search(documents: Documents, horizon: int | None, out: Path) -> bool:
    """Play Tables 2 and 3 and Figure 3, and return whether the paper's claims hold on real documents."""
    real = documents.name != SYNTHETIC
    rounds = horizon or (HORIZON if real else SHORT_HORIZON)
    if not real:
        print(
            f"no --data: {SYNTHETIC} and {rounds:,} comparisons show what is done, not what the paper claims"
        )
    cells = play_cells(documents, grid(), "Table 2", rounds)
    peak = best_of(cells.values())
    cells |= play_cells(documents, grid(SHORT_EXPLORATIONS), "Table 2, shorter explorations", rounds)
    fewer = play_cells(documents, smaller_steps(peak.setting), "Table 3", rounds)
    best = {
        queries: best_of(cell for setting, cell in fewer.items() if setting.queries == queries)
        for queries in QUERIES[:-1]
    } | {QUERIES[-1]: peak}
    again = [
        play_cells(
            documents, [cell.setting for cell in best.values()], f"Table 3, run {run + 1}", rounds, run
        )
        for run in range(1, RUNS)
    ]
    runs = {
        queries: [cell, *(cells_of_run[cell.setting] for cells_of_run in again)]
        for queries, cell in best.items()
    }
    svm = fit_ranking_svm(documents.training, validation=documents.validation)
    verdicts = [
        table_two(cells, documents, EXPECTED["table 2"]),
        table_three(runs, svm, documents, EXPECTED["table 3"]),
    ]
    goal = quality(svm, documents.training)
    drawn = draw_learning(out / "figure3.svg", runs, documents, goal, rounds)
    written = write_found(out / "web_search.json", cells | fewer, runs, svm, documents, rounds)
    print(f"figure written to {drawn}, numbers to {written}")
    return all(verdicts) or not real


def parser() -> ArgumentParser:
    """Return what the command line understands."""
    made = ArgumentParser(
        prog="python -m reproductions.yue2009_gradient_descent",
        description="Yue, Joachims (2009), computed again and set beside the paper's numbers.",
        epilog="utilities: Table 1 and Figure 2, which need no data, a minute or two on two cores.\n"
        "web-search: Tables 2 and 3 and Figure 3, which need LETOR's MQ2008, ten minutes on two cores.\n\n"
        "Ends with status 1 if a claim of the paper does not come out.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("--only", choices=ITEMS, help="play a part of it; all unless told")
    made.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with MQ2008's S1.txt ... S5.txt, plain or .gz; without it, web-search plays "
        f"{SYNTHETIC} for a shorter time and checks no claim",
    )
    made.add_argument(
        "--horizon",
        type=int,
        metavar="T",
        help=f"comparisons of a run of web-search; {HORIZON:,} with --data, {SHORT_HORIZON:,} without",
    )
    made.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where figures and numbers go; here unless told",
    )
    return made


def main() -> int:
    """Play what is asked for, and return the exit status."""
    command = parser()
    asked = command.parse_args()
    if asked.horizon is not None and asked.horizon < MARKS:
        command.error(
            f"--horizon must be at least {MARKS}, once for every point of a curve; got {asked.horizon}"
        )
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        # a wrong folder is told before the long work
        documents = load_documents(asked.data)
        verdicts = [] if asked.only == "web-search" else [utilities(asked.out)]
        if asked.only != "utilities":
            verdicts.append(web_search(documents, asked.horizon, asked.out))
    except (DuelistError, OSError) as error:
        command.error(str(error))
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
