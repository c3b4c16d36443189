"""Fixtures of the quick scale: what several tests look at is played once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from parallel.backwards import Backwards

from duelist.laboratory import ItemResults, Scale, Sources, carry_out, choose
from duelist.parallel import silence


@pytest.fixture(scope="session")
def quick_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where results at the quick scale are kept, on made-up data; what is there is not played again."""
    return tmp_path_factory.mktemp("quick")


@pytest.fixture(scope="session")
def play_quickly(quick_folder: Path) -> Callable[[str], ItemResults]:
    """Return the results of an item at the quick scale, on made-up data, as users get them."""

    def play(name: str) -> ItemResults:
        found: list[ItemResults] = []
        carry_out(
            choose([name]),
            Scale.QUICK,
            Sources(None),
            quick_folder,
            Backwards(),
            silence,
            lambda paper, item, results: found.append(results),
        )
        (results,) = found
        return results

    return play
