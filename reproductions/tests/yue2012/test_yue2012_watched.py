import numpy as np
import pytest

from duelist import simulate
from duelist.learners.armed import InterleavedFilter1, InterleavedFilter2
from duelist.learners.armed.interleaved_filter import InterleavedFilter
from duelist.metrics import target
from duelist.problems import MatrixProblem, random_bradley_terry, worst_case
from duelist.simulation.runs import generators
from duelist.simulation.settings import ArmSetting
from duelist_reproductions.yue2012.watched import new_run, play, play_watched, watch

FILTERS = (InterleavedFilter1, InterleavedFilter2)


def count_obviously(
    learner: InterleavedFilter, problem: MatrixProblem, rounds: int, index: int
) -> tuple[int, int]:
    """Play through the protocol; count incumbents, and pairs that met under each."""
    rng, world_rng = generators(5, index)
    menu = problem.menu(world_rng)
    state = learner.init(menu, rng)
    incumbents = [int(state.incumbent[0])]
    met = set()
    for _ in range(rounds):
        duel = learner.ask(state, menu, rng)
        if duel.left != duel.right:
            met.add((len(incumbents), duel.left, duel.right))
        state = learner.tell(state, duel, problem.play(duel, world_rng))
        if state.incumbent[0] != incumbents[-1]:
            incumbents.append(int(state.incumbent[0]))
    return len(incumbents), len(met)


@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.parametrize("index", range(4))
def test_counts_are_those_of_an_obvious_observer(kind: type[InterleavedFilter], index: int) -> None:
    learner, problem, length = kind(horizon=100, factor=0.5), worst_case(6, 0.3), 4_000
    setting = ArmSetting(problem, target(problem.matrix), np.array([length]), seed=5, stepwise=True)
    run = new_run(setting, index)
    watched = watch(learner.init(problem.menu(), run.rng))
    play(learner.rules(problem.k), watched, run)
    assert watched.state.size[0] == 0
    assert (watched.rounds[0], watched.matches[0]) == count_obviously(learner, problem, length, index)


@pytest.mark.parametrize("kind", FILTERS)
def test_watching_changes_nothing(kind: type[InterleavedFilter]) -> None:
    learner, problem, marks = kind(horizon=10**5), random_bradley_terry(12, rng=3), (10_000, 10**7)
    seen = play_watched(learner, problem, marks, range(2, 6), seed=9)
    played = simulate({"it": learner}, problem, marks[-1], 6, 9, checkpoints=marks, workers=1)["it"]
    assert (seen["regret"] == played.regret[2:]).all()
    assert (seen["best"] == played.best[2:]).all()
    assert (seen["duels"] == played.informative[2:]).all()


def test_both_filters_start_from_the_same_incumbent_and_order_which_differ_from_run_to_run() -> None:
    menu, starts = worst_case(40).menu(), set()
    for index in range(9):
        first, second = (kind(horizon=1_000).init(menu, generators(7, index)[0]) for kind in FILTERS)
        assert first.incumbent[0] == second.incumbent[0]
        assert (first.queue == second.queue).all()
        assert sorted([first.incumbent[0], *first.queue[:39]]) == list(range(40))
        starts.add(int(first.incumbent[0]))
    assert len(starts) > 4
