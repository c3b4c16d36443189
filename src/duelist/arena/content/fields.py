"""What the fields of an output are called, in files of JSON lines and in tables."""

from collections.abc import Iterable

from duelist.errors import FileError
from duelist.text import enumeration

FIELDS = {
    "item": ("item", "item_id", "id", "question_id", "prompt_id"),
    "prompt": ("prompt", "question", "instruction", "brief"),
    "arm": ("arm", "arm_id", "model", "model_id", "variant"),
    "output": ("output", "answer", "response", "completion"),
    "image": ("image",),
    "audio": ("audio",),
}
"""What each field may be called, in upper or lower case."""
MEANINGS = {name: meaning for meaning, names in FIELDS.items() for name in names}
MEDIA = ("image", "audio")
"""Fields with the path of a file, in place of an output's text."""


def meaning_of(name: str) -> str | None:
    """Return the field that is meant by a name; None if it is not known."""
    return MEANINGS.get(name.strip().casefold())


def find_fields(where: str, names: Iterable[str]) -> dict[str, str]:
    """Return what each field is called among names, all of which must be known."""
    found: dict[str, str] = {}
    for name in names:
        meaning = meaning_of(name)
        if meaning is None:
            raise FileError(
                f"{where}: {name!r:.80} is not known; remove it. Known: {enumeration([*FIELDS])}; in their "
                "place also question for prompt, model for arm, answer or response for output."
            )
        if meaning in found:
            raise FileError(f"{where}: {found[meaning]!r} and {name!r} both mean the {meaning}; keep one.")
        found[meaning] = name
    return found
