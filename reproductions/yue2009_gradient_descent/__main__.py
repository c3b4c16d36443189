"""Play Table 1 and Figure 2 and compare them with the paper."""

import json
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from reproductions.yue2009_gradient_descent.figures import draw
from reproductions.yue2009_gradient_descent.sweep import FACTORS, PROBLEMS, STARTS, rivals, table_cell

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text())


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


if __name__ == "__main__":
    verdicts = [*(table_one(start) for start in STARTS), figure_two()]
    print(f"figure written to {draw(Path('figure2.svg'))}")
    raise SystemExit(0 if all(verdicts) else 1)
