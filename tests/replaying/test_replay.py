"""Replays from end to end: the winner, when runs are right, and when they stop."""

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_data import VOTES, needs_votes
from refusals import refused
from replaying.learners import Scripted, WithoutKernels

from duelist import (
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    InterleavedFilter1,
    InterleavedFilter2,
    ReplayResult,
    TopTwoBradleyTerry,
    Uniform,
    Votes,
    load_votes,
    replay,
)
from duelist.errors import OutcomeError, ParameterError, PreferenceError, UnknownNameError
from duelist.replaying import ReplayRuns
from duelist.simulation.runs import Setting
from duelist.simulation.storage import arrays_of

PLANTED = Votes.from_counts(
    [[0, 65, 70, 80], [35, 0, 60, 70], [30, 40, 0, 60], [20, 30, 40, 0]],
    ties=20 * (1 - np.eye(4, dtype=int)),
    arms=["best", "good", "fair", "poor"],
)
CIRCLE = Votes.from_counts([[0, 8, 2, 9], [2, 0, 8, 9], [8, 2, 0, 9], [1, 1, 1, 0]])
EVEN = Votes.from_counts([[0, 5001], [5000, 0]], arms=["a", "b"])
EVERY_LEARNER: list[Any] = [
    RUCB(),
    TopTwoBradleyTerry(),
    Uniform(),
    # soon finished, right or wrong
    BeatTheMean(1),
    CondorcetSavage(2, delta=0.5),
    InterleavedFilter1(2, factor=0.5),
    InterleavedFilter2(2, factor=0.5),
]


def assert_same(one: ReplayRuns, other: ReplayRuns) -> None:
    assert one.truth == other.truth
    for name, values in arrays_of([one]).items():
        assert np.array_equal(values, arrays_of([other])[name]), name


@pytest.fixture(scope="module")
def planted() -> ReplayResult:
    return replay(EVERY_LEARNER, PLANTED, runs=30, seed=1, limit=20_000)


@pytest.mark.parametrize("learner", EVERY_LEARNER, ids=lambda one: type(one).__name__)
def test_a_planted_winner_is_found_by_all(planted: ReplayResult, learner: Any) -> None:
    one = planted[type(learner).__name__]
    assert planted.winner == "best"
    assert one.stopped_right >= 0.9
    assert one.stopped_right + one.stopped_wrong == 1.0
    until_right = one.votes_until_right(0.9)
    assert until_right is not None
    assert until_right < np.sort(one.votes_until_sure)[26]
    assert np.array_equal(one.plays.sum(axis=1), 2.0 * one.votes_until_sure)
    # all pairs of the winner are proven: each took a vote or more
    assert (one.plays > 0).all()


def test_few_votes_are_needed_by_who_chooses_pairs(planted: ReplayResult) -> None:
    lines = {line.learner: line for line in planted.summary()}
    for needs_few in ("RUCB", "TopTwoBradleyTerry"):
        few, many = lines[needs_few].until_sure, lines["Uniform"].until_sure
        assert few is not None
        assert many is not None
        assert few < many


@pytest.mark.parametrize("learner", [RUCB(), Uniform(), CondorcetSavage(10_000)])
def test_where_there_is_no_winner_right_is_to_find_that_out(learner: Any) -> None:
    result = replay(learner, CIRCLE, runs=20, seed=0, limit=5_000)
    (one,) = result.values()
    assert result.winner is None
    assert one.votes_until_right(0.5) is None
    assert one.stopped_right >= 0.9
    assert (one.stopped_at[one.right] == -2).all()
    assert np.array_equal(one.right_from[one.right], one.votes_until_sure[one.right])
    assert "no winner" in result.verdict


@pytest.mark.parametrize(
    ("names", "last_wrong", "right_from"),
    [
        ((0,), 0, 1),
        ((0, 0, 0, 0, 0, 0), 0, 1),
        ((1, 0), 1, 2),
        ((0, 1, 1, 0, 1, 0), 5, 6),
        ((0, 0, 0, 0, 0, 1), 6, inf),
        ((1,), 6, inf),
    ],
)
def test_right_is_who_names_the_winner_and_stays_right(
    names: tuple[int, ...], last_wrong: int, right_from: float
) -> None:
    one = replay({"it": Scripted(names)}, EVEN, runs=2, limit=6)["it"]
    assert one.last_wrong.tolist() == [last_wrong] * 2
    assert one.right_from.tolist() == [right_from] * 2
    assert one.right.tolist() == [right_from < inf] * 2
    assert one.votes_until_right(0.9) == (None if right_from == inf else right_from)
    assert one.votes_until_sure.tolist() == [inf] * 2
    assert one.stopped_at.tolist() == [-1] * 2
    assert (one.stopped_right, one.stopped_wrong) == (0.0, 0.0)


def test_after_the_stop_the_proven_arm_is_named() -> None:
    clear = Votes.from_counts([[0, 1], [0, 0]])
    one = replay({"it": Scripted((1,))}, clear, runs=1, limit=50)["it"]
    # at a stake of 1 evidence doubles with every vote
    (stop,) = one.votes_until_sure
    assert 5 <= stop <= 15
    assert (one.last_wrong.tolist(), one.right_from.tolist()) == ([stop - 1], [stop])
    assert one.stopped_right == 1.0


def test_who_asks_for_an_arm_against_itself_meets_every_rival() -> None:
    one = replay({"it": Scripted((0,), asks=(0, 0))}, PLANTED, runs=3, limit=5_000)["it"]
    assert one.stopped_right == 1.0
    assert np.array_equal(one.plays[:, 0], one.votes_until_sure)
    assert (one.plays[:, 1:] > 0).all()


@pytest.mark.parametrize("learner", [RUCB(), Uniform(), TopTwoBradleyTerry()])
def test_learners_without_kernels_are_played_the_same(learner: Any) -> None:
    both = replay({"kernels": learner, "plain": WithoutKernels(learner)}, PLANTED, runs=2, seed=3, limit=150)
    assert_same(both["kernels"], both["plain"])


def test_results_depend_neither_on_workers_nor_on_company_nor_on_the_number_of_runs() -> None:
    alone = replay(RUCB(), PLANTED, runs=8, seed=5, limit=3_000, workers=1)["RUCB"]
    among = replay([Uniform(), RUCB()], PLANTED, runs=8, seed=5, limit=3_000, workers=3)["RUCB"]
    more = replay(RUCB(), PLANTED, runs=9, seed=5, limit=3_000)["RUCB"]
    assert_same(alone, among)
    assert np.array_equal(alone.votes_until_sure, more.votes_until_sure[:8])
    other = replay(RUCB(), PLANTED, runs=8, seed=6, limit=3_000)["RUCB"]
    assert not np.array_equal(alone.votes_until_sure, other.votes_until_sure)


def test_a_smaller_delta_takes_more_votes_of_the_same_runs() -> None:
    loose, strict = (replay(RUCB(), PLANTED, runs=10, delta=delta)["RUCB"] for delta in (0.3, 0.001))
    assert (loose.votes_until_sure < strict.votes_until_sure).all()
    assert strict.stopped_right == 1.0


def test_a_limit_ends_runs_and_changes_nothing_before(planted: ReplayResult) -> None:
    whole = planted["Uniform"]
    limit = int(np.sort(whole.votes_until_sure)[14])
    cut = replay(Uniform(), PLANTED, runs=30, seed=1, limit=limit)["Uniform"]
    assert cut.stopped.sum() == 15
    assert np.array_equal(cut.votes_until_sure[cut.stopped], whole.votes_until_sure[cut.stopped])
    assert (cut.plays[~cut.stopped].sum(axis=1) == 2 * limit).all()


def test_orientation_is_pooled_and_the_order_of_arms_changes_the_numbers_alone() -> None:
    left, right, outcomes = [0, 1, 1, 0], [1, 0, 0, 1], [1.0, 0.0, 1.0, 0.5]
    votes = Votes(["a", "b"], left, right, outcomes, counts=[5, 3, 2, 1])
    counted = Votes.from_counts([[0, 8], [2, 0]], ties=[[0, 1], [1, 0]], arms=["a", "b"])
    one, other = (replay(Uniform(), both, runs=5)["Uniform"] for both in (votes, counted))
    assert_same(one, other)
    chosen = replay(Uniform(), PLANTED, runs=20, arms=["poor", "best"])
    assert (chosen.arms, chosen.winner, chosen.votes) == (("poor", "best"), "best", 120)
    assert chosen["Uniform"].stopped_right == 1.0
    assert set(chosen["Uniform"].stopped_at) == {1}


def test_interrupted_it_keeps_what_is_done_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"runs": 6, "seed": 2, "workers": 1, "keep": tmp_path / "kept.npz"}
    whole = replay(RUCB(), PLANTED, runs=6, seed=2)["RUCB"]
    played, play = list[object](), Setting.play

    def interrupt(*given: Any) -> None:
        if len(played) == 4:
            raise KeyboardInterrupt
        played.append(given)
        play(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Setting, "play", interrupt)
        with pytest.raises(KeyboardInterrupt):
            replay(RUCB(), PLANTED, **options)
    assert len(played) == 4
    with monkeypatch.context() as patched:
        # two are missing
        played[:] = played[:2]
        patched.setattr(Setting, "play", interrupt)
        assert_same(whole, replay(RUCB(), PLANTED, **options)["RUCB"])
    assert len(played) == 4


def test_pairs_without_a_vote_are_named_with_arms_that_all_met() -> None:
    wins = np.ones((4, 4)) - np.eye(4)
    wins[3, :] = wins[:, 3] = 0.0
    wins[3, 0] = 1.0
    votes = Votes.from_counts(wins, arms=["a", "b", "c", "d d"])
    together = "arms=['a', 'b', 'c']", "--arm a --arm b --arm c"
    with refused(PreferenceError, "b and d d", "c and d d", *together):
        replay(Uniform(), votes)
    assert replay(Uniform(), votes, runs=1, limit=3, arms=["a", "d d"]).votes == 1
    with refused(PreferenceError, "b and d d", "arms=['a', 'b']"):
        replay(Uniform(), votes, arms=["a", "b", "d d"])


@pytest.mark.parametrize(
    ("options", "kind", "facts"),
    [
        ({"limit": 0}, ParameterError, ("limit", 1, 0)),
        ({"limit": 10**9}, ParameterError, ("limit", "10,000,000", 10**9)),
        ({"delta": 2}, ParameterError, ("delta", 0, 1, 2)),
        ({"delta": 0.0}, ParameterError, ("delta", 0, 1, 0.0)),
        ({"runs": 0}, ParameterError, ("runs", 1, 0)),
        ({"seed": -1}, ParameterError, ("seed", 0, -1)),
        ({"workers": 0}, ParameterError, ("workers", 1, 0)),
        ({"arms": ["best"]}, PreferenceError, ("arms", ["best"], 2)),
        ({"arms": ["best", "worst"]}, UnknownNameError, ("arm", "'worst'", "best")),
        ({"arms": ["best", "best"]}, PreferenceError, ("best",)),
    ],
)
def test_what_cannot_be_replayed_is_refused(
    options: Any, kind: type[Exception], facts: tuple[object, ...]
) -> None:
    with refused(kind, *facts):
        replay(Uniform(), PLANTED, **options)


def test_what_are_no_votes_and_what_is_no_arm_are_refused() -> None:
    path: Any = "votes.csv"
    with refused(ParameterError, "votes", "'votes.csv'"):
        replay(Uniform(), path)
    with refused(OutcomeError, "duel.right", 7, 0, 3):
        replay({"it": Scripted((0,), asks=(0, 7))}, PLANTED, runs=1)


@needs_votes
def test_recorded_votes_of_people() -> None:
    votes = load_votes(VOTES / "wmt16-deu-eng.csv.gz")
    result = replay([TopTwoBradleyTerry(), Uniform()], votes, runs=10, seed=0, delta=0.05, limit=40_000)
    assert result.winner == "uedin-nmt"
    adaptive, random = result["TopTwoBradleyTerry"], result["Uniform"]
    assert adaptive.stopped_right == 1.0
    assert random.stopped_wrong == 0.0
    assert np.median(adaptive.votes_until_sure) < 0.25 * np.median(random.votes_until_sure)
    assert result.summary()[0].learner == "TopTwoBradleyTerry"
