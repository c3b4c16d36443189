"""Agreement of judges with people, counted by hand."""

from datetime import UTC, datetime
from math import sqrt

import pytest
from refusals import names, refused

from duelist import Duel, Study, load_votes
from duelist.errors import ParameterError
from duelist.judging.report import agreements
from duelist.study import Vote

JUDGE = "judge: gpt"


def vote(
    voter: str | None, left: str, right: str, outcome: str | float | None, item: str | None = None
) -> Vote:
    status = "skipped" if outcome is None else "counted"
    return Vote(datetime(2026, 11, 16, tzinfo=UTC), voter, left, right, outcome, "", status, item)


def test_only_what_both_decided_is_compared() -> None:
    votes = [
        # three people, most for a; the judge too, on the other side
        vote("Ada", "a", "b", "left", "1"),
        vote("Alan", "b", "a", "right", "1"),
        vote(None, "a", "b", "right", "1"),
        vote(JUDGE, "b", "a", "right", "1"),
        # the same pair on another item: the judge disagrees
        vote("Ada", "a", "b", "left", "2"),
        vote(JUDGE, "a", "b", "right", "2"),
        # people are split
        vote("Ada", "a", "b", "left", "3"),
        vote("Alan", "a", "b", "right", "3"),
        vote(JUDGE, "a", "b", "right", "3"),
        # the judge sees a tie
        vote(None, "a", "b", "left", "4"),
        vote(None, "a", "b", "tie", "4"),
        vote(JUDGE, "a", "b", "tie", "4"),
        # one of the two has not voted
        vote("Ada", "a", "b", "left", "5"),
        vote(JUDGE, "a", "b", "left", "6"),
        vote(JUDGE, "a", "b", "left"),
        vote("Ada", "a", "b", None, "6"),
        # another judge does not count as a person
        vote("judge: other", "a", "b", "left", "6"),
    ]
    gpt, other = agreements(load_votes(votes))
    assert (gpt.judge, gpt.agreed, gpt.compared, gpt.judge_ties, gpt.people_ties) == (JUDGE, 1, 2, 1, 1)
    assert gpt.share == 0.5
    assert (other.judge, other.compared, other.share, other.lower, other.upper) == (
        "judge: other",
        0,
        None,
        0.0,
        1.0,
    )
    assert names(str(other), "judge: other")
    assert names(str(gpt), JUDGE, "tie", "split")


def test_who_votes_again_counts_once() -> None:
    votes = [
        vote("Ada", "a", "b", "left"),
        *(vote("Alan", "a", "b", "right") for _ in range(5)),
        vote("Grace", "a", "b", 0.9),
        vote(JUDGE, "a", "b", "left"),
        vote(JUDGE, "a", "b", "right"),
    ]
    (agreement,) = agreements(load_votes(votes))
    assert (agreement.agreed, agreement.compared) == (1, 1)


def test_votes_that_were_taken_back_do_not_count() -> None:
    study = Study(arms=["a", "b"])
    study.tell(Duel("a", "b"), "left", voter=JUDGE)
    duel = study.ask(voter="Ada")
    study.tell(duel, "left")
    assert agreements(study.votes())[0].compared == 1
    study.retract(duel)
    assert agreements(study.votes(all=True))[0].compared == 0
    assert agreements(Study(arms=["a", "b"]).votes()) == []


def test_the_interval_is_wilsons() -> None:
    votes = []
    for item in range(40):
        votes += [vote("Ada", "a", "b", "left", str(item))]
        votes += [vote(JUDGE, "a", "b", "left" if item < 31 else "right", str(item))]
    (agreement,) = agreements(load_votes(votes))
    z, n, share = 1.959963984540054, 40, 31 / 40
    middle, half = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    assert (agreement.lower, agreement.upper) == pytest.approx(
        ((middle - half) / scale, (middle + half) / scale)
    )
    assert names(str(agreement), JUDGE, "31 of 40", "78%", "95%", "62%", "88%")
    assert agreements(load_votes(votes), 0.5)[0].upper < agreement.upper
    with refused(ParameterError, "confidence", 1.0):
        agreements(load_votes(votes), 1.0)
