"""What journals are made of is imported by those who use them."""

from imported import imported_after


def test_who_has_no_journal_imports_nothing_for_it() -> None:
    assert not {"msgspec", "sqlite3", "filelock", "duelist.journal"} & imported_after("import duelist")


def test_journals_are_light() -> None:
    modules = imported_after("import duelist; bare = {*sys.modules}; import duelist.journal")
    assert "msgspec" in modules
    assert not {"numba", "scipy", "filelock", "asyncio", "duelist.learners"} & modules
