"""A problem's own menu and play decide every round, for compiled learners too."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import ArrayLike
from refusals import refused, warned

from duelist import (
    RUCB,
    DuelingBanditGradientDescent,
    MatrixProblem,
    PairwiseGradientRanker,
    SparringEXP4P,
    UtilityProblem,
    clicks,
    simulate,
)
from duelist.duel import Duel, FloatArray
from duelist.errors import OutcomeError, SlowWarning
from duelist.menus import Arms, Ball, Documents, Impression
from duelist.problems import FiniteContexts, RankingProblem, Separable, worst_case
from duelist.ranking import synthetic_ranking_data

MATRIX = [[0.5, 0.9], [0.1, 0.5]]
DATA = synthetic_ranking_data(queries=20, documents=8, features=4, seed=1).with_relevant()


@dataclass(frozen=True)
class Mean:
    """Shows all pairs, and names the arm with the most wins."""

    def init(self, menu: Arms, rng: Generator) -> FloatArray:
        return np.zeros(menu.k)

    def ask(self, state: FloatArray, menu: Arms, rng: Generator) -> Duel:
        left, right = rng.permutation(menu.k)[:2].tolist()
        return Duel(left, right)

    def tell(self, state: FloatArray, duel: Duel, outcome: float) -> FloatArray:
        won = state.copy()
        won[[duel.left, duel.right]] += outcome, 1.0 - outcome
        return won

    def best(self, state: FloatArray, menu: Arms) -> int:
        return int(state.argmax())


class Inverted(MatrixProblem):
    def play(self, duel: Duel, rng: Generator) -> float:
        return 1.0 - super().play(duel, rng)


def inverted(problem: Any) -> Any:
    """Set another `play` on the object itself."""
    known: Callable[..., float] = problem.play
    vars(problem)["play"] = lambda duel, rng: 1.0 - known(duel, rng)
    return problem


@pytest.mark.parametrize(
    "problem", [Inverted(MATRIX), inverted(MatrixProblem(MATRIX))], ids=["class", "object"]
)
def test_inverted_duels_make_every_learner_find_the_other_arm(problem: MatrixProblem) -> None:
    with warned(SlowWarning, "RUCB"):
        found = simulate([RUCB(), Mean()], problem, 500, runs=3)
    for one in found.values():
        assert one.best.tolist() == [1, 1, 1]
    plain = simulate([RUCB(), Mean()], MatrixProblem(MATRIX), 500, runs=3)
    for one in plain.values():
        assert one.best.tolist() == [0, 0, 0]


def test_who_plays_no_compiled_learner_is_not_warned() -> None:
    assert simulate(Mean(), Inverted(MATRIX), 200, runs=1)["Mean"].best.tolist() == [1]


def test_a_menu_of_its_own_decides_what_is_shown() -> None:
    class Few(MatrixProblem):
        def menu(self, rng: Generator | None = None) -> Arms:
            return Arms(self.k, active=(1, 2))

    problem = Few(worst_case(4, 0.3).matrix)
    with pytest.warns(SlowWarning):
        found = simulate(RUCB(), problem, 300, runs=2)["RUCB"]
    assert found.plays[:, [0, 3]].sum() == 0
    assert found.plays[:, [1, 2]].sum() == 2 * 2 * 300


def test_a_subclass_without_methods_of_its_own_is_played_compiled() -> None:
    class Named(MatrixProblem):
        """Another name."""

    one, other = (simulate(RUCB(), kind(MATRIX), 2_000, runs=2)["RUCB"] for kind in (Named, MatrixProblem))
    assert one.plays.tobytes() == other.plays.tobytes()


@pytest.mark.parametrize("override", ["play", "preference", "object"])
def test_inverted_duels_of_points_lead_away_from_the_optimum(override: str) -> None:
    class Played(UtilityProblem):
        def play(self, duel: Duel, rng: Generator) -> float:
            return 1.0 - super().play(duel, rng)

    class Preferring(UtilityProblem):
        def preference(self, left: ArrayLike, right: ArrayLike) -> float:
            return 1.0 - super().preference(left, right)

    kind = {"play": Played, "preference": Preferring}.get(override, UtilityProblem)
    problem = kind(Ball(2), Separable(2, square=20.0), [0.0, 0.0])
    if override == "object":
        inverted(problem)
    learner = DuelingBanditGradientDescent(exploration=0.5, exploitation=0.1, start=(0.3, 0.0))
    with warned(SlowWarning, "DuelingBanditGradientDescent"):
        found = simulate(learner, problem, 400, runs=2)["DuelingBanditGradientDescent"]
    assert (np.linalg.norm(found.best, axis=1) > 0.8).all()
    plain = simulate(learner, UtilityProblem(Ball(2), problem.utility, [0.0, 0.0]), 400, runs=2)
    assert (np.linalg.norm(plain["DuelingBanditGradientDescent"].best, axis=1) < 0.5).all()


def test_inverted_duels_in_contexts_make_the_other_action_win() -> None:
    class Otherwise(FiniteContexts):
        def play(self, duel: Duel, rng: Generator) -> float:
            return 1.0 - super().play(duel, rng)

    learner, policies = SparringEXP4P([[0], [1]], 3_000), [[0], [1]]
    with warned(SlowWarning, "SparringEXP4P"):
        found = simulate(learner, Otherwise([MATRIX]), 3_000, runs=1, against=policies)
    assert found["SparringEXP4P"].learned[0, 0].argmax() == 1
    plain = simulate(learner, FiniteContexts([MATRIX]), 3_000, runs=1, against=policies)
    assert plain["SparringEXP4P"].learned[0, 0].argmax() == 0


@pytest.mark.parametrize("where", ["class", "object"])
def test_clicks_of_its_own_teach_the_ranker(where: str) -> None:
    class Contrary(RankingProblem):
        def play(self, impression: Impression, rng: Generator) -> list[int]:
            return contrary(self, impression)

    def contrary(problem: RankingProblem, impression: Impression) -> list[int]:
        first = problem.corpus.offsets[impression.menu.query]
        return [one for one in impression.documents if problem.corpus.labels[first + one] == 0]

    kind = Contrary if where == "class" else RankingProblem
    problem = kind(DATA, clicks.perfect(3))
    if where == "object":
        vars(problem)["play"] = lambda impression, rng: contrary(problem, impression)
    with warned(SlowWarning, "PairwiseGradientRanker"):
        found = simulate(PairwiseGradientRanker(), problem, 500, runs=1)["PairwiseGradientRanker"]
    plain = simulate(PairwiseGradientRanker(), RankingProblem(DATA, clicks.perfect(3)), 500, runs=1)
    better = plain["PairwiseGradientRanker"]
    assert found.quality[0, -1] < found.quality[0, 0] < better.quality[0, -1]


@pytest.mark.parametrize("shown", [(), (0, 0), (0, 99), (-1,)])
def test_a_list_that_does_not_show_documents_of_its_query_is_refused(shown: tuple[int, ...]) -> None:
    problem, rng = RankingProblem(DATA, clicks.perfect(3)), np.random.default_rng(0)
    menu = problem.menu(rng)
    with refused(OutcomeError, "documents", 0, len(menu) - 1):
        problem.play(Impression(shown, menu), rng)


def test_the_menus_of_lists_are_the_documents_of_the_query_drawn() -> None:
    problem, rng = RankingProblem(DATA, clicks.perfect(3)), np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        menu: Documents = problem.menu(rng)
        assert np.array_equal(menu.features, DATA.features[DATA.rows(menu.query)])
        seen.add(menu.query)
    assert seen == set(range(len(DATA)))
