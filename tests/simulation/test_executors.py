"""Simulations by an executor give the same bits as by threads; everything in the catalogue is picklable."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from catalogue import all_examples, catalogue_point_learners, catalogue_problems
from numpy.random import default_rng
from parallel.backwards import Backwards
from parallel.experiments import EXPERIMENTS, POLICIES, assert_same_bits
from refusals import refused

from duelist import (
    RUCB,
    Ball,
    RankerDuel,
    SparringEXP4P,
    Uniform,
    UtilityProblem,
    simulate,
)
from duelist.errors import ParameterError
from duelist.metrics import target
from duelist.parallel import Processes
from duelist.parallel.executors import pack
from duelist.problems import LinearRankerSpace, p1, p5, worst_case
from duelist.problems.cyclic_contexts import cyclic_contexts
from duelist.protocols import Learner
from duelist.ranking import synthetic_ranking_data
from duelist.simulation.runs import cut, measure_all
from duelist.simulation.settings import ArmSetting

DATA = synthetic_ranking_data(queries=10, features=3)


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_an_executor_makes_the_same_bits_as_threads(experiment: Callable[[Any], Any]) -> None:
    expected = experiment(None)
    for executor in (Backwards(), Backwards(100), Processes(1)):
        assert_same_bits(experiment(executor), expected)


def test_runs_are_cut_so_that_everyone_has_work() -> None:
    executor = Backwards(size=2)
    simulate([RUCB(), Uniform()], worst_case(3), 10, runs=20, executor=executor)
    assert executor.tasks[:8] == [("RUCB", part) for part in cut(list(range(20)), 8)]
    assert executor.tasks[8:] == [("Uniform", part) for part in cut(list(range(20)), 8)]
    for runs, most in ((1, 8), (7, 8), (8, 8), (20, 8), (1_000, 12)):
        parts = cut(range(runs), most)
        assert [number for part in parts for number in part] == list(range(runs))
        assert len(parts) == min(runs, most)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_progress_is_what_is_ready() -> None:
    shown = list[tuple[str, float]]()
    problem = worst_case(3)
    setting = ArmSetting(problem, target(problem.matrix, None), np.array([10]), seed=0)

    class Here(Backwards):
        def as_completed(self, job: Any, tasks: Any) -> Any:
            return ((place, job(task)) for place, task in enumerate(tasks))

    def show(what: str, share: float, standing: str = "") -> None:
        shown.append((what, share))

    measure_all(setting, {"a": Uniform(), "b": Uniform()}, 2, None, Here(), show)
    assert shown == [("a", 0.0), ("b", 0.0), ("a", 0.5), ("a", 1.0), ("b", 0.5), ("b", 1.0)]


def test_threads_and_an_executor_are_not_both_taken() -> None:
    with refused(ParameterError, "workers", 2, "executor"):
        simulate(RUCB(), worst_case(3), 10, workers=2, executor=Processes(1))


def test_utilities_that_processes_cannot_be_sent_are_refused() -> None:
    problem = UtilityProblem(Ball(2), lambda point: -float(np.sum(point**2)), [0.0, 0.0])
    (learner,) = (one for one in catalogue_point_learners() if type(one).__name__ == "BGD1")
    with refused(ParameterError, "process"):
        simulate(learner, problem, 10, runs=2, executor=Processes(1))


def test_errors_of_runs_come_as_they_are() -> None:
    learner, problem, policies = SparringEXP4P(POLICIES, 10), cyclic_contexts(2, 2), np.eye(4, dtype=int)
    with refused(ParameterError, "SparringEXP4P", "3 contexts", 4):
        simulate(learner, problem, 10, executor=Processes(1), against=policies)


def test_every_learner_can_travel() -> None:
    for learner in all_examples():
        arrived = pickle.loads(pack(learner))
        assert type(arrived) is type(learner)
        assert repr(arrived).partition(" object at ")[0] == repr(learner).partition(" object at ")[0]


def first_duels(problem: Any, learner: Learner[Any]) -> list[float]:
    """The outcomes of the first duels, drawn by the problem's own generator."""
    rng, world_rng = default_rng(1), default_rng(2)
    menu = problem.menu(world_rng)
    state = learner.init(menu, rng)
    return [problem.play(learner.ask(state, menu, rng), world_rng) for _ in range(20)]


PROBLEMS: dict[str, tuple[Any, Learner[Any]]] = {
    **{name: (problem, Uniform()) for name, problem in catalogue_problems().items()},
    "rankers": (RankerDuel(DATA, range(3)), Uniform()),
    "utility": (p1(d=3), catalogue_point_learners()[0]),
    "other utility": (p5(d=3), catalogue_point_learners()[0]),
    "linear rankers": (LinearRankerSpace(DATA), catalogue_point_learners()[0]),
    "contexts": (cyclic_contexts(1, 2), SparringEXP4P(POLICIES, 100)),
}


@pytest.mark.parametrize(("problem", "learner"), PROBLEMS.values(), ids=PROBLEMS)
def test_every_problem_can_travel(problem: Any, learner: Learner[Any]) -> None:
    arrived = pickle.loads(pack(problem))
    assert type(arrived) is type(problem)
    assert first_duels(arrived, learner) == first_duels(problem, learner)


def test_data_can_travel_and_stays_read_only() -> None:
    arrived = pickle.loads(pack(DATA))
    np.testing.assert_array_equal(arrived.features, DATA.features)
    assert arrived.features.flags.writeable == DATA.features.flags.writeable
    fixed = worst_case(4).matrix
    assert pickle.loads(pack(worst_case(4))).matrix.flags.writeable == fixed.flags.writeable
