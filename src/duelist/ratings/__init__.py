"""Ratings of arms from pairwise votes, with confidence intervals and rank ranges.

Examples
--------
>>> fit_bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]).rank_high.tolist()
[2, 3, 3]
"""

from duelist.ratings.fitting import fit_bradley_terry
from duelist.ratings.plackett import fit_plackett_luce
from duelist.ratings.result import Contrast, Effect, RatedArm, Ratings
from duelist.ratings.sequential import elo

__all__ = ["Contrast", "Effect", "RatedArm", "Ratings", "elo", "fit_bradley_terry", "fit_plackett_luce"]
