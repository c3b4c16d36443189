"""What documents write in passing is true: names, calls and command lines in inline code."""

import builtins
import re
import tomllib
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from documents import NAMES, PAGES, ROOT, command_lines, fences, files, identifiers, options, spans
from written_code import TREES, Checker

from duelist import RUCB, MatrixProblem, Study, Votes
from duelist.checks import yield_learner_checks
from duelist.cli.main import COMMANDS, USAGE_ERROR, load

FOREIGN = frozenset({"Mine", "min"})
"""Classes of the reader, and mathematics."""
OF_POSTGRESQL = {
    "full_page_writes",
    "idle_in_transaction_session_timeout",
    "lock_timeout",
    "max_connections",
    "pg_dump",
    "synchronous_standby_names",
}
FOLDERS = ("benchmarks", "deploy", "docs", "examples", "reproductions", "src", "tests")
GROUPS = tomllib.loads((ROOT / "reproductions/pyproject.toml").read_text("utf-8"))["project"]["entry-points"]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bool]:
    """Return a check of code in a new folder, each time with new samples."""
    monkeypatch.chdir(tmp_path)

    def checked(text: str) -> bool:
        study = Study(arms=["a", "b", "c"])
        study.tell(study.ask(), "left")
        votes = Votes(["a", "b"], [0, 0], [1, 1], [1.0, 0.0])
        samples: dict[str, Any] = {
            "study": study,
            "duel": study.ask(),
            "verdict": study.verdict(),
            "votes": votes,
            "problem": MatrixProblem([[0.5, 0.6], [0.4, 0.5]]),
            "path": Path("votes.db"),
            "judge": lambda duel: "left" if duel.left < duel.right else "right",
        }
        return text not in GROUPS and Checker(samples, FOREIGN).check(text)

    return checked


def called(words: list[str]) -> None:
    """Read a command line as the program does; one that only names a command must name one that is there."""
    assert words[0] in COMMANDS, words[0]
    command, rest = load(words[0]), words[1:]
    if rest and hasattr(command, "commands"):
        assert rest[0] in command.commands, rest[0]
        command, rest = command.commands[rest[0]], rest[1:]
    if rest and "--help" not in rest:
        command.make_context(words[0], rest)


def known_options() -> set[str]:
    commands = [load(name) for name in COMMANDS]
    commands += [part for one in commands for part in getattr(one, "commands", {}).values()]
    return {name for one in commands for option in one.params for name in option.opts} | {"--help"}


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_names_and_calls_in_inline_code(path: Path, check: Callable[[str], bool]) -> None:
    for span in spans(path.read_text("utf-8")):
        try:
            check(span)
        except Exception as error:
            raise AssertionError(f"{path.name}: `{span}`: {error}") from error


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_commands_and_their_options(path: Path) -> None:
    text = path.read_text("utf-8")
    for words in command_lines(text):
        if words and not words[0].isupper() and not words[0].startswith("-"):
            try:
                called(words)
            except Exception as error:
                raise AssertionError(f"{path.name}: duelist {' '.join(words)}: {error}") from error
    assert {*options(text)} <= known_options()


@pytest.fixture(scope="module")
def known_names() -> set[str]:
    """Every word of the sources, and the names of checks, which are put together."""
    trees = (*TREES, ROOT / "benchmarks")
    words = {
        word
        for tree in trees
        for path in tree.rglob("*.py")
        for word in re.findall(r"\w+", path.read_text("utf-8"))
    }
    return words | {*dir(builtins)} | {name for name, _ in yield_learner_checks(RUCB())} | OF_POSTGRESQL


@pytest.fixture(scope="module")
def known_files() -> list[str]:
    """Every file and folder of the repository, with a slash before its path and, for a folder, after it."""
    found = [path for folder in FOLDERS for path in [ROOT / folder, *(ROOT / folder).rglob("*")]]
    return [f"/{path.relative_to(ROOT).as_posix()}{'/' if path.is_dir() else ''}" for path in found]


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_single_names_are_of_the_sources(path: Path, known_names: set[str]) -> None:
    assert {*identifiers(path.read_text("utf-8"))} <= known_names


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_files_are_there(path: Path, known_files: list[str]) -> None:
    named = {*files(path.read_text("utf-8"))}
    assert not {name for name in named if not any(one.endswith(f"/{name}") for one in known_files)}


def test_the_tree_of_the_package_is_as_it_is_drawn() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    [tree] = [one.code for one in fences(page) if one.code.startswith("src/duelist/")]
    package, folder, named = ROOT / "src" / "duelist", "", list[str]()
    for line in tree.partition("reproductions/")[0].splitlines()[1:]:
        names = list(takewhile(re.compile(r"\w+(/|\.py)").fullmatch, line.split()))
        folder = folder if line.startswith("   ") else names[0]
        named += names
        assert not [
            name for name in names if not ((package / name).exists() or (package / folder / name).exists())
        ]
    assert len(named) > 50


def test_pages_are_taken_apart() -> None:
    page = 'Use `a\nb` or\n\n```sh\nduelist x "y z" | duelist w  # `no`\n```\n\n`--c 1`\n'
    page += "\n```python\nduelist = 1\n```\n"
    assert spans(page) == ["a b", "--c 1"]
    assert [*fences(page)] == [("sh", 'duelist x "y z" | duelist w  # `no`\n'), ("python", "duelist = 1\n")]
    assert [*command_lines(page)] == [["x", "y z"]]
    assert [*options(page)] == ["--c"]
    page = "`a_b` `aB` `a` `Auto` `a_b(c)` `web/static/` `mine.py` `/studies/` `votes.db` `a/b` `./x.js`\n"
    assert [*identifiers(page)] == ["a_b", "aB"]
    assert [*files(page)] == ["web/static/", "mine.py", "./x.js"]


@pytest.mark.parametrize(
    "text",
    [
        "duelist.ratings.fit_bradley_terry",
        "Study.open",
        "Study(arms=[…], seed=3)",
        "Study(arms=['a', 'b'])",
        "study.verdict(delta=0.1)",
        "study.run(judge, until=0.05)",
        "verdict(within=0.05)",
        "load_votes(...)",
        "ratings.fit_bradley_terry(votes, clusters=…)",
        "problem.matrix",
        "Database(…).ticket_keys",
        "tell(state, duel, outcome)",
        "from duelist.study import Parameter",
        "found = winners.condorcet(problem.matrix)",
    ],
)
def test_what_is_right_passes(text: str, check: Callable[[str], bool]) -> None:
    assert check(text)


@pytest.mark.parametrize(
    "text",
    [
        "duelist.rating",
        "duelist.ratings.bradley_terri",
        "duelist.study.tickets.KeyRing(path).rotate()",
        "Study.opened",
        "Stdy.open",
        "Study(arm=[…])",
        "Study(arms=[…]).verdikt()",
        "Studie(arms=[…])",
        "study.verdict(deltas=…)",
        "study.run(judge, untill=0.05)",
        "study.votes().rows()",
        "verdict(witin=0.05)",
        "ratings.fit_bradley_terry(votes, cluster=…)",
        "ratings.bradley_terri(votes)",
        "load_votes()",
        "problem.matrices",
        "Database(…).tickets",
        "tell(state, duel, outcome, and_more, than, that)",
        "from duelist.study import Parameters",
        "Study(Mine(), parameters={'warmth': Parameters(0.0, 1.0)})",
    ],
)
def test_what_is_wrong_is_found(text: str, check: Callable[[str], bool]) -> None:
    with pytest.raises((AssertionError, AttributeError, ImportError)):
        check(text)


@pytest.mark.parametrize("text", ["votes.db", "live.html", "a winner", "D = 2 sqrt(m)", "Auto", "delta=0.1"])
def test_what_is_no_code_is_passed_over(text: str, check: Callable[[str], bool]) -> None:
    assert not check(text)


@pytest.mark.parametrize(
    "line",
    [
        "analyse votes.csv",
        "analyze votes.csv --nope",
        "db bakup x.zip",
        "keys create x --role boss",
        "fit --save",
    ],
)
def test_a_command_line_that_would_be_refused_is_found(line: str) -> None:
    with pytest.raises((AssertionError, USAGE_ERROR)):
        called(line.split())
