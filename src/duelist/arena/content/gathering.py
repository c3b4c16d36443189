"""Collect outputs one by one, whatever format they come from, into the material of an arena."""

import os
import re
from collections.abc import Collection, Iterable
from hashlib import blake2b
from pathlib import Path

from duelist.errors import FileError, ParameterError
from duelist.journal.content import require_text
from duelist.judging.material import Material, Output
from duelist.study.choices import as_name
from duelist.text import arms, counted

LONGEST_NAME = 100
"""Maximum length of a text that serves as its own name."""
BEGINNING = 80
"""Number of characters of a longer text that its name begins with."""
SHORTENED = re.compile(r".*… [0-9a-f]{16}")
"""The form of shortened names; a short text of this form is shortened too."""
UNFIT = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def name_of(text: str) -> str:
    r"""Return the name of a text: itself, or its beginning and a digest if it is long or has several lines.

    Examples
    --------
    >>> name_of("Why is the sky blue?")
    'Why is the sky blue?'
    >>> name_of("Translate:\n\n\tGuten Morgen!")
    'Translate: Guten Morgen!… 3ca5de4ef023aecb'
    """
    if len(text) <= LONGEST_NAME and SHORTENED.fullmatch(text) is None:
        try:
            return as_name("name", text)
        except ParameterError:
            pass
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    beginning = " ".join(UNFIT.sub(" ", text[: 4 * BEGINNING]).split())
    return as_name("name", f"{beginning[:BEGINNING]}… {digest}")


MOST_NAMED = 3
"""Number of items that an error names."""
BLANK_LINES = re.compile(r"\A(?:[ \t]*+\n)++")


class Gathering:
    """Collects the outputs of a file or folder, and reports what is wrong with them and where.

    Arms and items keep the order in which they come. Identical repeated outputs count once; a second,
    different output of the same arm and item is an error.

    Parameters
    ----------
    path : str or os.PathLike
        The file or folder, for error messages and the title.

    Examples
    --------
    >>> gathering = Gathering("sky.jsonl")
    >>> gathering.add("line 1", "poet", Output("Joy."), item="Why blue?")
    >>> gathering.add("line 2", "physicist", Output("Light."), item="Why blue?")
    >>> gathering.result()
    Material(title='sky', arms=('poet', 'physicist'), notices=())
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.arms: dict[str, str] = {}
        self.items: dict[str, str] = {}
        self.labels: dict[str, str | None] = {}
        self.outputs: dict[str | None, dict[str, tuple[Output, str]]] = {}
        self.prompts: dict[str | None, tuple[Output, str]] = {}
        self.repeated: list[str] = []

    def error(self, where: str, fault: str) -> FileError:
        return FileError(f"{self.path}, {where}: {fault}")

    def arm(self, where: str, given: str) -> str:
        """Return the name of an arm, which from now on needs an output for every item."""
        if given not in self.arms:
            try:
                self.arms[given] = as_name("arm", given.strip())
            except ParameterError as error:
                raise self.error(where, f"{error}") from None
        return self.arms[given]

    def text(self, where: str, field: str, given: str) -> str | None:
        """Return a valid text without surrounding blank lines; None if nothing is left."""
        text = given.replace("\r\n", "\n").replace("\r", "\n") if "\r" in given else given
        # leading spaces may matter, as in code or a poem
        text = BLANK_LINES.sub("", text.rstrip(" \t\n"))
        if not text:
            return None
        try:
            require_text(text)
        except ParameterError as error:
            raise self.error(where, f"{field}: {error}") from None
        return text

    def label(self, where: str, field: str, given: str) -> str | None:
        """Return such a text of an arm, item or prompt; cached, because these repeat."""
        if given not in self.labels:
            self.labels[given] = self.text(where, field, given)
        return self.labels[given]

    def add(
        self, where: str, arm: str, output: Output | None, item: str | None = None, prompt: str | None = None
    ) -> None:
        """Add the output of an arm for an item, or None if it is missing.

        Without an item the prompt identifies it; without a prompt, the item's text is the prompt.
        """
        named = self.arm(where, arm)
        name = self._item(where, item, prompt)
        outputs = self.outputs.setdefault(name, {})
        if len(self.outputs) > 1 and None in self.outputs:
            raise self.error(
                where,
                "some outputs have an item and others do not; give every output an item, or none.",
            )
        if output is None:
            return
        if named in outputs:
            known, first = outputs[named]
            if output != known:
                of = "" if name is None else f" for item {name!r}"
                raise self.error(
                    where, f"arm {named!r} has a different output{of} at {first}; remove one of them."
                )
            self.repeated.append(where)
            return
        outputs[named] = (output, where)

    def _item(self, where: str, item: str | None, prompt: str | None) -> str | None:
        shown = item if prompt is None else prompt
        given = prompt if item is None else item
        if given is None or shown is None:
            return None
        if given not in self.items:
            self.items[given] = name_of(given.strip())
        name = self.items[given]
        if name not in self.prompts:
            self.prompts[name] = (Output(shown), where)
        elif prompt is not None and self.prompts[name][0].text != prompt:
            known, first = self.prompts[name]
            if known.text != item:
                raise self.error(
                    where, f"item {name!r} has a different prompt at {first}; give each item one prompt."
                )
            self.prompts[name] = (Output(prompt), where)
        return name

    def result(self, notices: Iterable[str] = ()) -> Material:
        """Return the material: all items for which every arm has an output."""
        named = tuple(dict.fromkeys(self.arms.values()))
        if len(named) < 2:
            found = f"only arm {named[0]!r}" if named else "no arm"
            raise FileError(f"{self.path}: found {found}; give the outputs of two arms or more.")
        whole = {
            item: tuple(outputs[arm][0] for arm in named)
            for item, outputs in self.outputs.items()
            if len(outputs) == len(named)
        }
        partial = [item for item in self.outputs if item not in whole]
        if not whole:
            raise FileError(
                f"{self.path}: {self._faults(partial, named)}; give an output for every arm"
                f"{'' if None in self.outputs else ' on at least one item'}."
            )
        remarks = list(notices)
        if partial:
            remarks.append(
                f"Left out: {len(partial):,} of {counted(len(self.outputs), 'item')}, because all arms are "
                f"compared on the same items. The first: {self._faults(partial[:1], named)}. If an arm "
                "gave no output, write what voters should see, such as (no answer)."
            )
        if self.repeated:
            remarks.append(
                f"Duplicates counted once: {counted(len(self.repeated), 'identical output')}. "
                f"The first: {self.repeated[0]}."
            )
        prompts = {item: prompt for item, (prompt, _) in self.prompts.items() if item in whole}
        return Material(title_of(self.path), named, whole, prompts, tuple(remarks))

    def _faults(self, items: Collection[str | None], named: tuple[str, ...]) -> str:
        faults = []
        for item in [*items][:MOST_NAMED]:
            outputs = self.outputs[item]
            lacking = arms([repr(arm) for arm in named if arm not in outputs])
            if item is None:
                return f"no output of {lacking}"
            faults.append(f"item {item!r} ({self.prompts[item][1]}) has no output of {lacking}")
        more = f"; and {len(items) - MOST_NAMED:,} more" if len(items) > MOST_NAMED else ""
        return "; ".join(faults) + more


def title_of(path: Path) -> str:
    """Return the title of an arena: the name of its folder, or of its file without suffixes."""
    name = Path(os.path.abspath(path)).name.removesuffix(".gz")
    title = name if path.is_dir() else Path(name).stem
    return title.encode("utf-8", "replace").decode()
