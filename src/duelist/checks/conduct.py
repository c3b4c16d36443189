"""Conduct: the laws of asking and telling, whatever a learner learns."""

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
from duelist.checks.stages import DuelStage, checks_in, play_along, stage_for
from duelist.registry import hyperparameters, rebuild
from duelist.study.live_fold import packed, unpacked


def same(state: Any, other: Any) -> bool:
    """Return whether two states are equal in every array."""
    return type(state) is type(other) and all(map(np.array_equal, state, other))


def plain_hyperparameters(learner: Any) -> Any:
    """Return a learner's hyperparameters after a way through JSON."""
    return json.loads(json.dumps(hyperparameters(learner)))


def check_card(learner: Any) -> None:
    """Demand that the card tells the truth about the constructor, and that every excuse has a reason."""
    card, accepted = card_of(learner), inspect.signature(type(learner)).parameters
    needed = "horizon" in accepted and accepted["horizon"].default is inspect.Parameter.empty
    assert card.needs_horizon == needed, "needs_horizon and the constructor do not agree"
    assert card.example.keys() <= accepted.keys(), f"no such hyperparameters: {[*card.example]}"
    assert all(card.unmet.values()), "a check is not met without a reason"


def check_hyperparameters_survive_json(learner: Any) -> None:
    """Demand that a learner is rebuilt from the JSON of its hyperparameters."""
    rebuilt = rebuild(type(learner), plain_hyperparameters(learner))
    assert plain_hyperparameters(rebuilt) == plain_hyperparameters(learner), (
        f"{rebuilt} differs from {learner}"
    )


def check_state_is_arrays(learner: Any) -> None:
    """Demand that a state is a NamedTuple of arrays."""
    _, state = play_along(learner, seed=11, rounds=1)
    assert isinstance(state, tuple), f"the state is a {type(state).__name__}, not a NamedTuple"
    assert hasattr(state, "_asdict"), "the state is a plain tuple, not a NamedTuple"
    others = [name for name, value in state._asdict().items() if not isinstance(value, np.ndarray)]
    assert not others, f"fields that are not arrays: {', '.join(others)}"


def check_state_survives_saving(learner: Any) -> None:
    """Demand that a state saved in mid-run is the same when it is read again."""
    _, state = play_along(learner, seed=3)
    read = type(state)(*[unpacked(packed(array)) for array in state])
    assert same(read, state), "the state changed on disk"


def check_ask_is_pure(learner: Any) -> None:
    """Demand that asking keeps the state, shows what is offered and depends on the generator alone."""
    _, state = play_along(learner, seed=1)
    stage, before = stage_for(learner), deepcopy(state)
    for seed in range(20):
        offer = stage.offer(default_rng(seed))
        question = learner.ask(state, offer, default_rng(seed))
        again = learner.ask(state, offer, default_rng(seed))
        assert stage.alike(question, again), "equal generators, different questions"
        assert stage.admits(offer, question), f"{question} shows what was not offered"
    assert same(state, before), "ask changed the state"


def check_tell_keeps_the_old_state(learner: Any) -> None:
    """Demand that telling returns a new state, the same one every time, and leaves the old one untouched."""
    _, state = play_along(learner, seed=2)
    stage, before = stage_for(learner), deepcopy(state)
    for seed in range(3):
        question = learner.ask(state, stage.offer(default_rng(seed)), default_rng(seed))
        answer = stage.answer(question, default_rng(seed))
        told = learner.tell(state, question, answer)
        assert same(state, before), "tell changed the state it was given"
        assert same(told, learner.tell(state, question, answer)), "telling the same twice gave two states"


def check_equal_seeds_give_equal_questions(learner: Any) -> None:
    """Demand that randomness is an argument: runs repeat, and the global generator is not touched."""
    look_at_global = vars(np.random)["get_state"]
    before = look_at_global(legacy=False)
    first, _ = play_along(learner, seed=4)
    second, _ = play_along(learner, seed=4)
    alike = stage_for(learner).alike
    assert all(alike(one[0], two[0]) for one, two in zip(first, second, strict=True)), "different questions"
    assert str(before) == str(look_at_global(legacy=False)), "the global generator was touched"


def check_replay(learner: Any) -> None:
    """Demand that folding the journal of a run gives the state it ended in."""
    journal, state = play_along(learner, seed=5)
    replayed = stage_for(learner).start(learner, default_rng([5, 0]))
    for question, answer in journal:
        replayed = learner.tell(replayed, question, answer)
    assert same(state, replayed), "the fold of the journal is not the state"


def check_any_answer_is_accepted(learner: Any) -> None:
    """Demand that late, shuffled, repeated, tied and unasked answers are taken, and learning goes on."""
    stage, rng, world_rng = stage_for(learner), default_rng(6), default_rng(7)
    state = stage.start(learner, rng)
    for _ in range(card_of(learner).rounds // 8):
        offer = stage.offer(world_rng)
        asked = [learner.ask(state, offer, rng) for _ in range(10)]
        asked += [*stage.unasked(offer, rng), asked[0]]
        for place in rng.permutation(len(asked)):
            rare = stage.odd_answers(asked[place])
            answer = rare[place // 4 % len(rare)] if place % 4 == 0 else stage.answer(asked[place], world_rng)
            state = learner.tell(state, asked[place], answer)
    assert stage.has_best(learner, state), "what is believed to be best was not offered"
    assert all(np.isfinite(array).all() for array in state), "the state holds values that are not finite"


def check_swapped_sides(learner: Any) -> None:
    """Demand that the same duel told from the other side gives the same state."""
    stage = stage_for(learner)
    if not isinstance(stage, DuelStage):
        return
    journal, state = play_along(learner, seed=8)
    mirrored = stage.start(learner, default_rng([8, 0]))
    for duel, outcome in journal:
        mirrored = learner.tell(mirrored, *stage.mirrored(duel, outcome))
    assert same(state, mirrored), "swapping sides and outcome gave another state"


def check_state_does_not_grow(learner: Any) -> None:
    """Demand that the size of the state does not depend on time."""
    states = [play_along(learner, seed=9, rounds=rounds)[1] for rounds in (10, 1_000)]
    early, late = ([np.shape(array) for array in state] for state in states)
    assert early == late, f"shapes went from {early} to {late}"


def check_compiles_once(learner: Any) -> None:
    """Demand that a second run, with another menu and answers of other types, compiles nothing."""
    _, state = play_along(learner, seed=10, rounds=20)
    stage = stage_for(learner)
    stage.has_best(learner, state)
    before = signatures(learner)
    stage, rng, world_rng = replace(stage, problem=stage.other), default_rng(1), default_rng(2)
    state = stage.start(learner, rng)
    for number in range(5):
        question = learner.ask(state, stage.offer(world_rng), rng)
        state = learner.tell(state, question, stage.odd_answers(question)[number])
    stage.has_best(learner, state)
    assert signatures(learner) == before, "a kernel was compiled again"


def signatures(learner: Any) -> list[int]:
    """Return how often each kernel was compiled of those in the modules of a learner's classes."""
    modules = dict.fromkeys(kind.__module__ for kind in type(learner).__mro__)
    functions = [value for name in modules for value in vars(sys.modules[name]).values()]
    return [len(function.signatures) for function in functions if hasattr(function, "signatures")]


def check_documentation(learner: Any) -> None:
    """Demand that the docstring has notes on deviations, references and an example."""
    text = inspect.getdoc(type(learner)) or ""
    for section in ("Notes", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}" in text, f"the docstring has no section {section}"
    assert ">>>" in text, "the example does not run"


def yield_conduct_checks() -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Yield the name and the function of every check of conduct."""
    return checks_in(globals())
