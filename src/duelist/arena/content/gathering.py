"""Outputs gathered one by one: whatever a file looks like, what it holds ends here."""

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
"""Characters of a text that is its own name."""
BEGINNING = 80
"""Characters of a longer text that its name begins with."""
SHORTENED = re.compile(r".*… [0-9a-f]{16}")
"""What the names of longer texts look like; a short text that does is named like a longer one."""
UNFIT = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def name_of(text: str) -> str:
    r"""Return the name of a text: itself, or its beginning and a digest where it is long or has many lines.

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
"""How many items an error names."""
BLANK_LINES = re.compile(r"\A(?:[ \t]*+\n)++")


class Gathering:
    """Gathers the outputs of a file or folder, and says what is wrong with them and where.

    Arms and items are kept in the order in which they come. An output that comes again word for word counts
    once; one that comes again in other words is refused.

    Parameters
    ----------
    path : str or os.PathLike
        The file or folder, for errors and the title.

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
        """Return what is wrong at a place."""
        return FileError(f"{self.path}, {where}: {fault}")

    def arm(self, where: str, given: str) -> str:
        """Return the name of an arm, which from now on must have an output for every item."""
        if given not in self.arms:
            try:
                self.arms[given] = as_name("arm", given.strip())
            except ParameterError as error:
                raise self.error(where, f"{error}") from None
        return self.arms[given]

    def text(self, where: str, field: str, given: str) -> str | None:
        """Return a text that can be shown, without blank lines around it; None if nothing is left."""
        text = given.replace("\r\n", "\n").replace("\r", "\n") if "\r" in given else given
        # spaces before the first word may mean something: code, a poem
        text = BLANK_LINES.sub("", text.rstrip(" \t\n"))
        if not text:
            return None
        try:
            require_text(text)
        except ParameterError as error:
            raise self.error(where, f"{field}: {error}") from None
        return text

    def label(self, where: str, field: str, given: str) -> str | None:
        """Return such a text of an arm, item or prompt; remembered, because these come again and again."""
        if given not in self.labels:
            self.labels[given] = self.text(where, field, given)
        return self.labels[given]

    def add(
        self, where: str, arm: str, output: Output | None, item: str | None = None, prompt: str | None = None
    ) -> None:
        """Take what an arm made of an item; None if that is missing.

        Without an item's text the prompt stands for it; without a prompt, the item's text is the prompt.
        """
        named = self.arm(where, arm)
        name = self._item(where, item, prompt)
        outputs = self.outputs.setdefault(name, {})
        if len(self.outputs) > 1 and None in self.outputs:
            raise self.error(
                where,
                "some outputs have an item and some have none; name the item of every output, or of none.",
            )
        if output is None:
            return
        if named in outputs:
            known, place = outputs[named]
            if output != known:
                of = "" if name is None else f" for item {name!r}"
                raise self.error(
                    where, f"arm {named!r} has another output{of} at {place}; remove one of them."
                )
            self.repeated.append(where)
            return
        outputs[named] = (output, where)

    def _item(self, where: str, item: str | None, prompt: str | None) -> str | None:
        shown = item if prompt is None else prompt
        told = prompt if item is None else item
        if told is None or shown is None:
            return None
        if told not in self.items:
            self.items[told] = name_of(told.strip())
        name = self.items[told]
        if name not in self.prompts:
            self.prompts[name] = (Output(shown), where)
        elif prompt is not None and self.prompts[name][0].text != prompt:
            known, place = self.prompts[name]
            if known.text != item:
                raise self.error(
                    where, f"item {name!r} has another prompt at {place}; give an item one prompt."
                )
            self.prompts[name] = (Output(prompt), where)
        return name

    def result(self, notices: Iterable[str] = ()) -> Material:
        """Return all items for which every arm has an output."""
        named = tuple(dict.fromkeys(self.arms.values()))
        if len(named) < 2:
            found = f"only arm {named[0]!r}" if named else "no arm"
            raise FileError(f"{self.path}: there is {found}; give the outputs of two arms or more.")
        whole = {
            item: tuple(outputs[arm][0] for arm in named)
            for item, outputs in self.outputs.items()
            if len(outputs) == len(named)
        }
        partial = [item for item in self.outputs if item not in whole]
        if not whole:
            raise FileError(
                f"{self.path}: {self._faults(partial, named)}; give an output of every arm"
                f"{'' if None in self.outputs else ' for at least one item'}."
            )
        said = list(notices)
        if partial:
            said.append(
                f"Left out: {len(partial):,} of {counted(len(self.outputs), 'item')}, because all arms are "
                f"compared on the same items. The first: {self._faults(partial[:1], named)}. Where an arm "
                "gave nothing, write what voters should see, such as (no answer)."
            )
        if self.repeated:
            said.append(
                f"Counted once: {counted(len(self.repeated), 'output')} that came before, word for word. The "
                f"first: {self.repeated[0]}."
            )
        prompts = {item: prompt for item, (prompt, _) in self.prompts.items() if item in whole}
        return Material(title_of(self.path), named, whole, prompts, tuple(said))

    def _faults(self, items: Collection[str | None], named: tuple[str, ...]) -> str:
        faults = []
        for item in [*items][:MOST_NAMED]:
            outputs = self.outputs[item]
            lacking = arms([repr(arm) for arm in named if arm not in outputs])
            if item is None:
                return f"there is no output of {lacking}"
            faults.append(f"item {item!r} ({self.prompts[item][1]}) has no output of {lacking}")
        more = f"; and {len(items) - MOST_NAMED:,} more" if len(items) > MOST_NAMED else ""
        return "; ".join(faults) + more


def title_of(path: Path) -> str:
    """Return what an arena is called: the name of a folder, or of a file without its endings."""
    name = Path(os.path.abspath(path)).name.removesuffix(".gz")
    title = name if path.is_dir() else Path(name).stem
    return title.encode("utf-8", "replace").decode()
