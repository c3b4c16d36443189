"""Small runs of every learner, so that whatever is called first has been compiled."""

from duelist.checks.conduct import play_along
from duelist.checks.stages import stage_for
from duelist.checks.trials import Effort, Plan
from duelist.registry import LEARNERS

ROUNDS = 40


def warm(name: str) -> str:
    """Play a learner of the registry, simulated and through ask and tell, and return its name."""
    kind = LEARNERS[name]
    learner = kind(**kind.card.example)
    rounds = min(ROUNDS, kind.card.rounds)
    stage = stage_for(learner)
    stage.play(learner, Plan(name=name, effort=Effort(runs=1, rounds=rounds, least=0.0), seed=0))
    _, state = play_along(learner, rounds=3, seed=0)
    stage.has_best(learner, state)
    return name
