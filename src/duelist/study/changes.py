"""Arms that come and go, and learners that change: which changes are possible, as events."""

from time import time
from typing import Any

from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.errors import ParameterError
from duelist.journal import ArmAdded, ArmRetired, LearnerChanged
from duelist.protocols import Learner
from duelist.study.choices import Arm, NamedArms, as_arm, example_of, require_named
from duelist.study.fold import Fold
from duelist.study.player import require_learner, write_learner
from duelist.study.reading import Reading
from duelist.study.telling import Teller


class Changing(Reading):
    """The part of a study that changes what is shown, and who chooses it."""

    teller: Teller
    _learners: list[Learner[Any]]

    def add_arm(self, arm: str | Arm) -> None:
        """Add an arm, or bring a retired one back with all its votes; what it shows now replaces the old."""
        self.teller.record(added(self._now(), arm))

    def retire_arm(self, name: str) -> None:
        """Show an arm no more; its votes stay on record."""
        event = retired(self._now(), name)
        if event is not None:
            self.teller.record(event)

    def change_learner(
        self, learner: Learner[Any], context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> None:
        """Let another learner go on, which learns from all that was answered before."""
        event = changed(self._now(), learner, context, features)
        self._learners.append(learner)
        self.teller.record(event)


def added(fold: Fold, arm: str | Arm) -> ArmAdded:
    """Return the event of an arm that joins, or say why it cannot."""
    given = as_arm("arm", arm)
    arms = require_named(fold.choices)
    if not fold.player.takes_new_arms:
        raise ParameterError(
            f"{type(fold.learner).__name__} cannot take new arms while it learns; change to a learner that "
            "can, such as RUCB: study.change_learner(RUCB())."
        )
    if arms.is_active(given.name):
        raise ParameterError(f"there is an arm named {given.name!r} already; give the new one another name.")
    return ArmAdded(arm=given.name, time=round(time(), 3), **given.content())


def retired(fold: Fold, name: str) -> ArmRetired | None:
    """Return the event of an arm that is shown no more, or say why it must be; None if it is not shown."""
    arms = require_named(fold.choices)
    if fold.in_contexts:
        raise ParameterError(f"{type(fold.learner).__name__} cannot do without one of its choices.")
    known = arms.show(arms.find(name))
    if not arms.is_active(known):
        return None
    if len(arms.shown) == 2:
        raise ParameterError(f"{known!r} cannot be retired: a duel needs two arms; add another first.")
    return ArmRetired(arm=known, time=round(time(), 3))


def changed(
    fold: Fold, learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None
) -> LearnerChanged:
    """Return the event of another learner that takes over, or say why it cannot."""
    require_learner(learner, "arms" if isinstance(fold.choices, NamedArms) else "knobs")
    example = example_of(learner, context, features)
    if fold.choices.retired and card_of(learner).setting == "contexts":
        raise ParameterError(
            f"{type(learner).__name__} cannot do without one of its choices, and some arms are retired; "
            "bring them back first: study.add_arm(...)."
        )
    event = LearnerChanged(learner=write_learner(learner), example=example, time=round(time(), 3))
    # it must be able to begin with the arms there are: nobody could take back the event
    trial = Fold(fold.created, learner, example, fold.learner_number + 1, set())
    trial.choices, trial.k = fold.choices, fold.k
    trial.begin()
    return event
