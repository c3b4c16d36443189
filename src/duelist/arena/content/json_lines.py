"""Outputs as JSON lines: an object for each, with its arm and its item."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelist.arena.content.fields import MEDIA, find_fields
from duelist.arena.content.gathering import Gathering
from duelist.arena.content.material import Material, Output
from duelist.arena.content.media import media_beside
from duelist.errors import FileError
from duelist.journal.fields import shortened
from duelist.votes.rows import as_object


def read_json_lines(path: Path, text: str) -> Material:
    """Return the outputs of a file whose text is known."""
    gathering = Gathering(path)
    fields: dict[tuple[str, ...], Mapping[str, str]] = {}
    for number, line in enumerate(io.StringIO(text), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        content = as_object(path, number, line)
        names = tuple(content)
        if names not in fields:
            fields[names] = find_fields(f"{path}, {where}", names)
        told = {meaning: content[name] for meaning, name in fields[names].items()}
        arm, item, prompt = (
            _label(gathering, where, field, told.get(field)) for field in ("arm", "item", "prompt")
        )
        if arm is None:
            raise gathering.error(where, 'there is no "arm"; say which arm the output is of.')
        gathering.add(where, arm, _output(gathering, where, told), item, prompt)
    return gathering.result()


def _output(gathering: Gathering, where: str, told: Mapping[str, Any]) -> Output | None:
    given = [meaning for meaning in ("output", *MEDIA) if meaning in told]
    if len(given) != 1:
        found = " and ".join(given) if given else "none of them"
        raise gathering.error(where, f"give one of output, image and audio; found {found}.")
    kind = given[0]
    content = told[kind]
    if content is None:
        return None
    _require_text(gathering, where, kind, content)
    text = gathering.text(where, kind, content)
    if text is None or kind == "output":
        return None if text is None else Output(text)
    try:
        return media_beside(gathering.path.parent, text, kind)
    except FileError as error:
        raise gathering.error(where, f"{error}") from None


def _label(gathering: Gathering, where: str, field: str, given: Any) -> str | None:
    if given is None:
        return None
    if field != "prompt" and type(given) is int:
        return str(given)
    _require_text(gathering, where, field, given)
    return gathering.label(where, field, given)


def _require_text(gathering: Gathering, where: str, field: str, given: Any) -> None:
    if not isinstance(given, str):
        raise gathering.error(where, f"{field} must be a text; got {shortened(given)}.")
