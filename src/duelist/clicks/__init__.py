"""Click models: simulated users who read pages and click, click logs, and models fitted to logs."""

from collections.abc import Callable

from duelist.clicks.browsing import fit_position_based, fit_user_browsing, position_based, user_browsing
from duelist.clicks.cascade import cascade, informational, navigational, perfect, random_clicks
from duelist.clicks.dependent_click import dependent_click, fit_dependent_click
from duelist.clicks.fitted import FittedClicks, HeldOut, compare_fits
from duelist.clicks.log import ClickLog, read_click_log, simulate_log
from duelist.clicks.model import TableClickModel
from duelist.clicks.user import click_through

__all__ = [
    "CLICK_MODELS",
    "ClickLog",
    "FittedClicks",
    "HeldOut",
    "TableClickModel",
    "cascade",
    "click_through",
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

CLICK_MODELS: dict[str, Callable[[int], TableClickModel]] = {
    "perfect": perfect,
    "navigational": navigational,
    "informational": informational,
}
"""The standard click models by name; each takes the number of grades."""
