"""What an arena compares: the outputs of several arms, on the same items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from duelist.errors import UnknownNameError


class Output(NamedTuple):
    """What one arm made of one item: a text, or a file with an image or a sound.

    Examples
    --------
    >>> Output("Because of *Rayleigh scattering*.").text
    'Because of *Rayleigh scattering*.'
    >>> Output(path=Path("kitchen.png"), media_type="image/png").media_type
    'image/png'
    """

    text: str | None = None
    """Markdown or plain text, of at most 100,000 characters."""
    path: Path | None = None
    """The file of an image or a sound."""
    media_type: str | None = None
    """What the file holds, such as image/png or audio/mpeg; None for a text."""


@dataclass(frozen=True, eq=False)
class Material:
    """What an arena compares, as `read_material` returns it.

    Parameters
    ----------
    title : str
        What the arena is called: the name of the file or folder.
    arms : tuple of str
        The names of all arms.
    outputs : mapping
        For each item, the outputs of all arms in their order; for None, where arms are compared as they are.
    prompts : mapping, optional
        What is shown above the outputs of an item; items that are missing here show nothing.
    notices : tuple of str, optional
        Sentences for the person who started the arena, such as which items were left out.

    Examples
    --------
    >>> material = Material("Sky", ("poet", "physicist"), {"Why blue?": (Output("Joy."), Output("Light."))})
    >>> material.items
    ('Why blue?',)
    >>> material.output("physicist", "Why blue?").text
    'Light.'
    """

    title: str
    arms: tuple[str, ...]
    outputs: Mapping[str | None, tuple[Output, ...]] = field(repr=False)
    prompts: Mapping[str | None, Output] = field(default_factory=dict, repr=False)
    notices: tuple[str, ...] = ()

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The names of all items; none where arms are compared as they are."""
        return tuple(item for item in self.outputs if item is not None)

    def prompt(self, item: str | None) -> Output | None:
        """Return what is shown above the two outputs of an item, such as a question; None for nothing."""
        self._require_item(item)
        return self.prompts.get(item)

    def output(self, arm: str, item: str | None) -> Output:
        """Return what an arm made of an item."""
        self._require_item(item)
        if arm not in self.arms:
            raise UnknownNameError("arm", arm, self.arms)
        return self.outputs[item][self.arms.index(arm)]

    def _require_item(self, item: str | None) -> None:
        if item not in self.outputs:
            raise UnknownNameError("item", item, self.items)
