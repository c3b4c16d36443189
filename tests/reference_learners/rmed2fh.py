from math import ceil, e, log

import numpy as np

from duelist import RMED2FH
from reference_learners.rmed import ReferenceRMED2FH


def twin_of(learner: RMED2FH, k: int, rng: np.random.Generator) -> ReferenceRMED2FH:
    draws = max(1, ceil(learner.alpha * log(log(max(learner.horizon, e)))))
    return ReferenceRMED2FH(k, rng, learner.scale * k**learner.exponent, learner.alpha, draws)
