"""Conduct: the laws of asking and telling, whatever a learner learns."""

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist.checks.stages import alike, any_choice, is_on, stage_for
from duelist.duel import Duel
from duelist.protocols import Learner
from duelist.registry import hyperparameters
from duelist.study.storage import state_from_json, state_to_json

ROUNDS = 300
"""How long checks play, unless a learner that thinks long about each question says less."""


def rounds_for(learner: Learner[Any]) -> int:
    """Return how many rounds checks play with a learner."""
    return int(getattr(learner, "rounds_in_checks", ROUNDS))


def play_along(learner: Learner[Any], rounds: int, seed: int) -> tuple[list[tuple[Duel, float]], Any]:
    """Return the duels and outcomes of a run through the public protocol, and the state it ends in."""
    stage = stage_for(learner)
    rng, world_rng = default_rng([seed, 0]), default_rng([seed, 1])
    state = learner.init(stage.menu, rng)
    journal = []
    for _ in range(rounds):
        duel = learner.ask(state, stage.menu, rng)
        outcome = stage.problem.play(duel, world_rng)
        journal.append((duel, outcome))
        state = learner.tell(state, duel, outcome)
    return journal, state


def same(state: Any, other: Any) -> bool:
    """Return whether two states are equal in every array."""
    return type(state) is type(other) and all(map(np.array_equal, state, other))


def copy_of(state: Any) -> Any:
    """Return a state that shares nothing with the given one."""
    return type(state)(*[np.copy(array) for array in state])


def check_hyperparameters_survive_json(learner: Learner[Any]) -> None:
    """Demand that a learner is rebuilt from the JSON of its hyperparameters."""
    rebuilt = type(learner)(**json.loads(json.dumps(hyperparameters(learner))))
    assert rebuilt == learner, f"{rebuilt} differs from {learner}"


def check_state_survives_saving(learner: Learner[Any]) -> None:
    """Demand that a state saved as JSON in mid-run is the same when it is read again."""
    _, state = play_along(learner, rounds_for(learner), seed=3)
    fresh = learner.init(stage_for(learner).menu, default_rng(0))
    read = state_from_json(json.loads(json.dumps(state_to_json(state))), fresh)
    assert same(read, state), "the state changed on disk"


def check_ask_is_pure(learner: Learner[Any]) -> None:
    """Demand that asking leaves the state untouched, stays in the menu and hangs on the generator alone."""
    _, state = play_along(learner, rounds_for(learner), seed=1)
    menu, before = stage_for(learner).menu, copy_of(state)
    for seed in range(20):
        duel = learner.ask(state, menu, default_rng(seed))
        again = learner.ask(state, menu, default_rng(seed))
        assert alike(duel, again), "equal generators, different duels"
        assert is_on(menu, duel.left), f"{duel} leaves the menu"
        assert is_on(menu, duel.right), f"{duel} leaves the menu"
    assert same(state, before), "ask changed the state"


def check_tell_keeps_the_old_state(learner: Learner[Any]) -> None:
    """Demand that telling returns a new state, the same one every time, and leaves the old one untouched."""
    _, state = play_along(learner, rounds_for(learner), seed=2)
    before = copy_of(state)
    duel = learner.ask(state, stage_for(learner).menu, default_rng(0))
    told = learner.tell(state, duel, 1.0)
    assert same(state, before), "tell changed the state it was given"
    assert same(told, learner.tell(state, duel, 1.0)), "telling the same twice gave two states"


def check_equal_seeds_give_equal_duels(learner: Learner[Any]) -> None:
    """Demand that randomness is an argument: runs repeat, and the global generator is not touched."""
    look_at_global = vars(np.random)["get_state"]
    before = look_at_global(legacy=False)
    first, _ = play_along(learner, rounds_for(learner), seed=4)
    second, _ = play_along(learner, rounds_for(learner), seed=4)
    assert all(alike(one[0], two[0]) for one, two in zip(first, second, strict=True)), "different duels"
    after = look_at_global(legacy=False)
    assert str(before) == str(after), "the global generator was touched"


def check_replay(learner: Learner[Any]) -> None:
    """Demand that folding the journal of a run gives the state it ended in."""
    journal, state = play_along(learner, rounds_for(learner), seed=5)
    replayed = learner.init(stage_for(learner).menu, default_rng([5, 0]))
    for duel, outcome in journal:
        replayed = learner.tell(replayed, duel, outcome)
    assert same(state, replayed), "the fold of the journal is not the state"


def check_any_answer_is_accepted(learner: Learner[Any]) -> None:
    """Demand that late, shuffled, repeated, tied and unasked answers are taken, and learning goes on."""
    stage, rng, world_rng = stage_for(learner), default_rng(6), default_rng(7)
    state = learner.init(stage.menu, rng)
    for _ in range(rounds_for(learner) // 8):
        duels = [learner.ask(state, stage.menu, rng) for _ in range(10)]
        duels += [Duel(any_choice(stage.menu, rng), any_choice(stage.menu, rng)), duels[0]]
        for place in rng.permutation(len(duels)):
            outcome = 0.5 if place % 4 == 0 else stage.problem.play(duels[place], world_rng)
            state = learner.tell(state, duels[place], outcome)
    assert is_on(stage.menu, learner.best(state, stage.menu))
    assert all(np.isfinite(array).all() for array in state), "the state holds values that are not finite"


def check_swapped_sides(learner: Learner[Any]) -> None:
    """Demand that the same duel told from the other side gives the same state."""
    journal, state = play_along(learner, rounds_for(learner), seed=8)
    mirrored = learner.init(stage_for(learner).menu, default_rng([8, 0]))
    for duel, outcome in journal:
        mirrored = learner.tell(mirrored, Duel(duel.right, duel.left), 1.0 - outcome)
    assert same(state, mirrored), "swapping sides and outcome gave another state"


def check_state_does_not_grow(learner: Learner[Any]) -> None:
    """Demand that the size of the state does not depend on time."""
    _, early = play_along(learner, 10, seed=9)
    _, late = play_along(learner, 1000, seed=9)
    shapes = [[np.shape(array) for array in state] for state in (early, late)]
    assert shapes[0] == shapes[1], f"shapes went from {shapes[0]} to {shapes[1]}"


def check_compiles_once(learner: Learner[Any]) -> None:
    """Demand that a second call, with another menu and other outcomes, compiles nothing."""
    stage = stage_for(learner)
    _, state = play_along(learner, 20, seed=10)
    learner.best(state, stage.menu)
    before = signatures(learner)
    menu, rng = stage.other.menu(), default_rng(1)
    state = learner.init(menu, rng)
    for answer in (1, 0, 0.5, True, np.float64(1.0)):
        state = learner.tell(state, learner.ask(state, menu, rng), answer)
    learner.best(state, menu)
    assert signatures(learner) == before, "a kernel was compiled again"


def signatures(learner: Learner[Any]) -> list[int]:
    """Return how often each kernel was compiled; nothing for a learner without kernels."""
    kernels = getattr(learner, "kernels", getattr(learner, "point_kernels", ()))
    return [len(kernel.signatures) for kernel in kernels]


def check_documentation(learner: Learner[Any]) -> None:
    """Demand that the docstring has notes on deviations, references and an example."""
    text = inspect.getdoc(type(learner)) or ""
    for section in ("Notes", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}" in text, f"the docstring has no section {section}"
    assert ">>>" in text, "the example does not run"


def yield_conduct_checks() -> Iterator[tuple[str, Callable[[Learner[Any]], None]]]:
    """Yield the name and the function of every check of conduct."""
    for name, function in list(globals().items()):
        if name.startswith("check_"):
            yield name.removeprefix("check_"), function
