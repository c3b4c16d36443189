# Written by `make derived` from duelist.registry.

from duelist import assumptions as assumptions
from duelist import bounds as bounds
from duelist import clicks as clicks
from duelist import errors as errors
from duelist import interleaving as interleaving
from duelist import metrics as metrics
from duelist import problems as problems
from duelist import ranking as ranking
from duelist import ratings as ratings
from duelist import stopping as stopping
from duelist import winners as winners
from duelist.analysis import Analysis as Analysis
from duelist.analysis import Leaderboard as Leaderboard
from duelist.analysis import analyze as analyze
from duelist.card import Card as Card
from duelist.client import AsyncClient as AsyncClient
from duelist.client import Client as Client
from duelist.database import Database as Database
from duelist.duel import Duel as Duel
from duelist.estimators.sparring_fpl import SparringFPL as SparringFPL
from duelist.estimators.sparring_pgd import SparringPGD as SparringPGD
from duelist.learners.armed.auto import Auto as Auto
from duelist.learners.armed.beat_the_mean import BeatTheMean as BeatTheMean
from duelist.learners.armed.double_thompson import DoubleThompsonSampling as DoubleThompsonSampling
from duelist.learners.armed.interleaved_filter import InterleavedFilter1 as InterleavedFilter1
from duelist.learners.armed.interleaved_filter import InterleavedFilter2 as InterleavedFilter2
from duelist.learners.armed.rmed import RMED1 as RMED1
from duelist.learners.armed.rmed import RMED2 as RMED2
from duelist.learners.armed.rmed import RMED2FH as RMED2FH
from duelist.learners.armed.rucb import RUCB as RUCB
from duelist.learners.armed.savage import CondorcetSavage as CondorcetSavage
from duelist.learners.armed.top_two import TopTwoBradleyTerry as TopTwoBradleyTerry
from duelist.learners.armed.uniform import Uniform as Uniform
from duelist.learners.armed.widest_interval import WidestInterval as WidestInterval
from duelist.learners.contextual.following import FollowMixture as FollowMixture
from duelist.learners.contextual.logistic import LogisticDuels as LogisticDuels
from duelist.learners.contextual.sparring_exp4p import SparringEXP4P as SparringEXP4P
from duelist.learners.continuous.gradient_descent import (
    DuelingBanditGradientDescent as DuelingBanditGradientDescent,
)
from duelist.learners.continuous.multileaving import (
    MultileavingGradientDescent as MultileavingGradientDescent,
)
from duelist.learners.continuous.preferential_optimization import (
    PreferentialOptimization as PreferentialOptimization,
)
from duelist.learners.ranking.dueling import DuelingGradientRanker as DuelingGradientRanker
from duelist.learners.ranking.multileaving import MultileavingGradientRanker as MultileavingGradientRanker
from duelist.learners.ranking.pairwise import PairwiseGradientRanker as PairwiseGradientRanker
from duelist.logs import DuelLog as DuelLog
from duelist.logs import load_duels as load_duels
from duelist.menus import Actions as Actions
from duelist.menus import Arms as Arms
from duelist.menus import Ball as Ball
from duelist.menus import Box as Box
from duelist.menus import Documents as Documents
from duelist.menus import Impression as Impression
from duelist.menus import Sphere as Sphere
from duelist.policies.mixture import PolicyMixture as PolicyMixture
from duelist.problems import MatrixProblem as MatrixProblem
from duelist.problems import RankerDuel as RankerDuel
from duelist.problems import RankingProblem as RankingProblem
from duelist.problems import UtilityProblem as UtilityProblem
from duelist.replaying import ReplayResult as ReplayResult
from duelist.replaying import replay as replay
from duelist.simulation import Result as Result
from duelist.simulation import Runs as Runs
from duelist.simulation import simulate as simulate
from duelist.stopping import Verdict as Verdict
from duelist.study import Arm as Arm
from duelist.study import Parameter as Parameter
from duelist.study import Study as Study
from duelist.votes import Votes as Votes
from duelist.votes import load_votes as load_votes

__all__ = [
    "RMED1",
    "RMED2",
    "RMED2FH",
    "RUCB",
    "Actions",
    "Analysis",
    "Arm",
    "Arms",
    "AsyncClient",
    "Auto",
    "Ball",
    "BeatTheMean",
    "Box",
    "Card",
    "Client",
    "CondorcetSavage",
    "Database",
    "Documents",
    "DoubleThompsonSampling",
    "Duel",
    "DuelLog",
    "DuelingBanditGradientDescent",
    "DuelingGradientRanker",
    "FollowMixture",
    "Impression",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "Leaderboard",
    "LogisticDuels",
    "MatrixProblem",
    "MultileavingGradientDescent",
    "MultileavingGradientRanker",
    "PairwiseGradientRanker",
    "Parameter",
    "PolicyMixture",
    "PreferentialOptimization",
    "RankerDuel",
    "RankingProblem",
    "ReplayResult",
    "Result",
    "Runs",
    "SparringEXP4P",
    "SparringFPL",
    "SparringPGD",
    "Sphere",
    "Study",
    "TopTwoBradleyTerry",
    "Uniform",
    "UtilityProblem",
    "Verdict",
    "Votes",
    "WidestInterval",
    "analyze",
    "assumptions",
    "bounds",
    "clicks",
    "errors",
    "interleaving",
    "load_duels",
    "load_votes",
    "metrics",
    "problems",
    "ranking",
    "ratings",
    "replay",
    "simulate",
    "stopping",
    "winners",
]

__version__: str
