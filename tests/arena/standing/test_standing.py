"""Standings against obvious versions, which look at every vote by itself."""

from collections import Counter
from itertools import pairwise
from math import inf
from pathlib import Path

import numpy as np
import pytest
from arena.standing.crowd import crowd_study, honest, vote
from refusals import names, refused

from duelist import Duel, Study
from duelist.arena.standing import PairStanding, Standing, standing_of
from duelist.errors import ParameterError
from duelist.learners import Uniform
from duelist.ratings import fit_bradley_terry
from duelist.study import Parameter
from duelist.votes import Votes, count


def slow_pairs(study: Study) -> Counter[tuple[str, str, str]]:
    """Count wins and ties by the names of arms; of a voter's votes on the same pair and item, the first."""
    seen, counts = set(), Counter[tuple[str, str, str]]()
    for row in study.votes():
        comparison = (row.voter, frozenset((row.left, row.right)), row.item)
        if row.voter is not None and comparison in seen:
            continue
        seen.add(comparison)
        if row.outcome == "tie":
            counts[row.left, row.right, "tie"] += 1
            counts[row.right, row.left, "tie"] += 1
        else:
            winner, loser = (row.left, row.right) if row.outcome == "left" else (row.right, row.left)
            counts[winner, loser, "won"] += 1
    return counts


@pytest.fixture(scope="module")
def study() -> Study:
    """Return a study with items, repeated votes, unnamed voters, a retracted vote and a retired arm."""
    made, person, rng = crowd_study(4, k=5, people=8, votes=40, items=3)
    vote(made, None, person, 15, rng)
    made.retract(made.votes()[7].ticket)
    made.retire_arm("arm 4")
    return made


@pytest.fixture(scope="module")
def standing(study: Study) -> Standing:
    return standing_of(study, votes_left=(40.0, 90.0))


def test_pairs_are_counted_as_by_hand(study: Study, standing: Standing) -> None:
    counts = slow_pairs(study)
    names = [arm.arm for arm in standing.leaderboard.rows]
    for one, row in zip(names, standing.pairs, strict=True):
        for other, pair in zip(names, row, strict=True):
            if one == other:
                assert pair is None
                continue
            wins, ties, losses = (
                counts[one, other, "won"],
                counts[one, other, "tie"],
                counts[other, one, "won"],
            )
            assert pair == PairStanding(wins, ties, wins + ties + losses)


def test_arms_are_those_of_their_pairs(standing: Standing) -> None:
    for arm, row in zip(standing.leaderboard.rows, standing.pairs, strict=True):
        pairs = [pair for pair in row if pair is not None]
        assert arm.wins == sum(pair.wins for pair in pairs)
        assert arm.votes == sum(pair.votes for pair in pairs)
        assert arm.share == pytest.approx((arm.wins + arm.ties / 2) / arm.votes)
        assert arm.retired == (arm.arm == "arm 4")


def test_what_counts_is_what_a_verdict_counts(study: Study) -> None:
    counted, tally = count(study.votes()), study._live.current().tally
    np.testing.assert_array_equal(counted.wins, tally.wins)
    np.testing.assert_array_equal(counted.ties, tally.ties)


def test_numbers_of_votes(study: Study, standing: Standing) -> None:
    assert standing.answers == study.answers == 8 * 40 + 15 - 1
    assert standing.repeats == study.verdict().repeats > 0
    assert standing.unnamed == 15
    assert sum(voter.votes for voter in standing.people) == standing.answers - 15
    assert standing.more == "about 40 to 90 more"


def test_ratings_are_those_of_the_votes(study: Study, standing: Standing) -> None:
    seen, rows = set(), []
    for row in study.votes():
        comparison = (row.voter, frozenset((row.left, row.right)), row.item)
        if row.voter is None or comparison not in seen:
            rows.append(row)
        seen.add(comparison)
    names = [f"arm {place}" for place in range(5)]
    left, right = [names.index(row.left) for row in rows], [names.index(row.right) for row in rows]
    won = [{"left": 1.0, "right": 0.0, "tie": 0.5}[str(row.outcome)] for row in rows]
    voters, items = [row.voter for row in rows], [row.item for row in rows]
    expected = fit_bradley_terry(Votes(names, left, right, won, voters=voters, items=items)).on_elo_scale()
    for line, arm in zip(expected.rows(), standing.leaderboard.rows, strict=True):
        assert arm.arm == line.arm
        assert (arm.rating, arm.low, arm.high) == pytest.approx(line[1:4])
        assert (arm.rank_low, arm.rank_high) == (line.rank_low, line.rank_high)


def test_last_votes_can_be_looked_up(study: Study, standing: Standing) -> None:
    rows = study.votes()[-20:][::-1]
    assert list(standing.last) == rows


def test_a_second_look_reads_what_is_new_and_forgets_what_is_taken_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "votes.db"
    study = Study(Uniform(), arms=["a", "b", "c"], journal=path)
    assert standing_of(study).answers == 0
    vote(study, "ann", honest([1.0, 0.5, 0.0]), 30, rng)
    before = standing_of(study)
    study.add_arm("d")
    vote(study, "bob", honest([1.0, 0.5, 0.0, 0.0]), 30, rng)
    study.retract(before.last[0].ticket)
    assert study.votes(all=True) == Study.open(path).votes(all=True)
    after = standing_of(study)
    assert (before.answers, after.answers) == (30, 59)
    assert before.last[0].ticket not in {one.ticket for one in after.last}
    assert after.pairs == standing_of(Study.open(path)).pairs


def test_few_voters_leave_intervals_to_single_votes() -> None:
    study, *_ = crowd_study(1, k=6, people=4, votes=120)
    standing = standing_of(study)
    assert "independent" in standing.ratings_note
    assert all(arm.rating is not None for arm in standing.leaderboard.rows)


def tell_all(study: Study, *duels: tuple[str, str, str]) -> None:
    for left, right, outcome in duels:
        study.tell(Duel(left, right), outcome)


def test_arms_without_ratings_say_why_and_leave_those_of_others_alone() -> None:
    study = Study(Uniform(), arms=["lost", "x", "apart", "y", "won", "other", "new"])
    tell_all(study, ("x", "y", "left"), ("x", "y", "left"), ("y", "x", "left"))
    alone = Study(Uniform(), arms=["x", "y"])
    tell_all(alone, ("x", "y", "left"), ("x", "y", "left"), ("y", "x", "left"))
    tell_all(study, ("won", "x", "left"), ("y", "lost", "left"), ("apart", "other", "left"))
    standing = standing_of(study)
    assert [arm.arm for arm in standing.leaderboard.rows] == [
        "won",
        "x",
        "y",
        "lost",
        "apart",
        "other",
        "new",
    ]
    reasons = [arm.unrated for arm in standing.leaderboard.rows]
    assert reasons[0] == "won every vote against rated arms"
    assert reasons[1:4] == ["", "", "lost every vote against rated arms"]
    assert reasons[4:] == ["not compared with rated arms"] * 2 + ["no votes"]
    alone_rows = standing_of(alone).leaderboard.rows
    assert [row[4:9] for row in standing.leaderboard.rows[1:3]] == [row[4:9] for row in alone_rows]
    assert "2 of 7 arms have ratings" in standing.ratings_note


@pytest.mark.parametrize(
    ("outcomes", "why"),
    [
        ([], "no votes"),
        (["left"], "won and lost"),
        (["tie", "tie"], "ties"),
    ],
)
def test_where_there_are_no_ratings_it_says_why(outcomes: list[str], why: str) -> None:
    study = Study(Uniform(), arms=["a", "b"])
    tell_all(study, *(("a", "b", outcome) for outcome in outcomes))
    standing = standing_of(study)
    assert why in standing.ratings_note
    assert [arm.rating for arm in standing.leaderboard.rows] == [None, None]
    assert standing.leader is None or outcomes == ["left"]


def test_votes_by_degree_are_parts_of_a_win_and_of_a_tie() -> None:
    study = Study(Uniform(), arms=["a", "b"])
    for outcome in (0.8, 0.3, 1.0):
        study.tell(Duel("a", "b"), outcome)
    standing = standing_of(study)
    assert standing.pairs[0][1] == pytest.approx(PairStanding(1.6, 1.0, 3.0))
    assert standing.last[1].outcome == 0.3


ROUND = ("rock", "scissors", "paper", "rock")


def test_a_circle_is_told_unless_the_verdict_tells_it() -> None:
    study = Study(Uniform(), arms=["rock", "paper", "scissors", "\u05d0"])
    for _ in range(7):
        tell_all(
            study, ("paper", "rock", "left"), ("scissors", "paper", "left"), ("rock", "scissors", "left")
        )
    (circle,) = standing_of(study).circles
    assert names(circle, *(f"{one} beats {other} (7 to 0)" for one, other in pairwise(ROUND)))
    for _ in range(30):
        tell_all(
            study, ("paper", "rock", "left"), ("scissors", "paper", "left"), ("rock", "scissors", "left")
        )
        tell_all(study, *((name, "\u05d0", "left") for name in ("rock", "paper", "scissors")))
    decided = standing_of(study)
    assert decided.finding == "no winner"
    assert decided.done
    assert decided.circles == ()


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (None, ""),
        ((0.0, 0.0), "about 0 more"),
        ((12.0, inf), "at least about 12 more"),
        ((inf, inf), "no end in sight"),
        ((1500.4, 20000.0), "about 1,500 to 20,000 more"),
    ],
)
def test_votes_left_in_words(left: tuple[float, float] | None, words: str) -> None:
    assert standing_of(Study(Uniform(), arms=["a", "b"]), votes_left=left).more == words


def test_a_study_of_parameters_is_refused() -> None:
    from duelist import PreferentialOptimization

    study = Study(PreferentialOptimization(), parameters={"temperature": Parameter(0.0, 1.0)})
    with refused(ParameterError, "parameters"):
        standing_of(study)


def test_names_that_turn_the_text_around_them_are_kept_to_themselves() -> None:
    study = Study(Uniform(), arms=["\u05e9\u05dc\u05d5\u05dd", "\u202e" + "b" * 900])
    for number in range(20):
        study.tell(Duel("\u05e9\u05dc\u05d5\u05dd", "\u202e" + "b" * 900), "left", voter=f"voter {number}")
    verdict = standing_of(study).verdict
    assert verdict.startswith("\u2068\u05e9\u05dc\u05d5\u05dd\u2069 is the winner: it beats bbb")
    assert "\u202e" not in verdict
    assert len(verdict) < 200
