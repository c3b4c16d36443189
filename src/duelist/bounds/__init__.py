"""Bounds: the regret that no learner can beat, and the regret that some are proven not to exceed."""

from duelist.bounds.asymptotic import asymptotic_lower_bound, bernoulli_divergence
from duelist.bounds.upper import gradient_descent_upper_bound, sparring_exp4p_upper_bound

__all__ = [
    "asymptotic_lower_bound",
    "bernoulli_divergence",
    "gradient_descent_upper_bound",
    "sparring_exp4p_upper_bound",
]
