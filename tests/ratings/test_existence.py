"""Exactly the arms that have no finite rating are listed apart."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from duelist import Votes, load_votes
from duelist.errors import ParameterError, PreferenceError
from duelist.ratings import fit_bradley_terry
from duelist.votes.counting import count


def votes_of(text: str, arms: str = "") -> Votes:
    """Return votes from words: ab is a win of a over b, a=b a tie."""
    words = text.split()
    names = arms or "".join(sorted(set(text) - set("= ")))
    sides = [(names.index(word[0]), names.index(word[-1]), 0.5 if "=" in word else 1.0) for word in words]
    left, right, outcomes = zip(*sides, strict=True)
    return Votes([*names], left, right, outcomes)


WON, LOST = "won every vote against rated arms", "lost every vote against rated arms"
APART, UNSEEN = "not compared with rated arms", "no votes"


@pytest.mark.parametrize(
    ("text", "unrated"),
    [
        ("ab ba cd dc cd", {"a": APART, "b": APART}),
        ("ab bc ca da db", {"d": WON}),
        ("ab bc ca ad cd", {"d": LOST}),
        ("ab ba cd dc ac ab", {"c": LOST, "d": APART}),
        ("ab ac b=c", {"a": WON, "d": UNSEEN}),
        ("ab ba ac cd", {"c": LOST, "d": APART}),
        ("ab ba ac ca", {"d": UNSEEN}),
    ],
)
def test_arms_without_a_finite_rating_are_listed_apart(text: str, unrated: dict[str, str]) -> None:
    votes = votes_of(text, arms="abcd" if "d" not in text else "")
    found = fit_bradley_terry(votes)
    assert found.unrated == unrated
    kept = [arm for arm in votes.arms if arm not in unrated]
    assert found.arms == tuple(kept)
    # the others are rated by the votes between them
    numbers = [votes.arms.index(arm) for arm in kept]
    within = np.ix_(numbers, numbers)
    tally = count(votes)
    alone = fit_bradley_terry(Votes.from_counts(tally.wins[within], tally.ties[within], kept))
    assert_allclose(found.rating, alone.rating, atol=1e-12)
    assert_allclose(found.covariance, alone.covariance, atol=1e-12)
    # and their votes are all that count
    assert found.votes.tolist() == [int(tally.votes[number].sum()) for number in numbers]
    assert found.unrated_votes == tuple(int(tally.votes[votes.arms.index(arm)].sum()) for arm in unrated)


@pytest.mark.parametrize("text", ["ab bc", "ab", "ab cd ac bd"])
def test_votes_without_any_finite_rating_are_refused(text: str) -> None:
    with pytest.raises(
        PreferenceError, match=r"no two arms have won and lost .*; give a ridge, such as ridge=0.1"
    ):
        fit_bradley_terry(votes_of(text))
    found = fit_bradley_terry(votes_of(text), ridge=0.1)
    assert found.unrated == {}
    assert np.isfinite([found.rating, found.low, found.high]).all()


def test_without_votes_no_arm_is_rated() -> None:
    with pytest.raises(PreferenceError, match="there are no votes, so no arm can be rated; collect votes"):
        fit_bradley_terry(Votes([*"ab"], [], [], []), ridge=1.0)
    skipped = Votes([*"ab"], [0], [1], [np.nan], statuses=[2])
    with pytest.raises(PreferenceError, match="there are no votes"):
        fit_bradley_terry(skipped)
    with pytest.raises(PreferenceError, match="all votes have the weight 0"):
        fit_bradley_terry(Votes([*"ab"], [0, 0], [1, 1], [1.0, 0.0], weights=[0.0, 0.0]))


def test_a_ridge_rates_the_largest_island() -> None:
    votes = votes_of("ab bc ca da ef fe ef", arms="abcdefg")
    found = fit_bradley_terry(votes, ridge=0.5)
    assert found.arms == tuple("abcd")
    assert found.unrated == {"e": APART, "f": APART, "g": UNSEEN}
    assert fit_bradley_terry(votes).arms == tuple("abc")


def football(teams: int, island: int, matches: int) -> Votes:
    """Return results between teams, the last of which only met each other; some ties."""
    rng = np.random.default_rng(8)
    strength = rng.normal(0.0, 0.7, teams)
    main = teams - island
    left = rng.integers(0, main, matches)
    right = (left + rng.integers(1, main, matches)) % main
    apart = main + np.array([[0, 1], [1, 2], [2, 0], [0, 2]])
    left, right = np.append(left, apart[:, 0]), np.append(right, apart[:, 1])
    won = rng.random(len(left)) < 1.0 / (1.0 + np.exp(strength[right] - strength[left]))
    outcomes = np.where(rng.random(len(left)) < 0.25, 0.5, won)
    return Votes([f"team {team}" for team in range(teams)], left, right, outcomes)


def test_three_teams_that_met_nobody_else_do_not_block_a_leaderboard() -> None:
    votes = football(337, 3, 49_516)
    found = fit_bradley_terry(votes, ties="davidson")
    assert len(found.arms) == 334
    assert found.unrated == {f"team {team}": APART for team in (334, 335, 336)}
    assert np.isfinite([found.low, found.high]).all()


def test_arms_with_few_votes_are_left_out() -> None:
    votes = votes_of("ab ba bc cb ab cd dc ab ba", arms="abcde")
    found = fit_bradley_terry(votes, minimum_votes=3)
    assert found.arms == tuple("abc")
    assert found.unrated == {"d": "fewer than 3 votes", "e": UNSEEN}
    with pytest.raises(
        PreferenceError, match=r"no two arms with 6 votes or more .*\(1 arm of 5 .*lower minimum_votes"
    ):
        fit_bradley_terry(votes, minimum_votes=6)


def test_a_vote_of_weight_zero_connects_nothing() -> None:
    votes = Votes([*"abc"], [0, 1, 1, 2], [1, 0, 2, 1], [1.0, 1.0, 1.0, 1.0], weights=[1.0, 2.0, 1.0, 0.0])
    assert fit_bradley_terry(votes).unrated == {"c": LOST}


def test_davidson_needs_wins_against_ties() -> None:
    with pytest.raises(PreferenceError, match=r'all votes are ties, which makes nu infinite; .* ties="half"'):
        fit_bradley_terry(votes_of("a=b"), ties="davidson", ridge=1.0)
    votes = votes_of("ab a=b")
    assert fit_bradley_terry(votes).rating[0] > 0.0
    with pytest.raises(
        PreferenceError, match=r"infinite in Davidson's model; rate them with ties=.half., or give"
    ):
        fit_bradley_terry(votes, ties="davidson")
    assert np.isfinite(fit_bradley_terry(votes, ties="davidson", ridge=0.1).rating).all()
    assert fit_bradley_terry(votes_of("ab ba a=b"), ties="davidson").nu == pytest.approx(1.0)


def grows(votes: Votes, davidson: bool) -> bool:
    """Return whether the likelihood rises for ever in some direction, by a linear programme.

    Along such a direction no observed outcome becomes less likely compared with another, and one more.
    """
    k = len(votes.arms)
    outcomes = {1.0: (0.5, 0.0), 0.0: (-0.5, 0.0), 0.5: (0.0, 1.0)}
    rows = []
    for left, right, outcome in zip(votes.left, votes.right, votes.outcomes, strict=True):
        seen = [outcome] if davidson or outcome != 0.5 else [0.0, 1.0]
        for margin, tie in (outcomes[one] for one in seen):
            for other, (margin_of_other, tie_of_other) in outcomes.items():
                if davidson or other != 0.5:
                    row = np.zeros(k + 1)
                    row[left], row[right] = margin - margin_of_other, margin_of_other - margin
                    row[k] = tie - tie_of_other
                    rows.append(row)
    table = np.array(rows)
    found = linprog(-table.sum(axis=0), -table, np.zeros(len(table)), bounds=[(-1, 1)] * (k + 1))
    return bool(float(found.fun or 0.0) < -1e-6)


VOTES = st.lists(
    st.tuples(st.permutations("abcd").map(lambda order: order[:2]), st.sampled_from(["", "="])), min_size=3
)


def between(votes: Votes, arms: tuple[str, ...]) -> Votes:
    """Return the votes between some arms."""
    place = {votes.arms.index(arm): number for number, arm in enumerate(arms)}
    rows = [
        (place.get(int(one)), place.get(int(two))) for one, two in zip(votes.left, votes.right, strict=True)
    ]
    kept = np.array([None not in row for row in rows])
    left, right = zip(*[row for row, keep in zip(rows, kept, strict=True) if keep], strict=True)
    return Votes(arms, left, right, votes.outcomes[kept])


@settings(deadline=None, max_examples=60)
@given(VOTES, st.booleans())
def test_exactly_the_arms_that_have_no_rating_are_left_out(rows: list[Any], davidson: bool) -> None:
    votes = votes_of(" ".join(f"{pair[0]}{sign}{pair[1]}" for pair, sign in rows))
    try:
        found = fit_bradley_terry(votes, intervals="none")
    except PreferenceError:
        assert grows(votes, False)
        return
    rated = between(votes, found.arms)
    assert not grows(rated, False)
    assert np.abs(found.rating).max() < 50.0
    tally = count(votes)
    for arm in found.unrated:
        one = votes.arms.index(arm)
        others = [votes.arms.index(name) for name in found.arms]
        apart = not tally.votes[one, others].any()
        assert apart or grows(between(votes, (*found.arms, arm)), False)
        assert apart == (found.unrated[arm] in (APART, UNSEEN))
    if davidson:
        with_ties = bool((rated.outcomes == 0.5).any())
        try:
            fit_bradley_terry(votes, ties="davidson")
        except PreferenceError:
            assert grows(rated, True)
        else:
            assert not grows(rated, with_ties)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ties": "third"}, "ties must be one of half, davidson; got 'third'"),
        ({"ridge": -1.0}, "ridge must be a finite number, 0 or more; got -1.0"),
        ({"ridge": "x"}, "ridge must be"),
        ({"intervals": "wide"}, "intervals must be one of sandwich, bootstrap, none; got 'wide'"),
        ({"clusters": None}, 'clusters must be the name of a column, "auto" or "none"; got None'),
        ({"repeats": "last"}, "repeats must be one of first, all; got 'last'"),
        ({"minimum_votes": -1}, "minimum_votes must be a whole number, at least 0"),
        ({"confidence": 95}, "confidence must lie between 0 and 1"),
        ({"bootstrap": 1}, "bootstrap must be a whole number, at least 2"),
        ({"seed": -1}, "seed must be a whole number, at least 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        fit_bradley_terry(votes_of("ab ba"), **arguments)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([("a", "b")], r"no table of counts: .* not a table of numbers.*: load_votes\(rows\)"),
        ([(0, 1, 5), (1, 2, 3)], r"wins has shape \(2, 3\).*: load_votes\(rows\)"),
        ([[0, 1, 5], [1, 2, 3], [2, 0, 2]], r"arm 1 has votes against itself.*: load_votes\(rows\)"),
        (np.array([[0, 1, 5], [1, 2, 3]]), r"^wins has shape \(2, 3\); give one row and one column for each"),
        (None, "^wins"),
        ([], "^wins"),
    ],
)
def test_what_holds_no_votes_is_refused(source: Any, message: str) -> None:
    with pytest.raises(PreferenceError, match=message):
        fit_bradley_terry(source)


def test_rows_of_three_numbers_are_rated_once_they_are_read() -> None:
    rows = [(0, 1, 5), (1, 2, 3), (2, 0, 2)]
    assert_allclose(
        fit_bradley_terry(load_votes(rows)).rating,
        fit_bradley_terry([[0, 5, 0], [0, 0, 3], [2, 0, 0]]).rating,
    )


@pytest.mark.parametrize(
    ("ridge", "remedy"),
    [
        (0.0, "give a ridge, such as ridge=0.1."),
        (1e-6, "give a ridge larger than 1e-06, such as ridge=0.1."),
        (0.5, "give a ridge larger than 0.5, such as ridge=5."),
    ],
)
def test_ratings_that_do_not_converge_ask_for_a_larger_ridge(
    ridge: float, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.ratings.newton.MOST_STEPS", 2)
    with pytest.raises(PreferenceError, match=f"do not converge within 2 steps .*; {re.escape(remedy)}$"):
        fit_bradley_terry([[0, 900], [1, 0]], ridge=ridge)


def test_a_ridge_lost_in_rounding_is_too_small() -> None:
    wins = np.zeros((3, 3))
    wins[0, 1] = wins[1, 2] = 1e12
    with pytest.raises(PreferenceError, match="give a ridge larger than 1e-12"):
        fit_bradley_terry(wins, ridge=1e-12)
