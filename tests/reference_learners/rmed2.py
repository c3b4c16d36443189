import numpy as np

from duelist import RMED2
from reference_learners.rmed import ReferenceRMED2


def twin_of(learner: RMED2, k: int, rng: np.random.Generator) -> ReferenceRMED2:
    return ReferenceRMED2(k, rng, learner.scale * k**learner.exponent, learner.alpha)
