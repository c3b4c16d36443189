"""Learning to rank: data, ranking metrics, and supervised rankers as references."""

from duelist.ranking.dataset import RankingData, synthetic_ranking_data
from duelist.ranking.lambdamart import TreeRanker, fit_lambdamart
from duelist.ranking.linear import LinearRanker
from duelist.ranking.loading import load_ranking_data
from duelist.ranking.metrics import average_precision, err, ndcg, precision, reciprocal_rank
from duelist.ranking.ranking_svm import fit_ranking_svm

__all__ = [
    "LinearRanker",
    "RankingData",
    "TreeRanker",
    "average_precision",
    "err",
    "fit_lambdamart",
    "fit_ranking_svm",
    "load_ranking_data",
    "ndcg",
    "precision",
    "reciprocal_rank",
    "synthetic_ranking_data",
]
