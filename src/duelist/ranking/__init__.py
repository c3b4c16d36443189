"""Learning to rank: data, measures of a ranking, and supervised rankers to compare with."""

from duelist.ranking.dataset import RankingData

__all__ = ["RankingData"]
