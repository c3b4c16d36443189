"""Oracles: given what each action costs in each context, they find a policy of little total cost."""

from duelist.estimators.oracles.protocol import CountedOracle, Oracle
from duelist.estimators.oracles.reductions import AllPairsOracle, RegressionOracle

__all__ = ["AllPairsOracle", "CountedOracle", "Oracle", "RegressionOracle"]
