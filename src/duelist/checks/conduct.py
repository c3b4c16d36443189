"""Checks of conduct: the rules of asking and telling for learners of every setting."""

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist.card import card_of
from duelist.checks.environments import DuelEnvironment, checks_in, environment_for, play_along
from duelist.registry import hyperparameters, rebuild
from duelist.study.live_fold import packed, unpacked


def same(state: Any, other: Any) -> bool:
    return type(state) is type(other) and all(map(np.array_equal, state, other))


def plain_hyperparameters(learner: Any) -> Any:
    return json.loads(json.dumps(hyperparameters(learner)))


def check_card(learner: Any) -> None:
    """Check that the card agrees with the constructor, and that every unmet check has a reason."""
    card, accepted = card_of(learner), inspect.signature(type(learner)).parameters
    needed = "horizon" in accepted and accepted["horizon"].default is inspect.Parameter.empty
    assert card.needs_horizon == needed, "needs_horizon of the card disagrees with the constructor"
    assert card.example.keys() <= accepted.keys(), (
        f"the card's example has unknown hyperparameters: {[*card.example.keys() - accepted.keys()]}"
    )
    assert all(card.unmet.values()), "unmet of the card has a check without a reason"


def check_hyperparameters_survive_json(learner: Any) -> None:
    """Check that a learner can be rebuilt from the JSON of its hyperparameters."""
    rebuilt = rebuild(type(learner), plain_hyperparameters(learner))
    assert plain_hyperparameters(rebuilt) == plain_hyperparameters(learner), (
        f"rebuilt from JSON, {learner} became {rebuilt}"
    )


def check_state_is_arrays(learner: Any) -> None:
    """Check that a state is a NamedTuple of arrays."""
    _, state = play_along(learner, seed=11, rounds=1)
    assert isinstance(state, tuple), f"the state is of type {type(state).__name__}, not a NamedTuple"
    assert hasattr(state, "_asdict"), "the state is a plain tuple, not a NamedTuple"
    others = [name for name, value in state._asdict().items() if not isinstance(value, np.ndarray)]
    assert not others, f"fields that are not arrays: {', '.join(others)}"


def check_state_survives_saving(learner: Any) -> None:
    """Check that a state saved in mid-run is unchanged when loaded."""
    _, state = play_along(learner, seed=3)
    read = type(state)(*[unpacked(packed(array)) for array in state])
    assert same(read, state), "the state changed when it was saved and loaded"


def check_ask_is_pure(learner: Any) -> None:
    """Check that ask keeps the state, chooses from the menu and depends only on the generator."""
    _, state = play_along(learner, seed=1)
    environment, before = environment_for(learner), deepcopy(state)
    for seed in range(20):
        menu = environment.menu(default_rng(seed))
        question = learner.ask(state, menu, default_rng(seed))
        again = learner.ask(state, menu, default_rng(seed))
        assert environment.alike(question, again), "ask gave different questions for equal generators"
        assert environment.admits(menu, question), f"{question} has a choice that is not on the menu"
    assert same(state, before), "ask changed the state"


def check_tell_keeps_the_old_state(learner: Any) -> None:
    """Check that tell is deterministic, returns a new state and leaves the old one unchanged."""
    _, state = play_along(learner, seed=2)
    environment, before = environment_for(learner), deepcopy(state)
    for seed in range(3):
        question = learner.ask(state, environment.menu(default_rng(seed)), default_rng(seed))
        answer = environment.answer(question, default_rng(seed))
        after = learner.tell(state, question, answer)
        assert same(state, before), "tell changed the state it was given"
        assert same(after, learner.tell(state, question, answer)), "tell gave different states for one answer"


def check_equal_seeds_give_equal_questions(learner: Any) -> None:
    """Check that runs with equal seeds are equal, and that the global generator is not used."""
    look_at_global = vars(np.random)["get_state"]
    before = look_at_global(legacy=False)
    first, _ = play_along(learner, seed=4)
    second, _ = play_along(learner, seed=4)
    alike = environment_for(learner).alike
    assert all(alike(one[0], two[0]) for one, two in zip(first, second, strict=True)), (
        "ask gave different questions for equal seeds"
    )
    assert str(before) == str(look_at_global(legacy=False)), "the learner used NumPy's global generator"


def check_replay(learner: Any) -> None:
    """Check that replaying the journal of a run gives its final state."""
    journal, state = play_along(learner, seed=5)
    replayed = environment_for(learner).start(learner, default_rng([5, 0]))
    for question, answer in journal:
        replayed = learner.tell(replayed, question, answer)
    assert same(state, replayed), "replaying the journal gave another state"


def check_any_answer_is_accepted(learner: Any) -> None:
    """Check that late, shuffled, repeated, tied and unasked answers are accepted, and learning continues."""
    environment, rng, world_rng = environment_for(learner), default_rng(6), default_rng(7)
    state = environment.start(learner, rng)
    for _ in range(card_of(learner).rounds // 8):
        menu = environment.menu(world_rng)
        asked = [learner.ask(state, menu, rng) for _ in range(10)]
        asked += [*environment.unasked(menu, rng), asked[0]]
        for i in rng.permutation(len(asked)):
            rare = environment.odd_answers(asked[i])
            answer = rare[i // 4 % len(rare)] if i % 4 == 0 else environment.answer(asked[i], world_rng)
            state = learner.tell(state, asked[i], answer)
    assert environment.has_best(learner, state), "best is not on the menu"
    assert all(np.isfinite(array).all() for array in state), "the state has values that are not finite"


def check_swapped_sides(learner: Any) -> None:
    """Check that swapping the sides of a duel and its outcome gives the same state."""
    environment = environment_for(learner)
    if not isinstance(environment, DuelEnvironment):
        return
    journal, state = play_along(learner, seed=8)
    mirrored = environment.start(learner, default_rng([8, 0]))
    for duel, outcome in journal:
        mirrored = learner.tell(mirrored, *environment.mirrored(duel, outcome))
    assert same(state, mirrored), "swapping sides and outcome gave a different state"


def check_state_does_not_grow(learner: Any) -> None:
    """Check that the size of the state does not grow with the number of rounds."""
    states = [play_along(learner, seed=9, rounds=rounds)[1] for rounds in (10, 1_000)]
    early, late = ([np.shape(array) for array in state] for state in states)
    assert early == late, f"after more rounds, the shapes of the state grew from {early} to {late}"


def check_compiles_once(learner: Any) -> None:
    """Check that a second run, with another menu and answers of other types, compiles nothing."""
    _, state = play_along(learner, seed=10, rounds=20)
    environment = environment_for(learner)
    environment.has_best(learner, state)
    before = signatures(learner)
    environment, rng, world_rng = (
        replace(environment, problem=environment.other),
        default_rng(1),
        default_rng(2),
    )
    state = environment.start(learner, rng)
    for number in range(5):
        question = learner.ask(state, environment.menu(world_rng), rng)
        state = learner.tell(state, question, environment.odd_answers(question)[number])
    environment.has_best(learner, state)
    assert signatures(learner) == before, "a kernel was compiled again for another menu or type of answer"


def signatures(learner: Any) -> list[int]:
    """Return how often each kernel in the modules of a learner's classes was compiled."""
    modules = dict.fromkeys(kind.__module__ for kind in type(learner).__mro__)
    functions = [value for name in modules for value in vars(sys.modules[name]).values()]
    return [len(function.signatures) for function in functions if hasattr(function, "signatures")]


def check_documentation(learner: Any) -> None:
    """Check that the docstring has Notes, References and an example."""
    text = inspect.getdoc(type(learner)) or ""
    for section in ("Notes", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}" in text, f"the docstring has no {section} section"
    assert ">>>" in text, "the docstring's example has no >>> lines"


def yield_conduct_checks() -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Yield the name and the function of every check of conduct.

    Yields
    ------
    tuple of str and callable
        A check takes a learner and raises AssertionError if the learner breaks a rule.

    Examples
    --------
    >>> from duelist import RUCB
    >>> dict(yield_conduct_checks())["ask_is_pure"](RUCB())
    """
    return checks_in(globals())
