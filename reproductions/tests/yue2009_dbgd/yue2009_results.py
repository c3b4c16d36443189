"""Hand-made results: what a paper-sized sweep would return, with numbers chosen by the test."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from made import make_results

from duelist.laboratory import Arrays, ClaimVerdict, Item, ItemResults, Scale, judge
from duelist_reproductions.documents import PARTS
from duelist_reproductions.yue2009_dbgd import PAPER

Maker: TypeAlias = Callable[[Mapping[str, Any]], Arrays]
ITEMS: Mapping[str, Item] = {item.name: item for item in PAPER.items}


def made(item: str, arrays: Maker, scale: Scale = Scale.PAPER, real: bool = True) -> ItemResults:
    """Return results of all that an item plans, made of settings by a function."""
    return make_results(ITEMS[item], lambda piece: arrays(piece.setting), scale, real)


def verdicts(
    item: str, arrays: Maker, scale: Scale = Scale.PAPER, real: bool = True
) -> dict[str, ClaimVerdict]:
    """Return the verdict on every claim of an item."""
    return {one.name: one for one in judge(PAPER, ITEMS[item], made(item, arrays, scale, real)).verdicts}


def changed(right: Maker, where: Mapping[str, Any], by: float = 1.0, add: float = 0.0, *names: str) -> Maker:
    """Return a maker of other numbers, multiplied and added to, where settings have these values."""

    def make(setting: Mapping[str, Any]) -> Arrays:
        arrays = right(setting)
        if not where.items() <= setting.items():
            return arrays
        return {**arrays, **{name: by * arrays[name] + add for name in names or ("regret",)}}

    return make


def paper_cells(setting: Mapping[str, Any]) -> Arrays:
    """Return what the paper's Table 1 says, half as much again with fewer rounds, in runs 1% apart."""
    expected = PAPER.expected["table1"]
    if "points" in setting:
        return {"regret": np.ones((len(setting["problems"]), setting["points"]))}
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
        starts = dict(zip(PARTS, (0.4, 0.41, 0.42), strict=True))
        starting = {f"start {part}": np.full(10, value) for part, value in starts.items()}
        return starting | {f"svm {part}": np.full(10, expected["svm"]) for part in starts}
    # the second grid, of 10^6 comparisons, looks like the paper's table
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
    curve = np.append(np.full(99, (100 * average - final) / 99), final)
    rounds = np.linspace(0, setting["horizon"], 101)[1:]
    return {"rounds": rounds, "curve": curve} | {part: np.full(10, final) for part in PARTS}
