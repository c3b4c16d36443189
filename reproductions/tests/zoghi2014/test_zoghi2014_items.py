import numpy as np
import pytest
from made import make_results

from duelist.laboratory import Drawing, Item, ItemResults, Scale, Sources, Table, judge
from duelist.registry import LEARNERS
from duelist_reproductions.zoghi2014 import PAPER
from duelist_reproductions.zoghi2014.figure4.sweep import SETTINGS


@pytest.fixture(scope="module")
def quick() -> dict[str, ItemResults]:
    """Both items at the quick scale, on made-up preferences."""
    sources = Sources(None)
    return {
        item.name: make_results(item, lambda piece: piece.do(sources), Scale.QUICK, real=False)
        for item in PAPER.items
    }


@pytest.mark.parametrize("item", PAPER.items, ids=lambda item: item.name)
def test_what_can_be_judged_quickly_holds(item: Item, quick: dict[str, ItemResults]) -> None:
    judged = judge(PAPER, item, quick[item.name])
    assert judged.word in ("holds", "partly judged")
    assert all(verdict.note for verdict in judged.verdicts if verdict.holds is None)


@pytest.mark.parametrize("item", PAPER.items, ids=lambda item: item.name)
def test_figures_and_tables_are_drawn_from_results_alone(item: Item, quick: dict[str, ItemResults]) -> None:
    shown = item.show(quick[item.name], PAPER.expected[item.name])
    figures = [one for one in shown if isinstance(one, Drawing)]
    tables = [one for one in shown if isinstance(one, Table)]
    assert [figure.name for figure in figures] == {
        "figure4": ["figure4", "match-lengths"],
        "figure5": ["figure5"],
    }[item.name]
    assert all(figure.caption for figure in figures)
    assert tables
    assert all(len(row) == len(table.headings) for table in tables for row in table.rows)


def test_the_curves_are_drawn_at_every_horizon_with_the_lower_bound(quick: dict[str, ItemResults]) -> None:
    (drawing, *_) = PAPER.items[0].show(quick["figure4"], PAPER.expected["figure4"])
    assert isinstance(drawing, Drawing)
    regret, accuracy = drawing.figure.axes
    labels = [line.get_label() for line in regret.get_lines() if not str(line.get_label()).startswith("_")]
    assert labels == ["Beat the Mean", "Condorcet SAVAGE", "RUCB", "asymptotic lower bound"]
    assert (regret.get_xscale(), regret.get_yscale()) == ("log", "log")
    assert (accuracy.get_xscale(), accuracy.get_yscale()) == ("log", "linear")
    assert np.size(regret.get_lines()[0].get_xdata()) == len(SETTINGS[Scale.QUICK].horizons)


def test_the_learners_are_in_the_catalogue() -> None:
    assert all(learner in LEARNERS for item in PAPER.items for learner in item.learners)
