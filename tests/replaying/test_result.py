"""Results of replays in tables, sentences, figures and files, from hand-written runs."""

import sys
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import names, refused

from duelist import ReplayResult
from duelist.errors import MissingExtraError, ParameterError, UnknownNameError
from duelist.replaying import ReplayRuns
from duelist.replaying.report import COLUMNS, REMARK, rows
from duelist.replaying.result import runs_of_ends

LIMIT = 1000


def runs_of(
    sure: Any, wrong: Any, stopped_at: Any = None, truth: int = 0, description: str = "RUCB()"
) -> ReplayRuns:
    votes = np.array(sure, np.float64)
    stops = np.where(np.isinf(votes), -1, truth) if stopped_at is None else np.array(stopped_at)
    ends = {"votes_until_sure": votes, "stopped_at": stops, "last_wrong": np.array(wrong)}
    ends["plays"] = np.ones((len(votes), 2), np.int64)
    return runs_of_ends(description, np.array([1, 10, 100, LIMIT]), ends, truth)


def result_of(winner: str | None = "a", /, **learners: ReplayRuns) -> ReplayResult:
    return ReplayResult(learners, 0, ("a", "b"), 77, winner, 0.05, LIMIT)


QUICK = runs_of([100.0] * 10, [19] * 9 + [99])
RANDOM = runs_of([1000.0] * 6 + [inf] * 4, [149] * 10, description="Uniform()")
SLOW = runs_of([inf] * 10, [149] * 10, description="Uniform()")
LOST = runs_of([inf] * 10, [LIMIT] * 10, description="Uniform()")
ASTRAY = runs_of([50.0] * 10, [49] * 5 + [50] * 5, [0] * 5 + [1] * 5)


def test_runs_are_reduced_to_what_they_needed() -> None:
    one = runs_of([100, 200, 300, inf, inf, 50], [19, 200, 0, 999, LIMIT, 50], [0, 1, 0, -1, -1, -2])
    assert one.right.tolist() == [True, False, True, True, False, False]
    assert one.right_from.tolist() == [20.0, inf, 1.0, 1000.0, inf, inf]
    assert one.stopped.tolist() == [True, True, True, False, False, True]
    assert one.stopped_right == 2 / 6
    assert one.stopped_wrong == 2 / 6
    assert [one.votes_until_right(share) for share in (0.1, 0.3, 0.5)] == [1, 20, 1000]
    assert one.votes_until_right(0.6) is None
    assert one.right_at.mean(axis=0).tolist() == [1 / 6, 1 / 6, 2 / 6, 3 / 6]
    assert one.sure_at.mean(axis=0).tolist() == [0.0, 0.0, 2 / 6, 4 / 6]
    with refused(ParameterError, "share", 90):
        one.votes_until_right(90)


def test_without_a_winner_only_that_verdict_is_right() -> None:
    one = runs_of([100, 200, inf], [99, 200, LIMIT], [-2, 1, -1], truth=-2)
    assert one.right.tolist() == [True, False, False]
    assert one.right_from.tolist() == [100.0, inf, inf]
    assert (one.stopped_right, one.stopped_wrong) == (1 / 3, 1 / 3)
    assert one.votes_until_right(0.1) is None


def test_the_summary_puts_first_who_is_sure_first() -> None:
    lines = result_of(random=RANDOM, slow=SLOW, quick=QUICK).summary()
    assert [line.learner for line in lines] == ["quick", "random", "slow"]
    quick, random, slow = lines
    assert (quick.until_right, quick.until_sure, quick.sure_range) == (20, 100, (100, 100))
    assert (random.until_right, random.until_sure, random.sure_range) == (150, 1000, (1000, None))
    assert random.until_sure_interval == (1000, None)
    assert (slow.until_sure, slow.until_sure_interval, slow.not_stopped) == (None, (None, None), 1.0)


@pytest.mark.parametrize(
    ("learners", "facts"),
    [
        (
            {"Quick": QUICK, "Uniform": RANDOM},
            ("Quick", "right after 20", "90%", "sure after 100", "random pairs", "7.5 and 10"),
        ),
        (
            {"Quick": QUICK, "Uniform": SLOW},
            ("Quick", "right after 20", "sure after 100", "not sure within 1,000", "7.5 times", "right"),
        ),
        (
            {"Quick": QUICK, "Uniform": LOST},
            ("Quick", "right after 20", "sure after 100", "not right", "not sure within 1,000"),
        ),
        ({"Quick": QUICK}, ("Quick", "right after 20", "90%", "sure after 100")),
        ({"Uniform": SLOW}, ("Uniform", "right after 150", "90%", "not sure within 1,000")),
        ({"Uniform": LOST}, ("Uniform", "neither right", "90%", "nor sure", "within 1,000")),
        ({"Astray": ASTRAY}, ("Astray", "sure after 50", "not right", "90%")),
    ],
)
def test_the_verdict_is_a_sentence(learners: dict[str, ReplayRuns], facts: tuple[str, ...]) -> None:
    verdict = result_of("a", **learners).verdict
    assert names(verdict, *facts)
    assert names(verdict, "random pairs") == (len(learners) > 1)


def test_the_verdict_where_there_is_no_winner() -> None:
    found = runs_of([100.0] * 10, [99] * 10, truth=-2)
    later = runs_of([300.0] * 10, [299] * 10, truth=-2, description="Uniform()")
    never = runs_of([inf] * 10, [LIMIT] * 10, truth=-2)
    result = result_of(None, Quick=found, Uniform=later)
    assert names(result.verdict, "Quick", "100%", "no winner", "sure after 100", "random pairs", "3.0 times")
    assert names(str(result), "77 recorded votes", "no winner")
    assert [row[1] for row in rows(result)] == ["-", "-"]
    assert names(result_of(None, It=never).verdict, "It", "not sure within 1,000")


def test_printed_it_is_the_verdict_and_a_table() -> None:
    result = result_of(Quick=QUICK, Uniform=RANDOM, Lost=LOST)
    printed = str(result)
    assert printed.startswith(result.verdict)
    assert names(printed, "77 recorded votes is a", "10 runs", "1,000 votes", "2 arms", "0.05", "seed 0")
    assert printed.endswith(REMARK)
    table = dict(zip(COLUMNS, zip(*rows(result), strict=True), strict=True))
    assert table["learner"] == ("Quick", "Uniform", "Lost")
    assert table["votes until 90% right"] == ("20 (20 or more)", "150 (150 or more)", "never")
    assert table["votes until sure"] == ("100 (100 to 100)", "1,000 (1,000 or more)", ">1,000")
    assert table["10% to 90% sure"] == ("100 to 100", "1,000 to >1,000", ">1,000 to >1,000")
    assert table["stopped right"] == ("100.0%", "60.0%", "0.0%")
    assert table["not stopped"] == ("0.0%", "40.0%", "100.0%")


def test_the_frame_has_a_row_for_every_run() -> None:
    pytest.importorskip("pandas", reason="frames need an extra")
    frame = result_of(Quick=QUICK, Uniform=RANDOM).to_frame()
    assert list(frame.columns) == [
        "learner",
        "run",
        "right",
        "right_from",
        "votes_until_sure",
        "stopped_at",
        "last_wrong",
    ]
    assert len(frame) == 20
    assert frame[frame["learner"] == "Uniform"]["votes_until_sure"].tolist() == [1000.0] * 6 + [inf] * 4


def test_the_figure_has_a_line_for_each_learner_in_each_panel(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need an extra")
    result = result_of(Quick=QUICK, Uniform=RANDOM)
    figure = result.plot(tmp_path / "replay.svg")
    right, sure = figure.axes
    assert (tmp_path / "replay.svg").read_text().rstrip().endswith("</svg>")
    for axes in (right, sure):
        assert axes.get_xscale() == "log"
        assert len({line.get_linestyle() for line in axes.lines}) == 2
        assert len({line.get_marker() for line in axes.lines}) == 2
    assert np.asarray(right.lines[0].get_ydata()).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert np.asarray(sure.lines[1].get_ydata()).tolist() == [0.0, 0.0, 0.0, 0.6]
    assert "no winner" in result_of(None, It=runs_of([9.0], [8], truth=-2)).plot().axes[0].get_title()


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    result = result_of(Quick=QUICK, Uniform=RANDOM)
    loaded = ReplayResult.load(result.save(tmp_path / "replay.npz"))
    assert str(loaded) == str(result)
    assert np.array_equal(loaded["Uniform"].plays, RANDOM.plays)


def test_an_unknown_learner_and_a_missing_extra_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(UnknownNameError, "learner", "'RUCB'", "Quick"):
        result_of(Quick=QUICK)["RUCB"]
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with refused(MissingExtraError, "duelist[plot]"):
        result_of(Quick=QUICK).plot()
