"""Every odd file is refused in one line, or read with a count of what was left out."""

from pathlib import Path

import pytest
from refusals import names, refused
from votes.odd_files import FILES, Odd
from votes.tallies import tally_of

from duelist import load_votes
from duelist.errors import DuelistError, FileError

IDS = [f"{number} {odd.content[:40]!r}" for number, odd in enumerate(FILES)]


def test_there_are_many() -> None:
    assert len(FILES) >= 200


@pytest.mark.parametrize("odd", FILES, ids=IDS)
def test_an_odd_file_is_refused_or_read_with_what_was_left_out(tmp_path: Path, odd: Odd) -> None:
    path = tmp_path / odd.name
    path.write_bytes(odd.content)
    if odd.votes is None:
        source = () if "encoding" in odd.options else (str(path),)
        with refused(FileError, *source, *odd.facts) as caught:
            load_votes(path, **odd.options)
        message = str(caught.value)
        assert len(message.splitlines()) == 1
        assert len(message.replace(str(path), "")) < 700
        assert "; " in message
    else:
        votes = load_votes(path, **odd.options)
        assert tally_of(votes) == odd.votes
        assert votes.notes is not None
        assert names(" ".join(votes.notes.sentences()), *odd.facts)


@pytest.mark.parametrize("odd", FILES, ids=IDS)
def test_bad_rows_are_left_out_and_counted_or_the_file_is_refused(tmp_path: Path, odd: Odd) -> None:
    path = tmp_path / odd.name
    path.write_bytes(odd.content)
    try:
        votes = load_votes(path, **{**odd.options, "skip_bad": True})
    except DuelistError:
        assert odd.votes is None
    else:
        assert votes.notes is not None
        assert odd.votes is not None or votes.notes.skipped > 0


def test_folders_and_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.csv", "\0", Path("/dev/null")):
        with pytest.raises(FileError):
            load_votes(path)
