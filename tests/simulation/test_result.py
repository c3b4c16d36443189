import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from duelist import RUCB, SimulationResult, Uniform, simulate
from duelist.errors import FileError, MissingExtraError
from duelist.problems import cycle, worst_case


@pytest.fixture(scope="module")
def result() -> SimulationResult:
    return simulate([RUCB(), Uniform()], worst_case(4, 0.2), horizon=3_000, runs=3, seed=4)


def test_saved_and_loaded_it_is_the_same(result: SimulationResult, tmp_path: Path) -> None:
    loaded = SimulationResult.load(result.save(tmp_path / "deep" / "result.npz"))
    assert list(loaded) == list(result)
    for field in ("labels", "concept", "winners", "lower_bound", "seed"):
        assert getattr(loaded, field) == getattr(result, field)
    for name, one in result.items():
        assert loaded[name].description == one.description
        for field in ("checkpoints", "regret", "weak_regret", "best_at", "plays", "informative"):
            assert np.array_equal(getattr(loaded[name], field), getattr(one, field))


def test_a_wrong_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"missing\.npz does not exist"):
        SimulationResult.load(tmp_path / "missing.npz")
    (tmp_path / "text.npz").write_text("no result")
    with pytest.raises(FileError, match=r"text\.npz is not a result"):
        SimulationResult.load(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", header=np.array('{"format": "other"}'))
    with pytest.raises(FileError, match=r"other\.npz has format 'other'"):
        SimulationResult.load(tmp_path / "other.npz")


def test_the_frame_is_a_long_table(result: SimulationResult) -> None:
    frame = result.to_frame()
    marks = len(result["RUCB"].checkpoints)
    assert list(frame.columns) == ["learner", "run", "round", "regret", "weak_regret", "best", "correct"]
    assert len(frame) == 2 * 3 * marks
    last = frame[(frame["learner"] == "Uniform") & (frame["round"] == 3_000)]
    assert last["regret"].tolist() == result["Uniform"].regret[:, -1].tolist()
    assert last["correct"].mean() == result["Uniform"].accuracy


def test_the_summary_puts_least_regret_first(result: SimulationResult) -> None:
    first, second = result.summary()
    assert (first.learner, second.learner) == ("RUCB", "Uniform")
    assert first.lowest <= first.regret <= first.highest < second.regret


def test_the_plot_shows_every_learner_and_the_lower_bound(result: SimulationResult, tmp_path: Path) -> None:
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
    result: SimulationResult, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf'pip install "duelist\[{extra}\]"'):
        result.plot() if extra == "plot" else result.to_frame()
