"""What a judge is: it is shown two outputs side by side, and says which one is better."""

from typing import Literal, NamedTuple, Protocol, TypeAlias

from duelist.errors import DuelistError
from duelist.judging.material import Output

Answer: TypeAlias = Literal["left", "right", "tie"]

ANSWERS: dict[str, Answer] = {"left": "left", "right": "right", "tie": "tie"}
OTHER_SIDE: dict[Answer, Answer] = {"left": "right", "right": "left", "tie": "tie"}
"""What an answer becomes when the two outputs change sides."""
PREFIX = "judge: "
"""What the names of judges begin with, among voters."""
EXCERPT = 100
"""Characters of each end of a long text that a failure quotes."""


class JudgeError(DuelistError, RuntimeError):
    """A judge gave no answer to what it was shown.

    Parameters
    ----------
    message : str
        What happened.
    wait : float, optional
        Seconds after which it may be asked again; None if it would fail in the same way.

    Examples
    --------
    >>> JudgeError("the endpoint is busy.", wait=2.0).wait
    2.0
    """

    def __init__(self, message: str, wait: float | None = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class JudgeRefusalError(DuelistError, RuntimeError):
    """A judge answers nothing at all: a key is wrong, an address, or a program that cannot be started."""


class Showing(NamedTuple):
    """Two outputs side by side, as a judge is shown them.

    Examples
    --------
    >>> shown = Showing(Output("Why is the sky blue?"), Output("Joy."), Output("Light."))
    >>> shown.swapped().left.text
    'Light.'
    """

    item: Output | None
    """What both were made for, such as a question; None where they are compared as they are."""
    left: Output
    right: Output

    def swapped(self) -> "Showing":
        """Return the same two outputs, each on the other side."""
        return Showing(self.item, self.right, self.left)


class Judge(Protocol):
    """Compares two outputs; called from several threads at once."""

    @property
    def name(self) -> str:
        """The voter in whose name its answers are kept; begins with the prefix of judges."""

    @property
    def identity(self) -> str:
        """All that its answers depend on besides what it is shown: equal ones answer alike."""

    @property
    def sees_media(self) -> bool:
        """Whether it can be shown images and sounds."""

    def judge(self, shown: Showing) -> Answer:
        """Return which side is better.

        Raises
        ------
        JudgeError
            It gave no answer this time.
        JudgeRefusalError
            It would not answer anything else either.
        """


def is_judge(voter: str | None) -> bool:
    """Return whether a voter is a judge, and not a person.

    Examples
    --------
    >>> is_judge("judge: ./judge.py"), is_judge("Ada"), is_judge(None)
    (True, False, False)
    """
    return voter is not None and voter.startswith(PREFIX)


def excerpt(text: str) -> str:
    """Return a text on one line, as failures quote it: where it is long, how it begins and ends."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return repr(line if len(line) <= 2 * EXCERPT else f"{line[:EXCERPT]} … {line[-EXCERPT:]}")
