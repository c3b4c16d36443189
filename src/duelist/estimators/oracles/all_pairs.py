"""An oracle out of any classifier: let it decide every pair of actions, and choose the one that wins most."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_whole
from duelist.estimators.oracles.estimators import copied, require_costs, require_estimator, weights_argument
from duelist.estimators.oracles.fitted_policies import voting_policy
from duelist.protocols import Policy


@dataclass(frozen=True)
class AllPairsOracle:
    """Finds a policy of little cost by learning, for every pair of actions, which is the cheaper one.

    The classifier of a pair learns from every context where the two costs differ, weighted by how much. The
    policy chooses the action that wins most pairs; of several, the first.

    Parameters
    ----------
    classifier : object
        Any classifier of scikit-learn, or alike, whose fit takes `sample_weight`; a pipeline hands it to its
        last step. It is copied for every pair and call, never changed.
    seed : int, default 0
        The `random_state` of the classifier, and of its parts, wherever it is None: equal costs give equal
        policies.

    Notes
    -----
    The weight is the difference of the two costs. Beygelzimer et al. (2005) first transform the costs of a
    context, which their bound needs; here costs are estimates, which may be negative and mostly zero, and
    the plain difference keeps their weights unbiased. Weights are divided by their mean, so that what costs
    are measured in does not matter to a regularised classifier.

    A pair that is decided alike in all contexts, or never, needs no classifier. There are K (K - 1) / 2
    pairs: with many actions, `RegressionOracle` is faster.

    References
    ----------
    Beygelzimer, Dani, Hayes, Langford, Zadrozny (2005). Error Limiting Reductions Between Classification
    Tasks. ICML.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> oracle = AllPairsOracle(DecisionTreeClassifier(max_depth=4))
    >>> contexts, costs = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 1.0], [3.0, 1.0], [2.0, 1.0]])
    >>> oracle.cheapest(contexts, costs).act(contexts)
    array([0, 1, 1])
    """

    classifier: Any
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no classifier, or takes no weights."""
        require_whole("seed", self.seed, 0)
        require_estimator("classifier", self.classifier, classifies=True)
        weights_argument(self.classifier)

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return the policy of most pairs won."""
        require_costs(contexts, costs)
        k = costs.shape[1]
        if k < 2:
            raise ParameterError(f"costs must have a column for each of at least two actions; got {k}.")
        pairs = combinations(range(k), 2)
        models = [self._fit(contexts, costs[:, first] - costs[:, second]) for first, second in pairs]
        return voting_policy(models, k, contexts.shape[1])

    def _fit(self, contexts: FloatArray, gains: FloatArray) -> Any:
        """Return a classifier that predicts 1 where the second costs less, or whether it always does."""
        rows = np.flatnonzero(gains)
        second_wins = gains[rows] > 0.0
        if len(rows) == 0 or second_wins.all() or not second_wins.any():
            return bool(second_wins.any())
        weights = np.abs(gains[rows])
        weights /= weights.mean()
        telling = {weights_argument(self.classifier): weights}
        return copied(self.classifier, self.seed).fit(contexts[rows], second_wins.astype(np.int64), **telling)
