"""Who may read a journal and not write it: reads, also by key, and is refused in words when appending."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

PROGRAM = """
import os, sys
from pathlib import Path
from duelist.errors import FileError
from duelist.journal import Answered, Created, JsonLinesJournal, RepeatedEventError
folder, has_index, what = Path(sys.argv[1]), sys.argv[2] == "True", sys.argv[3]
path = folder / "votes.jsonl"
def answer(ticket):
    return Answered(ticket=ticket, left=0, right=1, outcome=1.0)
created = Created(format=1, study="0" * 32, seed=1, learner={}, choices={}, package="0")
JsonLinesJournal(path).append([created, *(answer(f"a-{n}") for n in range(50))])
if not has_index:
    Path(f"{path}.index").unlink()
path.chmod(0o444)
folder.chmod(0o555 if what == "folder" else 0o777)
Path(f"{path}.lock").chmod(0o444 if what == "folder" else 0o666)
if os.getuid() == 0:
    os.setuid(65534)  # root may write everywhere
before = sorted(place.name for place in folder.iterdir())
journal = JsonLinesJournal(path)
assert len(journal.read()) == 51
assert [one.seq for one in journal.read(keys=["a-7"])] == [9]
for event in (answer("new"), answer("new")):
    try:
        journal.append([event])
    except FileError as error:
        assert "Permission denied; choose a file that can be read and written" in str(error), error
    else:
        raise SystemExit("it was written")
assert len(JsonLinesJournal(path).read(since=40)) == 11
assert what == "file" or before == sorted(place.name for place in folder.iterdir())
print("done")
"""


@pytest.mark.parametrize("has_index", [True, False])
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_be_read_and_not_written(has_index: bool, what: str) -> None:
    with TemporaryDirectory() as base:
        # pytest's own folders are closed to others
        Path(base).chmod(0o755)
        folder = Path(base) / "journal"
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder), str(has_index), what], capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == ("done\n", "")


def test_what_may_not_be_read() -> None:
    program = """
import os, sys
from duelist.errors import FileError
from duelist.journal import JsonLinesJournal
open(sys.argv[1], "w").write("secret")
os.chmod(sys.argv[1], 0)
if os.getuid() == 0:
    os.setuid(65534)
try:
    JsonLinesJournal(sys.argv[1]).read()
except FileError as error:
    print(error)
"""
    with TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", program, f"{base}/votes.jsonl"], capture_output=True, text=True
        )
        assert done.stderr == ""
        assert "votes.jsonl: Permission denied; choose a file that can be read" in done.stdout
