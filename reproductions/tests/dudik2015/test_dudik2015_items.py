import json
from typing import Any

import pytest

from duelist.laboratory import Item, ItemResults, Scale
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015.theorems_sweep import SETTINGS
from duelist_reproductions.dudik2015.users_sweep import INFORMATIONAL, PERFECT


@pytest.mark.parametrize("scale", list(Scale))
@pytest.mark.parametrize("item", PAPER.items, ids=lambda item: item.name)
def test_pieces_have_names_of_their_own_and_plain_settings(item: Item, scale: Scale) -> None:
    pieces = item.plan(ItemResults(scale, real=True))
    assert len({piece.name for piece in pieces}) == len(pieces)
    assert all(json.loads(json.dumps(piece.setting)) == piece.setting for piece in pieces)


def settings_of(name: str, scale: Scale = Scale.PAPER) -> list[dict[str, Any]]:
    (item,) = (one for one in PAPER.items if one.name == name)
    return [dict(piece.setting) for piece in item.plan(ItemResults(scale, real=True))]


def test_as_much_is_played_as_the_paper_says() -> None:
    assert sum(134 * one.get("subsets", 0) for one in settings_of("subsets")) > 1_000_000
    for user, comparisons in ((INFORMATIONAL, 8000), (PERFECT, 4000)):
        pieces = [one["comparisons"] for one in settings_of("users") if one["user"] == user]
        assert sum(pieces) == comparisons
        assert len(pieces).bit_count() == 1  # so that they can be halved


@pytest.mark.parametrize("scale", list(Scale))
def test_every_run_of_the_theorems_is_played_once(scale: Scale) -> None:
    setting = SETTINGS[scale]
    wanted = [("SparringEXP4P", "horizon", *one) for one in setting.sparring.items()]
    for learner, horizons in setting.exploring.items():
        wanted += [(learner, "horizon", *one) for one in horizons.items()]
        wanted += [(learner, "duels", setting.logged, setting.logs)]
        wanted += [(learner, "duels", *setting.promised[learner])]
    for learner, size, number, runs in wanted:
        played = [
            run
            for one in settings_of("theorems", scale)
            if one.get("learner") == learner and one.get(size) == number
            for run in range(one["first"], one["first"] + one["runs"])
        ]
        assert played == list(range(runs))
