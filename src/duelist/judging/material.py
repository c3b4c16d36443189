"""The material of an arena: the outputs of several arms on the same items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from duelist.errors import UnknownNameError


class Output(NamedTuple):
    """The output of an arm for an item: a text, or a file with an image or a sound.

    Examples
    --------
    >>> Output("Because of *Rayleigh scattering*.").text
    'Because of *Rayleigh scattering*.'
    >>> Output(path=Path("kitchen.png"), media_type="image/png").media_type
    'image/png'
    """

    text: str | None = None
    """Markdown or plain text, at most 100,000 characters."""
    path: Path | None = None
    """The file of an image or a sound."""
    media_type: str | None = None
    """Media type of the file, such as image/png or audio/mpeg; None for a text."""


@dataclass(frozen=True, eq=False)
class Material:
    """The outputs and items of an arena, as `read_material` returns them.

    Parameters
    ----------
    title : str
        Title of the arena: the name of the file or folder.
    arms : tuple of str
        The names of all arms.
    outputs : mapping
        For each item, the outputs of all arms in their order; the only key is None if there are no items.
    prompts : mapping, optional
        What to show above the outputs of an item; optional for each item.
    notices : tuple of str, optional
        Notices for the operator of the arena, such as omitted items.

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
        """The names of all items; empty if there are none."""
        return tuple(item for item in self.outputs if item is not None)

    def prompt(self, item: str | None) -> Output | None:
        """Return what to show above the two outputs of an item, such as a question.

        Parameters
        ----------
        item : str or None
            The item; None if there are no items.

        Returns
        -------
        Output or None
            None if there is nothing to show.
        """
        self._require_item(item)
        return self.prompts.get(item)

    def output(self, arm: str, item: str | None) -> Output:
        """Return the output of an arm for an item.

        Parameters
        ----------
        arm : str
            The arm's name.
        item : str or None
            The item; None if there are no items.

        Returns
        -------
        Output
            A text, or a file.
        """
        self._require_item(item)
        if arm not in self.arms:
            raise UnknownNameError("arm", arm, self.arms)
        return self.outputs[item][self.arms.index(arm)]

    def _require_item(self, item: str | None) -> None:
        if item not in self.outputs:
            raise UnknownNameError("item", item, self.items)
