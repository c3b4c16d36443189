"""Where a learner is put to the test: a small problem on the kind of menu it is for."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import Choice, Duel
from duelist.errors import DuelistError
from duelist.menus import Arms, Box, Space, require_inside
from duelist.problems import MatrixProblem, Separable, UtilityProblem, bradley_terry, p1, worst_case
from duelist.protocols import Learner


class Stage(NamedTuple):
    """Problems for checks of conduct, two with different menus, and of learning, the same by two names."""

    problem: MatrixProblem | UtilityProblem
    other: MatrixProblem | UtilityProblem
    easy: MatrixProblem | UtilityProblem
    renamed: MatrixProblem | UtilityProblem

    @property
    def menu(self) -> Arms | Space:
        """What may be chosen."""
        return self.problem.menu()


def hill(*steepness: float) -> UtilityProblem:
    """Return a problem on a square, best away from its center, with a slope of its own along each side."""
    return UtilityProblem(Box((-1.0, -1.0), (3.0, 3.0)), Separable(2, square=steepness), [0.0, 0.0])


ON_ARMS = Stage(
    problem=bradley_terry([5.0, 4.0, 3.0, 2.0, 1.0]),
    other=worst_case(3),
    easy=worst_case(4, 0.3),
    renamed=worst_case(4, 0.3).subset([2, 0, 3, 1]),
)
ON_POINTS = Stage(
    problem=p1(d=3, radius=3.0), other=hill(1.0, 1.0), easy=hill(1.0, 3.0), renamed=hill(3.0, 1.0)
)


def stage_for(learner: Learner[Any]) -> Stage:
    """Return the stage that a learner can play on: arms, or the points of a space."""
    try:
        learner.init(ON_ARMS.menu, default_rng(0))
    except DuelistError:
        return ON_POINTS
    return ON_ARMS


def any_choice(menu: Arms | Space, rng: Generator) -> Choice:
    """Return an arm or a point at random."""
    return int(rng.integers(menu.k)) if isinstance(menu, Arms) else menu.sample(rng, 1)[0]


def is_on(menu: Arms | Space, choice: Choice) -> bool:
    """Return whether a choice is on the menu; a point outside is refused with an error."""
    if isinstance(menu, Arms):
        return bool(0 <= choice < menu.k)
    return require_inside(menu, choice) is not None


def alike(one: Duel, other: Duel) -> bool:
    """Return whether two duels are the same."""
    return all(np.array_equal(side, twin) for side, twin in zip(one[:2], other[:2], strict=True))
