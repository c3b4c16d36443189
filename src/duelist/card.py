"""Cards: what a learner or an estimator says of itself, in one place that everything else reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from duelist.errors import ParameterError, require_known, require_whole

Setting: TypeAlias = Literal["arms", "points of a space", "rankings", "contexts"]  # what is chosen from


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is known of an algorithm before it is run: a class attribute named `card`.

    Listings, tables, the command line and the contract checks read it. All of it may be left out: a class
    without a card is taken for a learner over arms that promises nothing.

    Parameters
    ----------
    setting : {"arms", "points of a space", "rankings", "contexts"}, default "arms"
        What is chosen from.
    seeks : str
        The winner that is looked for.
    assumes : str
        What must be true for the promise to hold.
    regret : str
        What is promised.
    citation : str
        The first work to read: authors, year and title.
    needs_horizon : bool, default False
        Whether the number of rounds must be known, as the constructor's `horizon`.
    arms_may_change : bool, default False
        Whether arms may be added and retired while it learns.
    hands_out_batches : bool, default False
        Whether it commits to several duels at a time, whatever their outcomes.
    needs_propensities : bool, default False
        Whether it must know with what chance the choices of a duel were shown.
    unmet : mapping, optional
        Contract checks that are not met by design, each with its reason.
    rounds : int, default 300
        How many rounds checks of conduct play; fewer for a learner that is slow to ask.
    example : mapping, optional
        The constructor's arguments for a small instance, on which checks are run.

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
                    f"{name} must be a mapping, as {{'name': ...}}; got {getattr(self, name)!r:.80}."
                )
        for check, reason in self.unmet.items():
            if not isinstance(reason, str):
                raise ParameterError(f"unmet must give a reason for {check!r}, in words; got {reason!r:.80}.")


def card_of(algorithm: object) -> Card:
    """Return the card of a class or an instance; an empty one where there is none."""
    card = getattr(algorithm, "card", Card())
    if not isinstance(card, Card):
        name = getattr(algorithm, "__name__", type(algorithm).__name__)
        raise ParameterError(f"{name}.card must be a duelist.card.Card; got {card!r:.80}. Write Card(...).")
    return card
