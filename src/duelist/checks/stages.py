"""Where a learner is put to the test: a small problem of the setting that its card names."""

from typing import Any

from numpy.random import default_rng

from duelist.card import Setting, card_of
from duelist.checks.duel_stages import ARMS, CONTEXTS, POINTS, DuelStage
from duelist.checks.list_stage import LISTS, ListStage
from duelist.checks.trials import Effort, Plan
from duelist.registry import LEARNERS

STAGES: dict[Setting, DuelStage | ListStage] = {
    "arms": ARMS,
    "points of a space": POINTS,
    "contexts": CONTEXTS,
    "rankings": LISTS,
}


def stage_for(learner: object) -> DuelStage | ListStage:
    """Return the stage that a learner plays on, by its card."""
    return STAGES[card_of(learner).setting]


def play_along(learner: Any, seed: int, rounds: int | None = None) -> tuple[list[tuple[Any, Any]], Any]:
    """Return the questions and answers of a run through the public protocol, and the state it ends in."""
    stage = stage_for(learner)
    rng, world_rng = default_rng([seed, 0]), default_rng([seed, 1])
    state = stage.start(learner, rng)
    journal = []
    for _ in range(card_of(learner).rounds if rounds is None else rounds):
        question = learner.ask(state, stage.offer(world_rng), rng)
        answer = stage.answer(question, world_rng)
        journal.append((question, answer))
        state = learner.tell(state, question, answer)
    return journal, state


def warm(name: str) -> str:
    """Play a learner of the registry, simulated and through ask and tell, and return its name."""
    kind = LEARNERS[name]
    learner = kind(**kind.card.example)
    rounds = min(40, kind.card.rounds)
    stage = stage_for(learner)
    stage.play(learner, Plan(name=name, effort=Effort(runs=1, rounds=rounds, least=0.0), seed=0))
    _, state = play_along(learner, rounds=3, seed=0)
    stage.has_best(learner, state)
    return name
