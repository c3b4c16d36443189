"""A click model of a form other than three tables runs in loops through its own overload."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from refusals import refused

from duelist import PairwiseGradientRanker, simulate
from duelist.clicks import click_through
from duelist.clicks.user import click_page
from duelist.duel import BoolArray, IntArray
from duelist.errors import ParameterError
from duelist.interleaving import Optimized, TeamDraft
from duelist.kernels.compile import overload_for
from duelist.problems import LinearRankerSpace, RankerDuel, RankingProblem
from duelist.ranking import synthetic_ranking_data

DATA = synthetic_ranking_data(queries=40, documents=12, features=6, seed=4).with_relevant()


class BestOnes(NamedTuple):
    """Clicks the best documents of a page, and no others."""

    most: int
    fewest: IntArray  # one number, so that its array is read in kernels too


@overload_for(click_through, BestOnes)
def click_best(model: BestOnes, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    clicked[:shown] = False
    for count in range(model.most):
        best = -1
        for place in range(shown):
            if not clicked[place] and (best < 0 or grades[place] > grades[best]):
                best = place
        if best >= 0 and (grades[best] > 0 or count < model.fewest[0]):
            clicked[best] = True


@dataclass(frozen=True)
class BestTwo:
    grades: int = 3

    def user(self) -> BestOnes:
        return BestOnes(2, np.zeros(1, np.int64))


@dataclass(frozen=True)
class Unknown:
    grades: int = 3

    def user(self) -> Any:
        return (1.0, 2.0)


def test_any_form_of_model_clicks_by_its_own_rules() -> None:
    clicked = np.ones(5, np.bool_)
    click_page(BestTwo().user(), np.array([1, 0, 2, 1, 2]), 4, clicked, default_rng(0))
    assert clicked.tolist() == [True, False, True, False, True]  # entries beyond the page are unchanged
    click_page(BestTwo().user(), np.array([0, 0, 1, 0, 0]), 5, clicked, default_rng(0))
    assert clicked.tolist() == [False, False, True, False, False]


def test_rankings_are_learned_from_a_model_of_another_form() -> None:
    result = simulate(
        PairwiseGradientRanker(length=5),
        RankingProblem(DATA, BestTwo()),
        3000,
        runs=2,
        checkpoints=[1, 3000],
        progress=False,
    )["PairwiseGradientRanker"]
    # clicks on the best two of a page teach what relevance is
    assert (result.quality[:, -1] > result.quality[:, 0] + 0.05).all()


def test_rankers_meet_before_a_model_of_another_form() -> None:
    labels = DATA.labels.astype(np.float64)

    class Truth:
        name = "truth"

        def score(self, data: object) -> Any:
            return labels

    class Inverse(Truth):
        name = "inverse"

        def score(self, data: object) -> Any:
            return -labels

    for method in (TeamDraft(), Optimized(depth=4)):
        duel = RankerDuel(DATA, [Truth(), Inverse()], method, BestTwo(), length=4)
        assert duel.estimate(200, workers=1, progress=False).matrix[0, 1] > 0.6


def test_a_model_without_an_overload_is_refused() -> None:
    with refused(ParameterError, "clicks.user()", "tuple", "@overload_for(click_through, tuple)"):
        RankerDuel(DATA, [0, 1], clicks=Unknown())
    with refused(ParameterError, "clicks", "1 grade", 3, "grades=3"):
        LinearRankerSpace(DATA, clicks=BestTwo(grades=1))
    name: Any = "perfect"
    with refused(ParameterError, "clicks", "perfect"):
        LinearRankerSpace(DATA, clicks=name)
