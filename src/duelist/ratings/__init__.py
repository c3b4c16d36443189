"""Ratings of arms from votes between them, with intervals and ranges of ranks.

Examples
--------
>>> bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).rank_high.tolist()
[2, 3, 3]
"""

from duelist.ratings.fitting import bradley_terry
from duelist.ratings.plackett import plackett_luce
from duelist.ratings.result import Contrast, Effect, RatedArm, Ratings
from duelist.ratings.sequential import elo

__all__ = ["Contrast", "Effect", "RatedArm", "Ratings", "bradley_terry", "elo", "plackett_luce"]
