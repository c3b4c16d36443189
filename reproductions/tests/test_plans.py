"""What every paper plans can be named and kept as files."""

import json

import pytest

from duelist.laboratory import Item, ItemResults, Scale, choose, find_papers

ITEMS = [item for _, item in choose([paper.name for paper in find_papers()])]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("real", [True, False])
def test_pieces_have_names_of_their_own_and_settings_for_a_file(item: Item, scale: Scale, real: bool) -> None:
    pieces = item.plan(ItemResults(scale, real))
    names = [piece.name for piece in pieces]
    assert len(set(names)) == len(names) > 0
    assert not set("/\\: ") & set("".join(names))
    for piece in pieces:
        assert json.loads(json.dumps(piece.setting)) == piece.setting
        assert piece.cost > 0.0
