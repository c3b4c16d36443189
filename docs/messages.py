"""Write the errors and the help of the package into one file, so that their wording is reviewed in one place.

`python docs/messages.py` writes docs/messages.md: the sentence of every error, by module, with what is filled
in between braces, and the help of every command and subcommand. Tests assert classes, fields and values; how
a sentence is worded is seen in the difference of this file.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from duelist.cli.main import app, load
from duelist.files import write_whole

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "duelist"
PAGE = ROOT / "docs" / "messages.md"
WIDTH = "100"
HEAD = """# Messages

The errors that the package raises, by module, with what is filled in between braces, and the help of its
commands. `make derived` writes this file. Review its difference when a message changes; tests assert the
class of an error and the fields and values it names, not its wording.
"""


def is_error(name: str) -> bool:
    """Return whether a name is that of an error of the package.

    Examples
    --------
    >>> is_error("ParameterError"), is_error("print")
    (True, False)
    """
    return name.endswith(("Error", "Refused", "Warning")) and name[0].isupper()


def template(node: ast.expr) -> str | None:
    """Return a text with what is filled in between braces; None for what is no text.

    Examples
    --------
    >>> template(ast.parse("f'k must be at least {least}; got {k!r}.'", mode="eval").body)
    'k must be at least {least}; got {k}.'
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = (
            str(part.value) if isinstance(part, ast.Constant) else "{" + ast.unparse(part.value) + "}"
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = template(node.left), template(node.right)
        return None if left is None or right is None else left + right
    return None


def messages_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the errors that a module makes, each with its sentence."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        made = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute):
            made = node.func.attr
        if is_error(made):
            for argument in node.args:
                text = template(argument)
                if text is not None and " " in text:
                    yield made, " ".join(text.split())


def errors() -> Iterator[str]:
    """Yield the lines about errors."""
    for path in sorted(SOURCE.rglob("*.py")):
        found = dict.fromkeys(messages_of(path))
        if found:
            yield f"\n## {path.relative_to(SOURCE).as_posix()}\n"
            yield from (f"- {kind}: `{text.replace('`', chr(39))}`" for kind, text in found)


def help_of(*command: str) -> str:
    """Return what `--help` of a command prints."""
    runner = CliRunner(env={"COLUMNS": WIDTH, "TERMINAL_WIDTH": WIDTH, "NO_COLOR": "1", "TERM": "dumb"})
    text = runner.invoke(app, [*command, "--help"], prog_name="duelist").output
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def commands() -> Iterator[tuple[str, ...]]:
    """Yield all commands by their words, groups before what is in them."""
    import typer.main

    yield ()
    for name in getattr(typer.main.get_command(app), "commands", {}):
        yield (name,)
        # the application only lists its commands; their subcommands are known when they are loaded
        yield from ((name, part) for part in getattr(load(name), "commands", {}))


def page() -> str:
    """Return the whole file."""
    helps = (
        f"\n## {' '.join(('duelist', *words))}\n\n```text\n{help_of(*words)}\n```" for words in commands()
    )
    return "\n".join([HEAD + "\n# Errors", *errors(), "\n# Help", *helps]) + "\n"


if __name__ == "__main__":
    write_whole(PAGE, page().encode())
    print(f"{PAGE} written")
