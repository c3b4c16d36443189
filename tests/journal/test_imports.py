"""What journals are made of is imported by those who use them."""

import subprocess
import sys


def imported_after(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {program}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_who_has_no_journal_imports_nothing_for_it() -> None:
    assert not {"msgspec", "sqlite3", "filelock", "duelist.journal"} & imported_after("import duelist")


def test_journals_are_light() -> None:
    modules = imported_after("import duelist; bare = {*sys.modules}; import duelist.journal")
    assert "msgspec" in modules
    assert not {"numba", "scipy", "filelock", "asyncio", "duelist.learners"} & modules
