"""Estimators: they learn a mixture of policies from a log of duels."""

from duelist.estimators.exploration import estimation_error, explore_rounds
from duelist.estimators.game import CompactGame, CountedOracle, Oracle
from duelist.estimators.oracles import AllPairsOracle, RegressionOracle
from duelist.estimators.sparring_fpl import SparringFPL
from duelist.estimators.sparring_pgd import SparringPGD

__all__ = [
    "AllPairsOracle",
    "CompactGame",
    "CountedOracle",
    "Oracle",
    "RegressionOracle",
    "SparringFPL",
    "SparringPGD",
    "estimation_error",
    "explore_rounds",
]
