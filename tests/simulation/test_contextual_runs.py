"""Simulations in contexts: accounting, repeatability, results on disk, and proven bounds of sparring."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from refusals import refused

from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import FileError, ParameterError
from duelist.learners.contextual.sparring_exp4p import SparringEXP4P, State
from duelist.menus import Actions
from duelist.policies import FinitePolicies
from duelist.problems import worst_case
from duelist.problems.contextual import FiniteContexts
from duelist.problems.cyclic_contexts import cyclic_contexts
from duelist.simulation import Result, Runs, simulate
from duelist.simulation.runs import generators
from duelist.winners import condorcet

EVERY = np.array(list(product(range(3), repeat=4)))
FEW = default_rng(0).integers(0, 3, (12, 4))
BLOCKS = np.repeat([0, 3, 1, 2], [900, 400, 700, 1000])


def sparring(horizon: int, policies: IntArray = EVERY) -> SparringEXP4P:
    return SparringEXP4P(policies, horizon, actions=3)


def ordered() -> FiniteContexts:
    """An order as an adversary might choose it: long blocks of one context, the hard ones first and last."""
    return FiniteContexts(cyclic_contexts().matrices, order=BLOCKS)


def only(result: Result) -> Runs:
    return next(iter(result.values()))


@dataclass(frozen=True)
class Interpreted:
    """A learner as a plug-in's author would write it: without kernels; it may write down its duels."""

    learner: SparringEXP4P
    seen: Callable[[Duel], None] = lambda duel: None

    def init(self, menu: Actions, rng: Generator) -> State:
        return self.learner.init(menu, rng)

    def ask(self, state: State, menu: Actions, rng: Generator) -> Duel:
        duel = self.learner.ask(state, menu, rng)
        self.seen(duel)
        return duel

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        return self.learner.tell(state, duel, outcome)

    def best(self, state: State, menu: Actions) -> int:
        return self.learner.best(state, menu)

    def winner(self, state: State) -> Any:
        return self.learner.winner(state)


class Nothing(NamedTuple):
    rounds: IntArray


@dataclass(frozen=True)
class Stubborn:
    """Always shows the same action."""

    action: int

    def init(self, menu: Actions, rng: Generator) -> Nothing:
        return Nothing(np.zeros(1, np.int64))

    def ask(self, state: Nothing, menu: Actions, rng: Generator) -> Duel:
        return Duel(self.action, self.action, context=menu.context)

    def tell(self, state: Nothing, duel: Duel, outcome: float) -> Nothing:
        return state

    def best(self, state: Nothing, menu: Actions) -> int:
        return self.action


@pytest.mark.parametrize("problem", [cyclic_contexts(), ordered()], ids=["drawn", "ordered"])
def test_compiled_runs_are_those_of_the_protocol(problem: FiniteContexts) -> None:
    learner = sparring(2000, FEW)
    result = simulate(
        {"compiled": learner, "interpreted": Interpreted(learner)}, problem, 1000, runs=2, seed=3, against=FEW
    )
    compiled, interpreted = result["compiled"], result["interpreted"]
    assert np.array_equal(compiled.regret, interpreted.regret)
    assert compiled.learned == pytest.approx(interpreted.learned, abs=1e-12)
    assert compiled.error == pytest.approx(interpreted.error, abs=1e-12)


@pytest.mark.parametrize("problem", [cyclic_contexts(), ordered()], ids=["drawn", "ordered"])
def test_regret_is_what_the_paper_defines(problem: FiniteContexts) -> None:
    duels: list[Duel] = []
    learner = Interpreted(sparring(400, FEW), duels.append)
    result = only(simulate(learner, problem, 400, runs=1, checkpoints=[7, 150], against=FEW))
    assert len(duels) == 400
    for mark, until in enumerate((7, 150, 400)):
        sums = np.zeros(len(FEW))
        for duel in duels[:until]:
            context = int(duel.context[0])
            margins = 2.0 * problem.matrices[context] - 1.0
            for policy, actions in enumerate(FEW):
                chosen = actions[context]
                sums[policy] += (margins[chosen, duel.left] + margins[chosen, duel.right]) / 2.0
        assert result.regret[0, mark] == pytest.approx(sums.max() / until)


def test_error_is_the_best_policy_s_margin_over_what_is_learned() -> None:
    problem = cyclic_contexts(hard=1, easy=3, rng=5)
    learner = sparring(3000)
    result = only(simulate(learner, problem, 3000, runs=1, seed=2, against=EVERY))
    rng, world_rng = generators(2, 0)
    state = learner.init(problem.menu(default_rng(0)), rng)
    for _ in range(3000):
        duel = learner.ask(state, problem.menu(world_rng), rng)
        state = learner.tell(state, duel, problem.play(duel, world_rng))
    margins = 2.0 * problem.policy_preferences(EVERY) - 1.0
    weights = learner.winner(state).weights
    assert result.error[0, -1] == pytest.approx(-(weights @ margins).min())
    assert result.learned[0] == pytest.approx(learner.winner(state).chances(np.arange(4.0)[:, None]))


def test_a_learner_that_shows_the_worst_pays_all_there_is() -> None:
    problem = FiniteContexts([worst_case(3, 0.3).matrix] * 4)
    result = simulate([Stubborn(2)], problem, 50, runs=1, against=EVERY)
    assert only(result).regret == pytest.approx(0.6)
    assert only(result).error == pytest.approx(0.6)
    assert only(result).learned[0].argmax(axis=1).tolist() == [2] * 4
    best = only(simulate([Stubborn(0)], problem, 50, runs=1, against=EVERY))
    assert best.regret == pytest.approx(0.0)


def test_equal_seeds_give_equal_results_whatever_the_workers() -> None:
    def once(seed: int, workers: int) -> Runs:
        return only(simulate(sparring(900), cyclic_contexts(), 900, 4, seed, workers=workers, against=EVERY))

    one, same, other = once(1, 1), once(1, 2), once(2, 1)
    assert np.array_equal(one.regret, same.regret)
    assert np.array_equal(one.learned, same.learned)
    assert not np.array_equal(one.regret, other.regret)
    assert len({row.tobytes() for row in one.regret}) == 4


@pytest.mark.parametrize("problem", [cyclic_contexts(), ordered()], ids=["drawn", "ordered"])
def test_regret_stays_below_the_bound_in_every_one_of_ten_runs(problem: FiniteContexts) -> None:
    result = simulate(sparring(30_000), problem, 30_000, runs=10, seed=1, against=EVERY)
    assert (
        result.bounds["sparring"][-1] < 0.35
    )  # what is shown of every action in a cycle alone would be no feat
    assert (only(result).regret[:, -1] < result.bounds["sparring"][-1]).all()
    # with slack: the constant is not tight
    assert only(result).regret[:, -1].max() < 0.5 * result.bounds["sparring"][-1]


def test_regret_falls_with_the_root_of_the_horizon() -> None:
    horizons = np.array([10_000, 30_000, 90_000])
    regrets: list[float] = []
    errors: list[float] = []
    for horizon in horizons:
        result = simulate(
            sparring(int(horizon)),
            cyclic_contexts(),
            int(horizon),
            6,
            checkpoints=[int(horizon)],
            against=EVERY,
        )
        regrets.append(float(only(result).regret[:, -1].mean()))
        errors.append(float(only(result).error[:, -1].mean()))
    slope = np.polyfit(np.log(horizons), np.log(regrets), 1)[0]
    assert -0.6 < slope < -0.4
    assert errors[0] > 1.4 * errors[1] > 1.4**2 * errors[2]


def test_the_mixture_ties_with_all_where_every_policy_loses_to_some() -> None:
    problem = cyclic_contexts()
    margins: FloatArray = 2.0 * problem.policy_preferences(EVERY) - 1.0
    assert condorcet(problem.policy_preferences(EVERY)) is None
    best_alone = margins.min(axis=1).max()
    assert best_alone == pytest.approx(-0.3)  # by 0.6 in two contexts of four
    result = only(simulate(sparring(100_000), problem, 100_000, runs=5, seed=4, against=EVERY))
    assert (result.error[:, -1] < 0.06).all()
    late = result.error[:, np.searchsorted(result.checkpoints, [1000, 10_000, 100_000])]
    assert (np.diff(late, axis=1) < -0.03).all()


def test_results_survive_the_disk_and_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    result = simulate(
        {"sparring": sparring(500), "stubborn": Stubborn(1)},
        cyclic_contexts(),
        500,
        2,
        against=FinitePolicies(EVERY),
    )
    again = Result.load(result.save(tmp_path / "result.npz"))
    assert (again.kind, again.against, again.seed) == ("contexts", result.against, 0)
    assert np.array_equal(again.bounds["sparring"], result.bounds["sparring"])
    for name in ("checkpoints", "regret", "error", "learned"):
        assert np.array_equal(getattr(again["sparring"], name), getattr(result["sparring"], name))
    assert list(again.to_frame().columns) == ["learner", "run", "round", "regret", "error"]
    figure = result.plot(tmp_path / "regret.svg")
    assert [axes.get_xlabel() for axes in figure.axes] == ["round", "round"]
    assert len(figure.axes[0].lines) == 3
    (tmp_path / "other.npz").write_bytes(b"nothing")
    with pytest.raises(FileError):
        Result.load(tmp_path / "other.npz")


def test_what_cannot_be_played_is_refused() -> None:
    problem, learner = cyclic_contexts(), sparring(100)
    wrong: Any = worst_case(3)
    with refused(ParameterError, "against"):
        simulate(learner, wrong, 100, against=EVERY)
    with refused(ParameterError, "actions", 4, (81, 2)):
        simulate(learner, problem, 100, against=EVERY[:, :2])
    with refused(ParameterError, "SparringEXP4P", "2 contexts", 4):
        simulate(SparringEXP4P(EVERY[:, :2], 100), problem, 100, against=EVERY)
    with refused(ParameterError, "4 Actions"):
        simulate(SparringEXP4P(EVERY, 100, actions=4), problem, 100, runs=1, against=EVERY)
    for option in ({"horizon": 0}, {"runs": 0}, {"seed": -1}, {"workers": 0}):
        options: dict[str, Any] = {"horizon": 100} | option
        with refused(ParameterError, *option, *option.values()):
            simulate(learner, problem, against=EVERY, **options)
