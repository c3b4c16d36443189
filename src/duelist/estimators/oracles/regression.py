"""An oracle out of any regressor: predict the costs, and choose the action whose predicted cost is least."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import require_whole
from duelist.estimators.oracles.estimators import copied, predicts_many, require_costs, require_estimator
from duelist.estimators.oracles.fitted_policies import cheapest_policy
from duelist.protocols import Policy


@dataclass(frozen=True)
class RegressionOracle:
    """Finds a policy of little cost by predicting the costs of all actions from the context.

    A regressor that predicts several numbers at once is fitted to the whole table of costs; of any other, a
    copy is fitted to each action's costs. A policy is as good as the predictions: with K actions, its cost
    exceeds the least possible by at most `sqrt(2 K e)`, where e is the mean square of how far predictions are
    from expected costs.

    Parameters
    ----------
    regressor : object
        Any regressor of scikit-learn, or alike. It is copied for every call, never changed.
    seed : int, default 0
        The `random_state` of the regressor, and of its parts, wherever it is None: equal costs give equal
        policies.

    Notes
    -----
    What linear models, decision trees, forests and gradient boosting of scikit-learn predict is followed by
    plain arrays from then on, which are fast and can be saved. A single tree keeps only the cheapest action
    of each leaf.

    A decision tree of depth D needs of the order of D n d K operations, most of them for the costs either
    side of every possible threshold: contexts with few different values in a column are learned from faster.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual Dueling Bandits. COLT.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> oracle = RegressionOracle(DecisionTreeRegressor(max_depth=4))
    >>> contexts, costs = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 1.0], [3.0, 1.0], [2.0, 1.0]])
    >>> oracle.cheapest(contexts, costs).act(contexts)
    array([0, 1, 1])
    """

    regressor: Any
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no regressor."""
        require_whole("seed", self.seed, 0)
        require_estimator("regressor", self.regressor, classifies=False)

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return the policy of least predicted cost."""
        require_costs(contexts, costs)
        k = costs.shape[1]
        if k > 1 and predicts_many(self.regressor):
            targets = [np.ascontiguousarray(costs)]
        else:
            targets = [np.ascontiguousarray(column) for column in costs.T]
        models = [copied(self.regressor, self.seed).fit(contexts, target) for target in targets]
        return cheapest_policy(models, k, contexts.shape[1])
