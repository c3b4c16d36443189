"""The one place where the wording of messages is reviewed."""

import ast
from pathlib import Path

import pytest

from docs.messages import PAGE, commands, messages_of, page, template


def test_the_file_of_messages_is_what_the_package_says() -> None:
    assert PAGE.read_text("utf-8") == page(), "run make derived, and review how the messages changed"


def test_subcommands_are_among_the_commands() -> None:
    assert {("analyze",), ("db",), ("db", "import"), ("keys", "rotate-tickets")} <= set(commands())


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("'plain'", "plain"),
        ("f'{k!r} of {len(names):,}.'", "{k} of {len(names)}."),
        ("'one ' + f'{two}'", "one {two}"),
        ("names[0]", None),
    ],
)
def test_what_is_filled_in_stands_in_braces(code: str, text: str | None) -> None:
    assert template(ast.parse(code, mode="eval").body) == text


def test_errors_are_found_wherever_they_are_made(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        "def a(k):\n    raise ParameterError(f'k is {k}.')\n"
        "def b():\n    return errors.FileError('is not there')\n"
        "def c():\n    print('no error'); raise Refused(404, 'Kind', 'is gone')\n"
    )
    assert list(messages_of(path)) == [
        ("ParameterError", "k is {k}."),
        ("FileError", "is not there"),
        ("Refused", "is gone"),
    ]
