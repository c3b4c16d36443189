"""One study through every output: the same counts, the same leader, the same finding."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist import Duel, Study, load_votes
from duelist.analysis import Analysis, analyze
from duelist.arena.pages import dashboard_page, leaderboard_page
from duelist.arena.standing import standing_of
from duelist.client.answers import read_votes
from duelist.errors import PreferenceError
from duelist.problems import MatrixProblem
from duelist.ratings import fit_bradley_terry
from duelist.replaying.world import pool_of
from duelist.service.report import report_on
from duelist.votes import count
from duelist.votes.writing import as_csv, as_lines
from duelist.web.page import Viewer

ARMS = ["a", "b", "c", "d"]
VOTERS = [None, "ann", "bob", "eve"]
OUTCOMES = ["left", "right", "tie", 0.55, 0.8, 0.0]
VOTES = st.tuples(
    st.permutations(range(4)),
    st.sampled_from(OUTCOMES),
    st.sampled_from(VOTERS),
    st.sampled_from([None, "one", "two"]),
    st.sampled_from(["tell", "tell", "tell", "many", "skip", "retract"]),
)
CHANGES = st.sampled_from(["", "", "retire", "add", "return"])


def make_study(votes: list[Any], change: str) -> Study:
    study = Study(arms=ARMS, seed=0)
    for number, (order, outcome, voter, item, action) in enumerate(votes):
        left, right = (ARMS[arm] for arm in order[:2])
        if action == "skip":
            study.skip(study.ask(voter=voter))
            continue
        for _ in range(30 if action == "many" else 1):
            study.tell(Duel(left, right, item=item), outcome, voter=voter)
        if action == "retract" and number % 3 == 0:
            study.retract(study.votes()[-1].ticket)
    if change == "retire":
        study.retire_arm("d")
    if change == "add":
        study.add_arm("new")
    if change == "return":
        study.retire_arm("d")
        study.add_arm("d")
    return study


def table(arms: Any, scores: Any) -> dict[tuple[str, str], float]:
    """Return who beat whom how often, whatever the order of arms; pairs without votes left out."""
    return {
        (one, other): round(float(scores[i][j]), 9)
        for i, one in enumerate(arms)
        for j, other in enumerate(arms)
        if scores[i][j] or scores[j][i]
    }


def say_the_same(study: Study, analysis: Analysis) -> None:
    verdict, found = study.verdict(), analysis.verdict
    assert found is not None
    assert (found.finding, found.winner, found.leader) == (verdict.finding, verdict.winner, verdict.leader)
    assert found.confidence == pytest.approx(verdict.confidence, abs=1e-9)
    assert (set(found.unproven), found.repeats) == (set(verdict.unproven), verdict.repeats)


@settings(max_examples=60, deadline=None)
@given(st.lists(VOTES, min_size=1, max_size=25), CHANGES)
def test_every_output_says_the_same(votes: list[Any], change: str) -> None:
    study = make_study(votes, change)
    fold, recorded = study._live.now(), study.votes()
    expected = table(recorded.arms, fold.tally.scores)
    tally = count(recorded)
    assert table(recorded.arms, tally.scores) == expected
    assert (tally.answers, tally.repeats) == (study.answers, fold.tally.repeats)

    standing = standing_of(study)
    assert (standing.finding, standing.answers, standing.repeats) == (
        study.verdict().finding,
        study.answers,
        tally.repeats,
    )
    for row in standing.leaderboard.rows:
        won = sum(score for (one, _), score in expected.items() if one == row.arm)
        assert row.wins + row.ties / 2.0 == pytest.approx(won, abs=1e-9)
    for page in (leaderboard_page, dashboard_page):
        assert standing.verdict.split(":")[0] in page("Title", standing, Viewer({}))

    report = report_on(study)
    assert report.verdict is not None
    assert (report.verdict.finding, report.answers, report.repeats) == (
        standing.finding,
        study.answers,
        tally.repeats,
    )
    assert table(report.arms, report.wins) == expected
    if report.findings is not None:
        assert report.findings["verdict"]["finding"] == standing.finding
        assert report.findings["verdict"]["leader"] == study.verdict().leader

    with TemporaryDirectory() as folder:
        for name, writer in (("votes.csv", as_csv), ("votes.jsonl", as_lines)):
            path = Path(folder) / name
            path.write_bytes(b"".join(writer(study.votes(all=True))))
            exported = load_votes(path)
            assert table(exported.arms, count(exported).scores) == expected
            if len(recorded):
                say_the_same(study, analyze(path))
    if len(recorded):
        say_the_same(study, analyze(recorded))
        say_the_same(study, analyze(read_votes(b"".join(as_lines(recorded)))))
        problem = MatrixProblem.from_votes(recorded)
        assert table(problem.labels, problem.matrix * np.asarray(problem.counts)) == expected

    rows = {row.arm: row for row in standing.leaderboard.rows}
    try:
        rated = fit_bradley_terry(recorded).on_elo_scale()
    except PreferenceError:
        rated = None
    if standing.leaderboard.ratings is not None:
        assert rated is not None
        for line in rated.rows():
            assert rows[line.arm].rating == pytest.approx(line.rating)
    try:
        pool = pool_of(recorded)
    except PreferenceError:
        return  # some pair has no vote, and a replay could not draw one
    scale = max(pool.wins.sum() + pool.ties.sum() / 2.0, 1.0) / max(pool.total, 1.0)
    assert table(pool.arms, (pool.wins + pool.ties / 2.0) / scale) == pytest.approx(expected, abs=1e-5)


def stuffed() -> Study:
    """Return a study in which one voter votes 30 times for a, and of seven others five for b."""
    study = Study(arms=["a", "b"])
    for _ in range(30):
        study.tell(Duel("a", "b"), "left", voter="again and again")
    for number in range(7):
        study.tell(Duel("a", "b"), "right" if number < 5 else "left", voter=f"voter {number}")
    return study


def by_degree() -> Study:
    """Return a study in which 26 votes are for a by a little, and 14 for b wholly."""
    study = Study(arms=["a", "b"])
    for number in range(40):
        study.tell(Duel("a", "b"), 0.55 if number < 26 else 0.0, voter=f"voter {number}")
    return study


@pytest.mark.parametrize("make", [stuffed, by_degree])
def test_the_same_votes_have_one_leader(make: Any, tmp_path: Path) -> None:
    study = make()
    path = tmp_path / "votes.csv"
    path.write_bytes(b"".join(as_csv(study.votes())))
    analysis = analyze(path)
    assert analysis.verdict is not None
    assert analysis.leaderboard is not None
    standing, report = standing_of(study), report_on(study)
    leaders = {
        "verdict": study.verdict().leader,
        "best": study.best(),
        "leaderboard": standing.leaderboard.rows[0].arm,
        "report": report.findings["leaderboard"][0]["arm"] if report.findings else None,
        "analyze": analysis.leaderboard.rows[0].arm,
        "condorcet": next(iter(analysis.winners["condorcet"])),
        "ratings": fit_bradley_terry(study.votes()).rows()[0].arm,
        "problem": MatrixProblem.from_votes(study.votes()).labels[pool_of(study.votes()).truth],
    }
    assert set(leaders.values()) == {"b"}
    findings = {study.verdict().finding, standing.finding, analysis.verdict.finding}
    assert findings == {"undecided"}


@pytest.mark.parametrize("arms", [["x", "a", "b"], ["a", "b", "x"], ["b", "x", "a"]])
def test_who_leads_does_not_depend_on_the_order_of_arms(arms: list[str]) -> None:
    study = Study(arms=arms, seed=0)
    for _ in range(200):
        study.tell(Duel("a", "b"), "left")
    assert (study.verdict().leader, study.verdict().unproven, study.best()) == ("a", ("x",), "a")


def test_a_retired_arm_is_no_winner_by_any_definition() -> None:
    study = Study(arms=["a", "b", "c"], seed=0)
    for left, right in [("a", "b"), ("a", "c"), ("b", "c")] * 40:
        study.tell(Duel(left, right), "left")
    study.retire_arm("a")
    found = analyze(study.votes())
    assert found.verdict is not None
    assert found.leaderboard is not None
    assert found.verdict.winner == "b"
    assert {arm for winners in found.winners.values() for arm in winners} == {"b"}
    assert [row.retired for row in found.leaderboard.rows if row.arm == "a"] == [True]
