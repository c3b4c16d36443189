import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from refusals import refused

from duelist import RUCB, Result, Uniform, simulate
from duelist.errors import FileError, MissingExtraError, UnknownNameError
from duelist.problems import cycle, worst_case


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate([RUCB(), Uniform()], worst_case(4, 0.2), horizon=3_000, runs=3, seed=4)


def test_saved_and_loaded_it_is_the_same(result: Result, tmp_path: Path) -> None:
    loaded = Result.load(result.save(tmp_path / "deep" / "result.npz"))
    assert list(loaded) == list(result)
    for field in ("labels", "concept", "winners", "lower_bound", "seed"):
        assert getattr(loaded, field) == getattr(result, field)
    for name, one in result.items():
        assert loaded[name].description == one.description
        for field in ("checkpoints", "regret", "weak_regret", "best_at", "plays", "informative"):
            assert np.array_equal(getattr(loaded[name], field), getattr(one, field))


def test_a_wrong_file_is_refused_by_name(tmp_path: Path) -> None:
    with refused(FileError, "missing.npz"):
        Result.load(tmp_path / "missing.npz")
    (tmp_path / "text.npz").write_text("no result")
    with refused(FileError, "text.npz"):
        Result.load(tmp_path / "text.npz")
    for version in ("SimulationResult", "PointSimulationResult"):
        np.savez(tmp_path / "old.npz", header=json.dumps({"format": "duelist.result/1", "kind": version}))
        with refused(FileError, "old.npz", "'duelist.result/1'", "'duelist.result/2'"):
            Result.load(tmp_path / "old.npz")
    np.savez(tmp_path / "other.npz", header=np.array('{"format": "other"}'))
    with refused(FileError, "other.npz", "'other'"):
        Result.load(tmp_path / "other.npz")


def test_the_frame_is_a_long_table(result: Result) -> None:
    frame = result.to_frame()
    marks = len(result["RUCB"].checkpoints)
    assert list(frame.columns) == ["learner", "run", "round", "regret", "weak_regret", "best", "accuracy"]
    assert len(frame) == 2 * 3 * marks
    last = frame[(frame["learner"] == "Uniform") & (frame["round"] == 3_000)]
    assert last["regret"].tolist() == result["Uniform"].regret[:, -1].tolist()
    assert last["accuracy"].mean() == result["Uniform"].accuracy


def test_the_summary_puts_least_regret_first(result: Result) -> None:
    first, second = result.summary()
    assert (first.learner, second.learner) == ("RUCB", "Uniform")
    lowest, mean, highest = (side["regret"] for side in (first.lowest, first.mean, first.highest))
    assert lowest <= mean <= highest < second.mean["regret"]
    assert first.mean["accuracy"] == result["RUCB"].accuracy
    assert "best" not in first.mean  # the mean of arms' numbers means nothing


def test_the_plot_shows_every_learner_and_the_lower_bound(result: Result, tmp_path: Path) -> None:
    figure = result.plot(tmp_path / "regret.svg")
    regret, accuracy = figure.axes
    legend = regret.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["RUCB", "Uniform", "asymptotic lower\nbound"]
    assert regret.lines[0].get_ydata() == pytest.approx(result["RUCB"].regret.mean(axis=0))
    assert accuracy.lines[1].get_ydata() == pytest.approx(result["Uniform"].accuracy_at)
    assert ElementTree.parse(tmp_path / "regret.svg").getroot().tag.endswith("svg")


def test_without_a_condorcet_winner_no_bound_is_drawn() -> None:
    axes = simulate(Uniform(), cycle(3), 100, runs=1).plot().axes[0]
    assert len(axes.lines) == 1


@pytest.mark.parametrize(("module", "extra"), [("matplotlib.figure", "plot"), ("pandas", "frame")])
def test_a_missing_extra_says_how_to_install_it(
    result: Result, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with refused(MissingExtraError, f"duelist[{extra}]"):
        result.plot() if extra == "plot" else result.to_frame()


def test_a_notebook_shows_a_table_of_all_learners(result: Result) -> None:
    tree = ElementTree.fromstring(result._repr_html_())
    heads = [head.text for head in tree.findall("thead/tr/th")]
    assert heads == ["learner", "regret", "weak regret", "accuracy"]
    rows = tree.findall("tbody/tr")
    assert ["".join(row[0].itertext()) for row in rows] == ["RUCB", "Uniform"]
    assert [len(row) for row in rows] == [4, 4]


def test_a_measure_that_is_not_there_is_named_with_those_that_are(result: Result) -> None:
    with refused(UnknownNameError, "measure", "'quality'", "regret", "weak_regret", "best", "accuracy"):
        _ = result["RUCB"].quality
    with refused(UnknownNameError, "end", "'weights'", "best", "plays", "informative"):
        _ = result["RUCB"].weights
