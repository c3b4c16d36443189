"""What the terminal says while an arena is served."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from arena.visitor import House, arena, material_of
from refusals import refused

from duelist import Duel, Study
from duelist.arena.running import follow, open_study
from duelist.arena.site import STUDY, Arena
from duelist.database import Database
from duelist.errors import FileError
from duelist.service.live import LOOK_EVERY
from duelist.service.serving import serving_alone

ARMS = ("a", "b", "c")
WINNER = "a is the winner: it beats every other arm. Such a verdict is wrong in at most 5% of studies."


def said_while(
    running: House, steps: list[Callable[[], object]], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Return what is said while steps are taken, each after a look at what the one before did."""
    lines, looks = list[str](), iter(steps)

    async def step(seconds: float) -> None:
        taken = next(looks, None)
        if taken is None:
            raise asyncio.CancelledError
        taken()
        await asyncio.sleep(2.0 * LOOK_EVERY)

    # that of this module alone: others wait too
    monkeypatch.setattr("duelist.arena.running.asyncio", SimpleNamespace(sleep=step))
    with pytest.raises(asyncio.CancelledError):
        running.wait(follow(running.app, Arena(material=material_of(ARMS)), lines.append))
    monkeypatch.undo()
    return lines


def test_votes_are_told_as_they_come_and_once_what_they_prove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        arena(tmp_path / "a.db", material_of(ARMS)) as running,
        Database(tmp_path / "a.db") as database,
    ):
        study = Study.open(database.journal(STUDY))

        def tell(rival: str, votes: int) -> Callable[[], object]:
            def votes_come() -> None:
                for _ in range(votes):
                    study.tell(Duel("a", rival), "left")

            return votes_come

        def nothing() -> None:
            pass

        steps = [nothing, tell("b", 1), nothing, tell("b", 29), tell("c", 30), tell("c", 1)]
        assert said_while(running, steps, monkeypatch) == [
            "1 vote",
            "30 votes",
            f"60 votes. {WINNER}",
            "61 votes",
        ]
        # whoever goes on is told what is proven, and not what "Going on with ..." has said
        assert said_while(running, [nothing], monkeypatch) == [WINNER]


def test_a_verdict_is_told_although_no_vote_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        arena(tmp_path / "a.db", material_of(ARMS)) as running,
        Database(tmp_path / "a.db") as database,
    ):
        study = Study.open(database.journal(STUDY))
        for _ in range(30):
            study.tell(Duel("a", "b"), "left")
        said = said_while(running, [lambda: study.retire_arm("c")], monkeypatch)
        assert [line.partition(":")[0] for line in said] == ["a is the winner"]


def test_arms_do_not_change_while_somebody_serves(tmp_path: Path) -> None:
    place = tmp_path / "a.db"
    with Database(place) as database:
        open_study(database, material_of(ARMS))
        with serving_alone(database.location):
            _, said = open_study(database, material_of(ARMS))
            assert said == []
            with refused(FileError, database.location):
                open_study(database, material_of((*ARMS, "d")))
        study, said = open_study(database, material_of((*ARMS, "d")))
        assert (study.arms, said) == ((*ARMS, "d"), ["Arms that joined: d."])
