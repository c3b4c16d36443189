"""What the terminal says while an arena is served."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from arena.visitor import RunningService, arena, material_of
from refusals import names, refused

from duelist import Duel, Study
from duelist.arena.running import follow, open_study
from duelist.arena.site import STUDY, Arena
from duelist.database import Database
from duelist.errors import FileError
from duelist.service.live import LOOK_EVERY
from duelist.service.serving import serving_alone

ARMS = ("a", "b", "c")


def said_while(
    running: RunningService, steps: list[Callable[[], object]], monkeypatch: pytest.MonkeyPatch
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
        lines = said_while(running, steps, monkeypatch)
        verdict = str(study.verdict())
        assert lines == ["1 vote", "30 votes", f"60 votes. {verdict}", "61 votes"]
        # a resumed arena reports the verdict, and not the number of votes, which the notice had
        assert said_while(running, [nothing], monkeypatch) == [verdict]


def test_a_verdict_is_told_although_no_vote_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        arena(tmp_path / "a.db", material_of(ARMS)) as running,
        Database(tmp_path / "a.db") as database,
    ):
        study = Study.open(database.journal(STUDY))
        for _ in range(30):
            study.tell(Duel("a", "b"), "left")
        said = said_while(running, [lambda: study.retire_arm("c")], monkeypatch)
        assert said == [str(study.verdict())]
        assert study.verdict().winner == "a"


def test_arms_do_not_change_while_somebody_serves(tmp_path: Path) -> None:
    place = tmp_path / "a.db"
    with Database(place) as database:
        open_study(database, material_of(ARMS))
        with serving_alone(database.location):
            _, said = open_study(database, material_of(ARMS))
            assert said == []
            with refused(FileError, "a.db"):
                open_study(database, material_of((*ARMS, "d")))
        study, (notice,) = open_study(database, material_of((*ARMS, "d")))
        assert study.arms == (*ARMS, "d")
        assert names(notice, "d")
