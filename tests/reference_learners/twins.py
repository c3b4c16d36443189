"""Find the reference of a learner: `twin_of` in the file with the same name."""

from importlib import import_module
from typing import Any, Protocol

import numpy as np

from duelist.kernels.loop import CompiledLearner
from duelist.protocols import Learner


class ArmedLearner(Learner[Any], CompiledLearner, Protocol):
    """A learner of the package."""


class Reference(Protocol):
    """A reference, which stores its state in attributes."""

    def ask(self, rng: np.random.Generator) -> tuple[int, int]: ...

    def tell(self, left: int, right: int, outcome: float) -> None: ...

    def best(self) -> int: ...


def twin(learner: Learner[Any], k: int, rng: np.random.Generator) -> Reference:
    """Return a reference with the learner's hyperparameters."""
    file = type(learner).__module__.rpartition(".")[2]
    reference: Reference = import_module(f"reference_learners.{file}").twin_of(learner, k, rng)
    return reference
