"""Oracles by name, with models of scikit-learn that suit most logs."""

from duelist.errors import UnknownNameError, require_whole
from duelist.estimators.oracles.estimators import scikit_learn
from duelist.estimators.oracles.regression import RegressionOracle

ORACLES = {
    "tree": ("tree", "DecisionTreeRegressor", True),
    "linear": ("linear_model", "Ridge", False),
    "boosting": ("ensemble", "GradientBoostingRegressor", True),
}
"""For each name: the part of scikit-learn, the model, and whether it has a depth."""


def named_oracle(name: str, depth: int = 4) -> RegressionOracle:
    """Return an oracle that predicts what each action costs; `depth` is for models made of trees.

    Examples
    --------
    >>> named_oracle("tree", depth=2)  # doctest: +SKIP
    RegressionOracle(estimator=DecisionTreeRegressor(max_depth=2))
    """
    require_whole("depth", depth, 1)
    if name not in ORACLES:
        raise UnknownNameError("oracle", name, ORACLES)
    part, model, deep = ORACLES[name]
    return RegressionOracle(getattr(scikit_learn(part), model)(**({"max_depth": depth} if deep else {})))
