"""Oracles: given what each action costs in each context, they find a policy of little total cost."""

from duelist.learners.contextual.oracles.all_pairs import AllPairsOracle
from duelist.learners.contextual.oracles.protocol import CountedOracle, Oracle
from duelist.learners.contextual.oracles.regression import RegressionOracle

__all__ = ["AllPairsOracle", "CountedOracle", "Oracle", "RegressionOracle"]
