"""What documents write in passing is true: names, calls and command lines in inline code."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from documents import NAMES, PAGES, ROOT, command_lines, fences, options, spans
from written_code import Checker

from duelist import MatrixProblem, Study, Votes
from duelist.cli.main import COMMANDS, USAGE_ERROR, load

FOREIGN = frozenset({"Mine", "min"})
"""Classes of the reader, and mathematics."""
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


def test_pages_are_taken_apart() -> None:
    page = 'Use `a\nb` or\n\n```sh\nduelist x "y z" | duelist w  # `no`\n```\n\n`--c 1`\n'
    page += "\n```python\nduelist = 1\n```\n"
    assert spans(page) == ["a b", "--c 1"]
    assert [*fences(page)] == [("sh", 'duelist x "y z" | duelist w  # `no`\n'), ("python", "duelist = 1\n")]
    assert [*command_lines(page)] == [["x", "y z"]]
    assert [*options(page)] == ["--c"]


@pytest.mark.parametrize(
    "text",
    [
        "duelist.ratings.fit_bradley_terry",
        "Study.open",
        "Study(arms=[…], seed=3)",
        "Study(arms=['a', 'b'])",
        "study.verdict(delta=0.1)",
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
