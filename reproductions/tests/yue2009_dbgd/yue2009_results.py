"""Hand-made results: what a paper-sized sweep would return, with numbers chosen by the test."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from made import make_results

from duelist.laboratory.items import Item
from duelist.laboratory.work import Arrays, ItemResults, Scale
from duelist_reproductions.yue2009_dbgd import PAPER

ITEMS: Mapping[str, Item] = {item.name: item for item in PAPER.items}


def made(
    item: str, arrays: Callable[[Mapping[str, Any]], Arrays], scale: Scale = Scale.PAPER, real: bool = True
) -> ItemResults:
    """Return results of all that an item plans, stage after stage, made of settings by a function."""
    return make_results(ITEMS[item], lambda piece: arrays(piece.setting), scale, real)


def paper_cells(setting: Mapping[str, Any]) -> Arrays:
    """Return what the paper's Table 1 says, half as much again with fewer rounds, in runs 1% apart."""
    expected = PAPER.expected["table1"]
    if "points" in setting:
        return {"regret": np.ones((len(setting["problems"]), setting["points"]))}
    if "factors" in setting:
        return {"regret": np.full((len(setting["factors"]), setting["runs"]), 0.4)}
    factors, row = expected["factors"], expected["problems"].index(setting["problem"])
    nearest = min(max(setting["factor"], min(factors)), max(factors))
    value = expected["claims"]["cells"]["paper"][row][factors.index(nearest)]
    if setting["factor"] != nearest:
        value += 0.01
    if setting["horizon"] == 10**5:
        value *= 1.5
    apart = 1.0 + 0.01 * (np.arange(setting["runs"]) - (setting["runs"] - 1) / 2)
    return {"rounds": np.array([setting["horizon"]]), "regret": value * apart[:, np.newaxis]}


def fine_curves(setting: Mapping[str, Any]) -> Arrays:
    """Return curves as the paper describes Figure 2."""
    end = {"DBGD": 0.5, "BGD1": 0.52, "BGD2": 0.48}[setting["learner"]]
    rounds = np.linspace(0, setting["horizon"], setting["marks"] + 1)[1:]
    curve = 1.0 - (1.0 - end) * np.sqrt(rounds / setting["horizon"])
    return {"rounds": rounds, "regret": np.tile(curve, (setting["runs"], 1))}


def paper_runs(setting: Mapping[str, Any]) -> Arrays:
    """Return runs that come to the paper's Tables 2 and 3; few queries are best with small steps."""
    expected = PAPER.expected["websearch"]
    if not setting:
        starts = {"training": 0.4, "validation": 0.41, "test": 0.42}
        starting = {f"start {part}": np.full(10, value) for part, value in starts.items()}
        return starting | {f"svm {part}": np.full(10, expected["svm"]) for part in starts}
    if "costs" in setting:
        return {
            part: np.full((len(setting["costs"]), 10), 0.61) for part in ("training", "validation", "test")
        }
    # the experiments of 10^6 comparisons look like the paper's table
    fewer = setting["queries"] < expected["queries"][-1] and setting["horizon"] != 10**6
    row = min(range(4), key=lambda place: abs(expected["explorations"][place] - setting["exploration"]))
    column = expected["exploitations"].index(setting["exploitation"])
    final, average = expected["final"][row][column], expected["average"][row][column]
    if fewer:
        # means of four runs are half as far apart
        single = expected["finals"][expected["queries"].index(setting["queries"])]
        final = (single + np.mean(expected["finals"])) / 2.0
        average = 0.6 - setting["exploitation"]
    elif setting["exploration"] < 0.5:
        final, average = final - 0.01, average - 0.01
    curve = np.full(100, (100 * average - final) / 99)
    curve[-1] = final
    parts = {"training": final, "validation": final, "test": final}
    rounds = np.linspace(0, setting["horizon"], 101)[1:]
    return {"rounds": rounds, "curve": curve} | {part: np.full(10, value) for part, value in parts.items()}
