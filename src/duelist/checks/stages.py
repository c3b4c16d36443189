"""Where a learner is put to the test: a small problem of the setting that its card names."""

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.random import Generator

from duelist.card import Setting, card_of
from duelist.checks.duel_stages import ARMS, CONTEXTS, POINTS
from duelist.checks.list_stage import LISTS
from duelist.checks.trials import Effort, Plan, Trial


class Stage(Protocol):
    """How a learner is started, asked and told in a setting; it asks by duels, or by lists for queries."""

    @property
    def full(self) -> Effort:
        """How much is played when time does not matter."""
        ...

    @property
    def quick(self) -> Effort:
        """How much is played when a learner is tried out."""
        ...

    @property
    def late_share(self) -> float:
        """What a late round may cost of an early one."""
        ...

    def elsewhere(self) -> "Stage":
        """Return a stage of the same kind with another menu."""
        ...

    def start(self, learner: Any, rng: Generator) -> Any:
        """Return a learner's first state."""
        ...

    def offer(self, world_rng: Generator) -> Any:
        """Return what may be chosen in a round."""
        ...

    def answer(self, question: Any, world_rng: Generator) -> Any:
        """Return an outcome, or the documents that are clicked."""
        ...

    def odd_answers(self, question: Any) -> Sequence[Any]:
        """Return answers of every type, the rare ones too."""
        ...

    def unasked(self, offer: Any, rng: Generator) -> list[Any]:
        """Return questions that the learner did not ask."""
        ...

    def admits(self, offer: Any, question: Any) -> bool:
        """Return whether a question shows only what was offered."""
        ...

    def alike(self, one: Any, other: Any) -> bool:
        """Return whether two questions show the same."""
        ...

    def has_best(self, learner: Any, state: Any) -> bool:
        """Return whether what the learner believes to be best can be chosen."""
        ...

    def play(self, learner: Any, plan: Plan) -> Trial:
        """Return what comes of a learner's runs on an easy problem."""
        ...


STAGES: dict[Setting, Stage] = {
    "arms": ARMS,
    "points of a space": POINTS,
    "contexts": CONTEXTS,
    "rankings": LISTS,
}


def stage_for(learner: object) -> Stage:
    """Return the stage that a learner plays on, by its card."""
    return STAGES[card_of(learner).setting]
