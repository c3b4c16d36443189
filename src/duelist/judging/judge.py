"""The protocol of judges: shown two outputs side by side, a judge answers which one is better."""

from typing import Literal, NamedTuple, Protocol, TypeAlias

from duelist.errors import DuelistError
from duelist.judging.material import Output

Answer: TypeAlias = Literal["left", "right", "tie"]

ANSWERS: dict[str, Answer] = {"left": "left", "right": "right", "tie": "tie"}
OTHER_SIDE: dict[Answer, Answer] = {"left": "right", "right": "left", "tie": "tie"}
"""The answer after swapping the two outputs."""
PREFIX = "judge: "
"""Prefix of the names of judges among voters."""
EXCERPT = 100
"""Number of characters quoted from each end of a long text in an error."""


class JudgeError(DuelistError, RuntimeError):
    """A judge gave no answer to what it was shown.

    Parameters
    ----------
    message : str
        What happened.
    wait : float, optional
        Seconds after which a retry may succeed; None if it would fail again.

    Examples
    --------
    >>> JudgeError("the endpoint is busy.", wait=2.0).wait
    2.0
    """

    def __init__(self, message: str, wait: float | None = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class JudgeRefusalError(DuelistError, RuntimeError):
    """A judge cannot answer at all: its key or address is wrong, or its program cannot be started."""


class Showing(NamedTuple):
    """Two outputs side by side, as shown to a judge.

    Examples
    --------
    >>> shown = Showing(Output("Why is the sky blue?"), Output("Joy."), Output("Light."))
    >>> shown.swapped().left.text
    'Light.'
    """

    item: Output | None
    """What both were made for, such as a question; None if there are no items."""
    left: Output
    right: Output

    def swapped(self) -> "Showing":
        """Return the same two outputs with their sides swapped."""
        return Showing(self.item, self.right, self.left)


class Judge(Protocol):
    """Compares two outputs; called from several threads at once."""

    @property
    def name(self) -> str:
        """Name of the voter for its answers; begins with the prefix of judges."""

    @property
    def identity(self) -> str:
        """Everything besides the outputs that determines its answers: equal identities give equal answers."""

    @property
    def sees_media(self) -> bool:
        """Whether it accepts images and sounds."""

    def judge(self, shown: Showing) -> Answer:
        """Return which side is better.

        Parameters
        ----------
        shown : Showing
            The two outputs, and the item they were made for.

        Returns
        -------
        str
            "left", "right" or "tie".

        Raises
        ------
        JudgeError
            It gave no answer this time.
        JudgeRefusalError
            It cannot answer any further calls.
        """


def is_judge(voter: str | None) -> bool:
    """Return whether a voter is a judge rather than a person.

    Examples
    --------
    >>> is_judge("judge: ./judge.py"), is_judge("Ada"), is_judge(None)
    (True, False, False)
    """
    return voter is not None and voter.startswith(PREFIX)


def excerpt(text: str) -> str:
    """Return a text on one line for an error; a long text is shortened in the middle."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return repr(line if len(line) <= 2 * EXCERPT else f"{line[:EXCERPT]} … {line[-EXCERPT:]}")
