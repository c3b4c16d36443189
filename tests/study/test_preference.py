"""What clicks on lists prefer: the same numbers from a study as offline, and files of clicks in a study."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

from duelist import Duel, Study
from duelist.errors import ClosedError, ConflictError, FileError, ParameterError, UnknownNameError
from duelist.interleaving import Balanced, Interleaving, Probabilistic, TeamDraft
from duelist.interleaving.analysis import credit_clicks
from duelist.interleaving.files import (
    ClickedList,
    interleave_queries,
    read_impressions,
    read_listings,
    write_listings,
)
from duelist.journal import Answered

LEFT = {f"q{number}": list("abcdef") for number in range(4)}
RIGHT = {f"q{number}": list("fgcbah") for number in range(4)}
FILES = ("runs/bm25.txt", "dense.run")


def experiment(
    folder: Path, method: Interleaving, users: int = 0, impressions: int | None = 25
) -> tuple[Path, Path, list[ClickedList]]:
    """Lists and random clicks on half of them, in files, and the impressions as they are read."""
    listings = interleave_queries(LEFT, RIGHT, method, 5, impressions, files=FILES)
    shown = write_listings(folder / "shown.jsonl", listings)
    rng = np.random.default_rng(3)
    lines: list[str] = []
    for one in listings * (1 if impressions else 6):
        name = one.impression or str(len(lines))
        user = f" user{rng.integers(users)}" if users else ""
        for document in one.shown.documents:
            if rng.random() < (0.5 if str(document) in "ab" else 0.15):
                lines.append(f"{one.query} {name} {document}{user if impressions is None else ''}")
    clicks = folder / "clicks.txt"
    clicks.write_text("".join(f"{line}\n" for line in lines))
    return shown, clicks, read_impressions(clicks, read_listings(shown))


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("method", [TeamDraft(), TeamDraft("first"), Balanced(), Probabilistic()])
def test_imported_clicks_prefer_what_they_prefer_offline(
    method: Interleaving, once: bool, tmp_path: Path
) -> None:
    shown, clicks, impressions = experiment(tmp_path, method)
    offline = credit_clicks(impressions, once)
    study = Study(arms=["dense", "bm25"], journal=tmp_path / "votes.db")
    assert study.import_clicks(shown, clicks) == len(impressions) > 40
    assert study.import_clicks(shown, clicks) == 0
    assert study.votes().outcomes.tolist() == list(offline.outcomes)
    again = Study.open(tmp_path / "votes.db")
    found: Any = again.preference("bm25", "dense", once=once)
    expected: Any = offline.preference
    numbers = found.to_dict() | {"verdict": "", "warnings": ()}
    assert numbers == expected.to_dict() | {"verdict": "", "warnings": ()}
    assert again.answers == len(impressions)


def test_a_list_that_was_shown_repeatedly_counts_once_in_a_study_as_well(tmp_path: Path) -> None:
    shown, clicks, impressions = experiment(tmp_path, TeamDraft(), users=3, impressions=None)
    offline: Any = credit_clicks(impressions).preference
    study = Study(arms=["bm25", "dense"])
    study.import_clicks(shown, clicks)
    found: Any = study.preference("bm25", "dense")
    assert (found.unit, found.impressions) == ("list", 4)
    assert (found.preference, found.lower, found.p_value) == (
        offline.preference,
        offline.lower,
        offline.p_value,
    )


@pytest.mark.parametrize("voters", [(None,), ("ann", "bob", "cem")])
def test_clicks_in_a_study_prefer_what_they_would_prefer_offline(voters: tuple[str | None, ...]) -> None:
    study = Study(arms=["bm25", "dense"], interleaving="probabilistic")
    rng = np.random.default_rng(5)
    outcomes: dict[object, list[float]] = {}
    for number in range(30):
        voter = voters[number % len(voters)]
        shown = study.interleave(study.ask(voter=voter), {"bm25": list("abc"), "dense": list("cde")})
        study.clicks(shown.ticket, [d for d in shown.documents if rng.random() < 0.5], final=True)
        event = study._journal.read()[-1].event
        if isinstance(event, Answered):
            outcome = event.outcome if event.left == 0 else 1.0 - event.outcome
            outcomes.setdefault(voter or number, []).append(outcome)
    study.tell(Duel("bm25", "dense"), "left")
    found: Any = study.preference()
    assert found.unit == ("impression" if voters == (None,) else "user")
    assert found.impressions == len(outcomes)
    assert found.preference == pytest.approx(np.mean([np.mean(one) for one in outcomes.values()]))
    mirrored: Any = study.preference("dense", "bm25")
    assert mirrored.preference == pytest.approx(1.0 - found.preference)


def test_answers_taken_back_and_those_of_other_pairs_do_not_count(tmp_path: Path) -> None:
    shown, clicks, impressions = experiment(tmp_path, TeamDraft())
    study = Study(arms=["bm25", "dense", "other"])
    study.import_clicks(shown, clicks)
    study.import_clicks(shown, clicks, sides=("bm25", "dense"))
    assert study.preference("bm25", "other") is None
    ticket = study.votes()[0].ticket
    assert ticket is not None
    study.retract(ticket)
    found: Any = study.preference("bm25", "dense")
    assert found.impressions == len(impressions) - 1
    with refused(ParameterError, "preference", "two arms"):
        study.preference()
    with refused(ParameterError, "left", "right"):
        study.preference("bm25")
    with refused(ParameterError, "'bm25'"):
        study.preference("bm25", "bm25")


def test_clicks_that_a_study_cannot_take_are_refused_as_a_whole(tmp_path: Path) -> None:
    shown, clicks, _ = experiment(tmp_path, TeamDraft())
    study = Study(arms=["a", "b"])
    with refused(UnknownNameError, "'bm25'"):
        study.import_clicks(shown, clicks)
    with refused(ParameterError, "sides", "'a'"):
        study.import_clicks(shown, clicks, sides=("a", "a"))
    with pytest.raises(FileError):
        study.import_clicks(shown, tmp_path / "none")
    for missing in (tmp_path / "none", tmp_path):
        with refused(FileError, f"{missing}"):
            study.import_clicks(missing, clicks)
    nothing: Any = None
    with refused(ParameterError, nothing):
        study.import_clicks(nothing, clicks)
    for sides in ("ab", ("a", "b", "a"), 5):
        wrong: Any = sides
        with refused(ParameterError, "sides", wrong):
            study.import_clicks(shown, clicks, sides=wrong)
    assert study.answers == 0
    study.close()
    with pytest.raises(ClosedError):
        study.import_clicks(shown, clicks, sides=("a", "b"))


def test_clicks_on_record_are_not_imported_again_with_other_sides(tmp_path: Path) -> None:
    shown, clicks, impressions = experiment(tmp_path, TeamDraft())
    study = Study(arms=["bm25", "dense", "other"])
    study.import_clicks(shown, clicks)
    for sides in (("dense", "bm25"), ("bm25", "other")):
        with refused(ConflictError):
            study.import_clicks(shown, clicks, sides=sides)
    assert study.import_clicks(shown, clicks) == 0
    assert study.answers == len(impressions)


@pytest.mark.parametrize("final", ["no", None, 0])
def test_final_is_true_or_false(final: Any) -> None:
    study = Study(arms=["bm25", "dense"])
    shown = study.interleave(study.ask(), {"bm25": ["a"], "dense": ["b"]})
    with refused(ParameterError, "final", final):
        study.clicks(shown.ticket, ["a"], final=final)
    assert study.answers == 0
    assert len(study._journal.read()) == 1
