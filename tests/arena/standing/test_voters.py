"""Voters: agreement as counted by hand, marks on those who stuff or do not care, none on honest people."""

from collections import Counter

import numpy as np
import pytest
from arena.standing.crowd import always, careless, crowd_study, honest, honest_votes, left_side, vote
from refusals import names

from duelist import Duel, Study
from duelist.arena.standing import standing_of
from duelist.arena.voters import Voter, lower_tail, voters_of
from duelist.learners import Uniform


def slow_agreement(study: Study, voter: str) -> tuple[int, int]:
    """Return how many votes of a voter can be compared with those of other people, and how many agree."""
    seen, first = set(), []
    for row in study.votes():
        comparison = (row.voter, frozenset((row.left, row.right)), row.item)
        if row.outcome != "tie" or row.voter is not None:
            if row.voter is None or comparison not in seen:
                first.append(row)
            seen.add(comparison)
    decisive = [
        (
            row.voter,
            frozenset((row.left, row.right)),
            row.left if row.outcome == "left" else row.right,
            row.item,
        )
        for row in first
        if row.outcome != "tie"
    ]
    compared = agreed = 0
    for who, pair, chosen, item in decisive:
        if who != voter:
            continue
        others = Counter(
            arm
            for other, met, arm, on in decisive
            if other != voter and (met, on) == (pair, item) and not (other or "").startswith("judge: ")
        )
        lead = others[chosen] - sum(others[arm] for arm in pair if arm != chosen)
        compared += lead != 0
        agreed += lead > 0
    return compared, agreed


def test_agreement_is_that_counted_by_hand() -> None:
    study, person, rng = crowd_study(5, k=4, people=5, votes=25, items=2)
    vote(study, "judge: exact", person, 30, rng)
    vote(study, "judge: coin", careless, 30, rng)
    vote(study, None, person, 9, rng)
    standing = standing_of(study)
    assert [judge.name for judge in standing.judges] == ["judge: exact", "judge: coin"]
    assert len(standing.people) == 5
    for voter in (*standing.people, *standing.judges):
        assert (voter.compared, voter.agreed) == slow_agreement(study, voter.name), voter.name


def test_too_few_votes_have_no_share_of_agreement() -> None:
    assert Voter("ann", 9, compared=4, agreed=4).agreement is None
    assert Voter("ann", 9, compared=8, agreed=6).agreement == 0.75


@pytest.mark.parametrize("seed", range(5))
def test_who_stuffs_and_who_does_not_care_is_marked_and_nobody_else(seed: int) -> None:
    study, person, rng = crowd_study(seed, spread=1.0)
    vote(study, "stuffer", always(5, person), 300, rng, pause=0.5)
    vote(study, "careless", careless, 80, rng)
    vote(study, "fan", always(4, person), 80, rng)
    vote(study, "lefty", left_side, 60, rng)
    marks = {voter.name: " ".join(voter.marks) for voter in standing_of(study).people if voter.marks}
    assert marks.keys() == {"stuffer", "careless", "fan", "lefty"}
    assert names(marks["stuffer"], "10 votes", "10 seconds", "arm 5")
    assert names(marks["careless"], "agrees")
    assert names(marks["fan"], "arm 4")
    assert names(marks["lefty"], "left side", "60 of 60")
    assert all("within" not in told for name, told in marks.items() if name != "stuffer")


def test_marked_voters_come_first_then_those_with_the_most_votes() -> None:
    study, person, rng = crowd_study(0)
    vote(study, "busy", person, 90, rng)
    vote(study, "fast", person, 20, rng, pause=0.4)
    assert [voter.name for voter in standing_of(study).people[:2]] == ["fast", "busy"]


def test_honest_crowds_raise_few_alarms() -> None:
    crowds = [voters_of(honest_votes(seed))[0] for seed in range(300)]
    assert all(len(people) == 12 for people in crowds)
    # three tests, each wrong in at most 1% of crowds, and cautious
    assert sum(any(voter.marks for voter in people) for people in crowds) <= 3


def test_who_saw_close_pairs_alone_is_not_marked() -> None:
    rng = np.random.default_rng(1)
    person = honest([4.0, 3.9, 3.8, 0.0, -1.0, -2.0], ties=0.0)
    study, *_ = crowd_study(1, people=0)
    for number in range(12):
        vote(study, f"person {number}", person, 60, rng)
    close = Study(Uniform(), arms=study.arms[:3])
    vote(close, "late", person, 60, rng)
    study.import_votes(close.votes())
    late = next(voter for voter in standing_of(study).people if voter.name == "late")
    assert late.agreement is not None
    assert late.agreement < 0.65
    assert late.marks == ()


def test_imported_votes_without_times_or_with_the_winner_always_left_mark_nobody() -> None:
    study = Study(Uniform(), arms=["a", "b", "c"])
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    study.import_votes(
        {"left": one, "right": other, "outcome": "left", "voter": f"voter {number}", "time": time}
        for number in range(6)
        for one, other in pairs * 5
        for time in ("2026-11-16T10:00:00", None)
    )
    standing = standing_of(study)
    assert len(standing.people) == 6
    assert not any(voter.marks for voter in standing.people)


def test_a_single_voter_is_compared_with_nobody() -> None:
    study = Study(Uniform(), arms=["a", "b"])
    study.tell(Duel("a", "b"), "left", voter="ann")
    (ann,) = standing_of(study).people
    assert ann == Voter("ann", 1, 0, 0)


def test_one_whose_votes_were_all_taken_back_is_not_listed() -> None:
    study, *_ = crowd_study(0, people=2, votes=5)
    for row in study.votes():
        if row.voter == "person 0":
            study.retract(row.ticket)
    assert [voter.name for voter in standing_of(study).people] == ["person 1"]


def test_the_binomial_bound_holds_for_sums_of_hypergeometric_numbers() -> None:
    rng = np.random.default_rng(3)
    good, bad, drawn = np.array([9, 4, 14]), np.array([1, 3, 6]), np.array([5, 4, 7])
    done = rng.hypergeometric(good, bad, drawn, (200_000, 3)).sum(axis=1)
    mean = float((drawn * good / (good + bad)).sum())
    for low in range(4, int(mean)):
        bound = lower_tail(np.array([float(low)]), np.array([16.0]), np.array([mean]))
        assert (done <= low).mean() <= bound[0] + 0.002
