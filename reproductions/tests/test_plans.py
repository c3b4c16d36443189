"""Every item's plan: pieces have names of their own, settings that JSON keeps, and all runs once."""

import json
from collections.abc import Sequence
from importlib import import_module

import pytest

from duelist.laboratory import Item, ItemResults, Paper, Piece, Scale, choose

CHOSEN = choose([])


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize(("paper", "item"), CHOSEN, ids=[paper.name_of(item) for paper, item in CHOSEN])
def test_a_plan_can_be_carried_out_anywhere(paper: Paper, item: Item, scale: Scale) -> None:
    for real in (True, False):
        pieces = item.plan(ItemResults(scale, real))
        assert len({piece.name for piece in pieces}) == len(pieces) > 0
        for piece in pieces:
            assert json.loads(json.dumps(dict(piece.setting))) == piece.setting
            assert getattr(import_module(piece.work.__module__), piece.work.__name__) is piece.work
            assert piece.cost > 0.0
            assert not set(piece.name) & set(' /\\:"')
        assert_runs_follow_each_other(pieces)


def assert_runs_follow_each_other(pieces: Sequence[Piece]) -> None:
    nexts: dict[str, int] = {}
    for piece in pieces:
        if "first" in piece.setting:
            (count,) = {"runs", "months", "settings"} & piece.setting.keys()
            rest = {key: value for key, value in piece.setting.items() if key not in ("first", count)}
            group = json.dumps([piece.work.__name__, rest], sort_keys=True)
            assert piece.setting["first"] == nexts.get(group, 0)
            nexts[group] = piece.setting["first"] + piece.setting[count]
