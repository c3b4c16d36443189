"""Exactly the arms that have no finite rating are listed apart."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from refusals import names, refused
from scipy.optimize import linprog

from duelist import Votes, load_votes
from duelist.errors import ParameterError, PreferenceError
from duelist.ratings import fit_bradley_terry
from duelist.ratings.existence import APART, LOST, UNSEEN, WON
from duelist.votes.counting import count


def votes_of(text: str, arms: str = "") -> Votes:
    """Return votes from words: ab is a win of a over b, a=b a tie."""
    words = text.split()
    names = arms or "".join(sorted(set(text) - set("= ")))
    sides = [(names.index(word[0]), names.index(word[-1]), 0.5 if "=" in word else 1.0) for word in words]
    left, right, outcomes = zip(*sides, strict=True)
    return Votes([*names], left, right, outcomes)


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
    with refused(PreferenceError, "ratings", "ridge=0.1", "--ridge 0.1"):
        fit_bradley_terry(votes_of(text))
    found = fit_bradley_terry(votes_of(text), ridge=0.1)
    assert found.unrated == {}
    assert np.isfinite([found.rating, found.low, found.high]).all()


def test_without_votes_no_arm_is_rated() -> None:
    with refused(PreferenceError, "no votes"):
        fit_bradley_terry(Votes([*"ab"], [], [], []), ridge=1.0)
    skipped = Votes([*"ab"], [0], [1], [np.nan], statuses=[2])
    with refused(PreferenceError, "no votes"):
        fit_bradley_terry(skipped)
    with refused(PreferenceError, "weight 0"):
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
    assert found.unrated == {"d": found.unrated["d"], "e": UNSEEN}
    assert names(found.unrated["d"], "3 votes")
    with refused(PreferenceError, "6 votes", "1 of 5 arms", "minimum_votes"):
        fit_bradley_terry(votes, minimum_votes=6)


def test_a_vote_of_weight_zero_connects_nothing() -> None:
    votes = Votes([*"abc"], [0, 1, 1, 2], [1, 0, 2, 1], [1.0, 1.0, 1.0, 1.0], weights=[1.0, 2.0, 1.0, 0.0])
    assert fit_bradley_terry(votes).unrated == {"c": LOST}


def test_davidson_needs_wins_against_ties() -> None:
    with refused(PreferenceError, "nu", 'ties="half"'):
        fit_bradley_terry(votes_of("a=b"), ties="davidson", ridge=1.0)
    votes = votes_of("ab a=b")
    assert fit_bradley_terry(votes).rating[0] > 0.0
    with refused(PreferenceError, "nu", 'ties="half"', "ridge=0.1"):
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
    index = {votes.arms.index(arm): number for number, arm in enumerate(arms)}
    rows = [
        (index.get(int(one)), index.get(int(two))) for one, two in zip(votes.left, votes.right, strict=True)
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
    ("name", "value", "allowed"),
    [
        ("ties", "third", "half, davidson"),
        ("ridge", -1.0, "0"),
        ("ridge", "x", "0"),
        ("intervals", "wide", "sandwich, bootstrap, none"),
        ("clusters", None, '"none"'),
        ("repeats", "last", "first, all"),
        ("minimum_votes", -1, "0"),
        ("confidence", 95, "0"),
        ("bootstrap", 1, "2"),
        ("seed", -1, "0"),
    ],
)
def test_wrong_arguments_are_refused(name: str, value: Any, allowed: str) -> None:
    with refused(ParameterError, name, repr(value), allowed):
        fit_bradley_terry(votes_of("ab ba"), **{name: value})


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        ([("a", "b")], ["wins", "'a'", "load_votes(rows)"]),
        ([(0, 1, 5), (1, 2, 3)], ["wins", "(2, 3)", "load_votes(rows)"]),
        ([[0, 1, 5], [1, 2, 3], [2, 0, 2]], ["arm 1", "load_votes(rows)"]),
        (np.array([[0, 1, 5], [1, 2, 3]]), ["wins", "(2, 3)"]),
        (None, ["wins"]),
        ([], ["wins"]),
    ],
)
def test_what_holds_no_votes_is_refused(source: Any, facts: list[str]) -> None:
    with refused(PreferenceError, *facts):
        fit_bradley_terry(source)


def test_rows_of_three_numbers_are_rated_once_they_are_read() -> None:
    rows = [(0, 1, 5), (1, 2, 3), (2, 0, 2)]
    assert_allclose(
        fit_bradley_terry(load_votes(rows)).rating,
        fit_bradley_terry([[0, 5, 0], [0, 0, 3], [2, 0, 0]]).rating,
    )


@pytest.mark.parametrize(
    ("ridge", "facts"),
    [
        (0.0, ["2 steps", "ridge=0.1"]),
        (1e-6, ["2 steps", "1e-06", "ridge=0.1"]),
        (0.5, ["2 steps", "0.5", "ridge=5"]),
    ],
)
def test_ratings_that_do_not_converge_ask_for_a_larger_ridge(
    ridge: float, facts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.ratings.newton.MOST_STEPS", 2)
    with refused(PreferenceError, *facts):
        fit_bradley_terry([[0, 900], [1, 0]], ridge=ridge)


def test_a_ridge_lost_in_rounding_is_too_small() -> None:
    wins = np.zeros((3, 3))
    wins[0, 1] = wins[1, 2] = 1e12
    with refused(PreferenceError, "1e-12", "ridge=0.1"):
        fit_bradley_terry(wins, ridge=1e-12)
