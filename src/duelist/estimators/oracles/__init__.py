"""Oracles: given what each action costs in each context, they find a policy of little total cost."""

from duelist.estimators.oracles.all_pairs import AllPairsOracle
from duelist.estimators.oracles.protocol import CountedOracle, Oracle
from duelist.estimators.oracles.regression import RegressionOracle

__all__ = ["AllPairsOracle", "CountedOracle", "Oracle", "RegressionOracle"]
