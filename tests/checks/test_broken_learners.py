"""A learner that breaks a law is found out by the check of that law."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from catalogue import example
from numpy.random import Generator
from refusals import names, refused

from duelist import RUCB, Actions, Arms, Card, Duel, LogisticDuels, PairwiseGradientRanker
from duelist.checks import run_checks, yield_learner_checks
from duelist.checks.suite import LONG, CheckResult
from duelist.errors import DuelistError, ParameterError, UnknownNameError
from examples.plugin_learner import EpsilonGreedy, State


def run_check(learner: Any, law: str) -> str:
    """Return what a check says of a learner, nothing if it is met."""
    try:
        dict(yield_learner_checks(learner, quick=True))[law](learner)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


class Changing(EpsilonGreedy):
    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        state.wins[0, 1] += 1.0
        return super().ask(state, menu, rng)


class InPlace(EpsilonGreedy):
    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        state.wins[duel.left, duel.right] += outcome
        state.wins[duel.right, duel.left] += 1.0 - outcome
        return state


class OwnSeed(EpsilonGreedy):
    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        return super().ask(state, menu, np.random.default_rng())


class Outside(EpsilonGreedy):
    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        return Duel(menu.k, 0)


class OneSided(EpsilonGreedy):
    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        wins = state.wins.copy()
        wins[duel.left, duel.right] += outcome
        return State(wins)


class Ignorant(EpsilonGreedy):
    def best(self, state: State, menu: Arms) -> int:
        return 1


class Strict(EpsilonGreedy):
    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        if outcome == 0.5:
            raise ValueError("no ties, please")
        return super().tell(state, duel, outcome)


class Undocumented(EpsilonGreedy):
    """Says nothing."""


class Silent(RUCB):
    """Says nothing either, and is quick to play."""


class Growing(EpsilonGreedy):
    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        after = super().tell(state, duel, outcome)
        return State(np.pad(after.wins, ((0, 1), (0, 0)))[: len(after.wins) + 1])


class Numbers(NamedTuple):
    wins: list[float]


class Lists(EpsilonGreedy):
    def init(self, menu: Arms, rng: Generator) -> Any:
        return Numbers([0.0] * menu.k)

    def ask(self, state: Any, menu: Arms, rng: Generator) -> Duel:
        return Duel(0, 1)

    def tell(self, state: Any, duel: Duel, outcome: float) -> Any:
        return state

    def best(self, state: Any, menu: Arms) -> int:
        return 0


@dataclass(frozen=True)
class Unwritable(EpsilonGreedy):
    scores: set[int] = field(default_factory=lambda: {1})


@dataclass(frozen=True)
class Lying(EpsilonGreedy):
    card = Card(needs_horizon=True)


class Lucky(EpsilonGreedy):
    """Names the arm that happens to win most problems."""

    def best(self, state: State, menu: Arms) -> int:
        return 0


class Mute(EpsilonGreedy):
    def ask(self, state: State, menu: Arms, rng: Generator) -> Any:
        return None


class Lossy(EpsilonGreedy):
    def tell(self, state: State, duel: Duel, outcome: float) -> Any:
        return None


@pytest.mark.parametrize(
    ("learner", "law", "facts"),
    [
        (Changing(), "ask_is_pure", ["AssertionError", "ask", "state"]),
        (InPlace(), "tell_keeps_the_old_state", ["AssertionError", "tell", "state"]),
        (OwnSeed(), "ask_is_pure", ["AssertionError", "ask", "generators"]),
        (OwnSeed(), "equal_seeds_give_equal_questions", ["AssertionError", "ask", "seeds"]),
        (Outside(), "ask_is_pure", ["left", "5", "menu"]),
        (OneSided(), "swapped_sides", ["AssertionError", "sides", "state"]),
        (Ignorant(), "finds_the_winner", ["AssertionError", "0 of 5"]),
        (Strict(), "any_answer_is_accepted", ["ValueError: no ties, please"]),
        (Undocumented(), "documentation", ["AssertionError", "Notes"]),
        (Growing(), "state_does_not_grow", ["ValueError"]),
        (Lists(), "state_is_arrays", ["AssertionError", "wins"]),
        (Unwritable(), "hyperparameters_survive_json", ["TypeError", "set"]),
        (Lucky(epsilon=1.0), "relabelling", ["AssertionError", "5 of 5", "0"]),
        (Mute(), "replay", ["AssertionError", "ask", "None", "Duel"]),
        (Mute(), "finds_the_winner", ["Mute.ask()", "Duel", "None"]),
        (Lossy(), "replay", ["AssertionError", "tell", "None", "State"]),
        (Lossy(), "finds_the_winner", ["Lossy.tell()", "None"]),
        (Lying(), "card", ["AssertionError", "needs_horizon"]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, EpsilonGreedy) else None,
)
def test_the_law_that_is_broken_is_named(learner: Any, law: str, facts: list[str]) -> None:
    found = run_check(learner, law)
    assert names(found, *facts), found


def test_a_card_is_a_card_and_excuses_name_checks() -> None:
    class Labelled(EpsilonGreedy):
        card: Any = "hello"

    class Misspelt(EpsilonGreedy):
        card = Card(unmet={"late_regrets": "keeps exploring"})

    with refused(ParameterError, "Labelled.card", "duelist.card.Card", "'hello'"):
        list(run_checks(Labelled()))
    with refused(UnknownNameError, "unmet", "'late_regrets'", "'late_regret'"):
        list(run_checks(Misspelt()))


@pytest.mark.parametrize(
    ("fields", "kind", "facts"),
    [
        ({"setting": "armz"}, UnknownNameError, ["setting", "'armz'", "'arms'"]),
        ({"rounds": "many"}, ParameterError, ["rounds", "1", "'many'"]),
        ({"unmet": ["replay"]}, ParameterError, ["unmet", "['replay']"]),
        ({"example": 3}, ParameterError, ["example", "3"]),
        ({"unmet": {"replay": 3}}, ParameterError, ["unmet", "'replay'", "3"]),
    ],
)
def test_a_card_that_checks_cannot_read_is_refused(
    fields: Any, kind: type[DuelistError], facts: list[str]
) -> None:
    with refused(kind, *facts):
        Card(**fields)


class Forgetful(LogisticDuels):
    """Breaks the laws in contexts."""

    def tell(self, state: Any, duel: Duel, outcome: float) -> Any:
        after = super().tell(state, duel, outcome)
        state.told[0] += 1
        return after

    def best(self, state: Any, menu: Actions) -> int:
        return 2


class Stubborn(PairwiseGradientRanker):
    """Breaks the laws of lists."""

    def ask(self, state: Any, features: Any, rng: Generator) -> Any:
        shown = super().ask(state, features, rng)
        return shown._replace(documents=(0, 0))


@pytest.mark.parametrize("law", ["tell_keeps_the_old_state", "finds_the_winner", "documentation"])
def test_a_broken_learner_in_contexts_is_found_out(law: str) -> None:
    assert run_check(Forgetful(), law).startswith("AssertionError")


def test_a_broken_learner_of_rankings_is_found_out() -> None:
    assert names(run_check(example(Stubborn), "ask_is_pure"), "AssertionError", "menu")


def test_quick_checks_leave_out_what_takes_long_runs() -> None:
    learner = LogisticDuels()
    full, quick = ([name for name, _ in yield_learner_checks(learner, quick)] for quick in (False, True))
    assert set(full) - set(quick) == set(LONG)


def test_a_result_says_what_was_wrong() -> None:
    [result] = [one for one in run_checks(Silent()) if not one.met]
    assert result[:2] == CheckResult("documentation", False, "")[:2]
    assert names(result.reason, "Notes")
