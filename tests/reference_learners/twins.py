"""Which reference stands beside which learner."""

from typing import Any, Protocol

import numpy as np

from duelist import RUCB, BeatTheMean, CondorcetSavage, InterleavedFilter1, InterleavedFilter2, Uniform
from duelist.kernels.loop import CompiledLearner
from duelist.protocols import Learner
from reference_learners.beat_the_mean import ReferenceBeatTheMean
from reference_learners.interleaved_filter import ReferenceInterleavedFilter
from reference_learners.rucb import ReferenceRUCB
from reference_learners.savage import ReferenceSavage
from reference_learners.uniform import ReferenceUniform


class ArmedLearner(Learner[Any], CompiledLearner, Protocol):
    """A learner of the package."""


class Reference(Protocol):
    """A learner that remembers by itself what it was told."""

    def ask(self, rng: np.random.Generator) -> tuple[int, int]: ...

    def tell(self, left: int, right: int, outcome: float) -> None: ...

    def best(self) -> int: ...


def twin(learner: ArmedLearner, k: int, rng: np.random.Generator) -> Reference:
    """Return a reference with the learner's hyperparameters."""
    if isinstance(learner, RUCB):
        return ReferenceRUCB(k, rng, learner.alpha)
    if isinstance(learner, InterleavedFilter1):
        return ReferenceInterleavedFilter(k, rng, learner.horizon, learner.factor, prunes=False)
    if isinstance(learner, InterleavedFilter2):
        return ReferenceInterleavedFilter(k, rng, learner.horizon, learner.factor, prunes=True)
    if isinstance(learner, BeatTheMean):
        return ReferenceBeatTheMean(k, rng, learner.horizon, learner.gamma)
    if isinstance(learner, CondorcetSavage):
        delta = 1 / learner.horizon if learner.delta is None else learner.delta
        return ReferenceSavage(k, rng, learner.horizon, delta)
    if isinstance(learner, Uniform):
        return ReferenceUniform(k, rng)
    raise TypeError(f"no reference for {learner!r}")
