"""Click models: people who browse pages, logs of their clicks, and models fitted to logs.

Examples
--------
>>> navigational(grades=3).chances([2, 0, 2]).round(3)
array([0.95 , 0.007, 0.136])
"""

from duelist.problems.clicks.cascade import (
    CLICK_MODELS,
    cascade,
    informational,
    navigational,
    perfect,
    random_clicks,
)
from duelist.problems.clicks.dependent_click import dependent_click, fit_dependent_click
from duelist.problems.clicks.fitted import FittedClicks
from duelist.problems.clicks.held_out import HeldOut, compare_fits
from duelist.problems.clicks.log import ClickLog
from duelist.problems.clicks.log_files import read_click_log
from duelist.problems.clicks.model import ClickModel
from duelist.problems.clicks.position_based import fit_position_based, position_based
from duelist.problems.clicks.simulated_log import simulate_log
from duelist.problems.clicks.user_browsing import fit_user_browsing, user_browsing

__all__ = [
    "CLICK_MODELS",
    "ClickLog",
    "ClickModel",
    "FittedClicks",
    "HeldOut",
    "cascade",
    "compare_fits",
    "dependent_click",
    "fit_dependent_click",
    "fit_position_based",
    "fit_user_browsing",
    "informational",
    "navigational",
    "perfect",
    "position_based",
    "random_clicks",
    "read_click_log",
    "simulate_log",
    "user_browsing",
]
