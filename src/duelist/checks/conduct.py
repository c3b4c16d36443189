"""Conduct: the laws of asking and telling, whatever a learner learns."""

import inspect
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist.catalog import hyperparameters
from duelist.menus import Arms
from duelist.problems import bradley_terry
from duelist.protocols import Learner
from duelist.rounds import CompiledLearner
from duelist.study import Study
from duelist.types import Duel

MENU = Arms(5)
PROBLEM = bradley_terry([5.0, 4.0, 3.0, 2.0, 1.0])
ROUNDS = 300


def play_along(learner: Learner[Any], rounds: int, seed: int) -> tuple[list[tuple[Duel, float]], Any]:
    """Return the duels and outcomes of a run through the public protocol, and the state it ends in."""
    rng, nature = default_rng([seed, 0]), default_rng([seed, 1])
    state = learner.init(MENU, rng)
    journal = []
    for _ in range(rounds):
        duel = learner.ask(state, MENU, rng)
        outcome = PROBLEM.play(duel, nature)
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
    """Demand that a study saved in mid-run goes on as if nothing had happened."""
    study = Study(learner, arms=["a", "b", "c", "d", "e"], seed=3)
    for turn in range(ROUNDS):
        study.tell(study.ask(), ("left", "right", "tie")[turn % 3])
    with tempfile.TemporaryDirectory() as folder:
        loaded = Study.load(study.save(Path(folder) / "study.json"), learner)
    assert same(loaded.state, study.state), "the state changed on disk"
    assert [loaded.ask() for _ in range(10)] == [study.ask() for _ in range(10)], "the next duels differ"
    assert loaded.best() == study.best()


def check_ask_is_pure(learner: Learner[Any]) -> None:
    """Demand that asking leaves the state untouched, stays in the menu and hangs on the generator alone."""
    _, state = play_along(learner, ROUNDS, seed=1)
    before = copy_of(state)
    for seed in range(20):
        duel = learner.ask(state, MENU, default_rng(seed))
        assert duel == learner.ask(state, MENU, default_rng(seed)), "equal generators, different duels"
        assert 0 <= duel.left < MENU.k, f"{duel} leaves the menu"
        assert 0 <= duel.right < MENU.k, f"{duel} leaves the menu"
    assert same(state, before), "ask changed the state"


def check_tell_keeps_the_old_state(learner: Learner[Any]) -> None:
    """Demand that telling returns a new state, the same one every time, and leaves the old one untouched."""
    _, state = play_along(learner, ROUNDS, seed=2)
    before = copy_of(state)
    duel = learner.ask(state, MENU, default_rng(0))
    told = learner.tell(state, duel, 1.0)
    assert same(state, before), "tell changed the state it was given"
    assert same(told, learner.tell(state, duel, 1.0)), "telling the same twice gave two states"


def check_equal_seeds_give_equal_duels(learner: Learner[Any]) -> None:
    """Demand that randomness is an argument: runs repeat, and the global generator is not touched."""
    look_at_global = vars(np.random)["get_state"]
    before = look_at_global(legacy=False)
    first, _ = play_along(learner, ROUNDS, seed=4)
    second, _ = play_along(learner, ROUNDS, seed=4)
    assert first == second, "equal seeds, different duels"
    after = look_at_global(legacy=False)
    assert str(before) == str(after), "the global generator was touched"


def check_replay(learner: Learner[Any]) -> None:
    """Demand that folding the journal of a run gives the state it ended in."""
    journal, state = play_along(learner, ROUNDS, seed=5)
    replayed = learner.init(MENU, default_rng([5, 0]))
    for duel, outcome in journal:
        replayed = learner.tell(replayed, duel, outcome)
    assert same(state, replayed), "the fold of the journal is not the state"


def check_any_answer_is_accepted(learner: Learner[Any]) -> None:
    """Demand that late, shuffled, repeated, tied and unasked answers are taken, and learning goes on."""
    rng, nature = default_rng(6), default_rng(7)
    state = learner.init(MENU, rng)
    for _ in range(40):
        duels = [learner.ask(state, MENU, rng) for _ in range(10)]
        left, right = rng.integers(0, MENU.k, 2).tolist()
        duels += [Duel(left, right), duels[0]]
        for place in rng.permutation(len(duels)):
            outcome = 0.5 if place % 4 == 0 else PROBLEM.play(duels[place], nature)
            state = learner.tell(state, duels[place], outcome)
    assert 0 <= learner.best(state, MENU) < MENU.k
    assert all(np.isfinite(array).all() for array in state), "the state holds values that are not finite"


def check_swapped_sides(learner: Learner[Any]) -> None:
    """Demand that the same duel told from the other side gives the same state."""
    journal, state = play_along(learner, ROUNDS, seed=8)
    mirrored = learner.init(MENU, default_rng([8, 0]))
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
    """Demand that a second call, with other arms and outcomes, compiles nothing."""
    if not isinstance(learner, CompiledLearner):
        return
    _, state = play_along(learner, 20, seed=10)
    learner.best(state, MENU)
    kernels = [getattr(learner.kernels, name) for name in ("ask", "tell", "best")]
    before = [len(kernel.signatures) for kernel in kernels]
    study = Study(learner, arms=["a", "b", "c"], seed=1)
    for answer in ("left", 0, 1, 0.5, True, np.float64(1.0)):
        study.tell(study.ask(), answer)
    study.best()
    assert [len(kernel.signatures) for kernel in kernels] == before, "a kernel was compiled again"


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
