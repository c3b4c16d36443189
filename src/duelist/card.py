"""Cards: the facts about a learner or an estimator that listings, documentation and checks read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from duelist.errors import ParameterError, require_known, require_whole

Setting: TypeAlias = Literal["arms", "points of a space", "rankings", "contexts"]


@dataclass(frozen=True, kw_only=True)
class Card:
    """The facts about an algorithm: a class attribute named `card`.

    The documentation, the command line and the contract checks read it. All fields are optional. A class
    without a card is treated as a learner over arms without guarantees.

    Parameters
    ----------
    setting : {"arms", "points of a space", "rankings", "contexts"}, default "arms"
        The kind of choices.
    seeks : str
        The kind of winner that the algorithm looks for.
    assumes : str
        The assumptions of the guarantee.
    regret : str
        The guarantee.
    citation : str
        The main reference: authors, year and title.
    needs_horizon : bool, default False
        Whether the number of rounds must be known, as the parameter `horizon`.
    arms_may_change : bool, default False
        Whether arms may be added and retired while it learns.
    hands_out_batches : bool, default False
        Whether it commits to several duels at a time, whatever their outcomes.
    needs_propensities : bool, default False
        Whether it needs the probabilities with which the choices of a duel were shown.
    unmet : mapping, optional
        Contract checks that the algorithm does not meet by design, each with a reason.
    rounds : int, default 300
        Number of rounds that the checks play; fewer for a learner whose `ask` is slow.
    example : mapping, optional
        The parameters of a small instance for the checks.

    Raises
    ------
    UnknownNameError
        If there is no such `setting`.
    ParameterError
        If `rounds`, `unmet` or `example` is invalid.

    Examples
    --------
    >>> from duelist import RUCB, BeatTheMean
    >>> RUCB.card.seeks, BeatTheMean.card.seeks
    ('Condorcet winner', 'best arm of a total order')
    """

    setting: Setting = "arms"
    seeks: str = "not stated"
    assumes: str = "not stated"
    regret: str = "not stated"
    citation: str = "not stated"
    needs_horizon: bool = False
    arms_may_change: bool = False
    hands_out_batches: bool = False
    needs_propensities: bool = False
    unmet: Mapping[str, str] = field(default_factory=dict)
    rounds: int = 300
    example: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_known("setting", self.setting, get_args(Setting))
        require_whole("rounds", self.rounds, 1)
        for name in ("unmet", "example"):
            if not isinstance(getattr(self, name), Mapping):
                raise ParameterError(
                    f"{name} must be a mapping, such as {{'name': ...}}; got {getattr(self, name)!r:.80}."
                )
        for check, reason in self.unmet.items():
            if not isinstance(reason, str):
                raise ParameterError(
                    f"unmet must give a reason for {check!r}, as a string; got {reason!r:.80}."
                )


def card_of(algorithm: object) -> Card:
    """Return the card of a class or an instance, or an empty card."""
    card = getattr(algorithm, "card", Card())
    if not isinstance(card, Card):
        name = getattr(algorithm, "__name__", type(algorithm).__name__)
        raise ParameterError(f"{name}.card must be a duelist.card.Card; got {card!r:.80}.")
    return card
