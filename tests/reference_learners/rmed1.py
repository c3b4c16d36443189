import numpy as np

from duelist import RMED1
from reference_learners.rmed import ReferenceRMED


def twin_of(learner: RMED1, k: int, rng: np.random.Generator) -> ReferenceRMED:
    return ReferenceRMED(k, rng, learner.scale * k**learner.exponent)
