"""The default: little regret where a model holds, no harm where it does not, new arms at any time."""

import numpy as np
import pytest

from duelist import RMED2, RUCB, Auto, Duel, MatrixProblem, Study, TopTwoBradleyTerry, simulate
from duelist.errors import ParameterError
from duelist.learners.armed.auto import State
from duelist.problems import condorcet_cycle, random_bradley_terry
from duelist.registry import build_learner


def winner_in_disguise(k: int = 8, lead: float = 0.6) -> MatrixProblem:
    """Arm 0 beats all others by little, arm 1 all others but 0 for sure: by a model, arm 1 is best."""
    matrix = np.triu(np.ones((k, k)), 1) + np.eye(k) / 2.0
    matrix[0, 1:], matrix[1:, 0] = lead, 1.0 - lead
    return MatrixProblem(matrix)


@pytest.mark.parametrize("learner", [Auto(), TopTwoBradleyTerry()], ids=repr)
def test_where_the_model_holds_regret_is_a_third_of_rucbs(learner: Auto) -> None:
    for k, seed in ((10, 1), (30, 2)):
        problem = random_bradley_terry(k, rng=seed)
        found = simulate({"it": learner, "RUCB": RUCB()}, problem, 30_000, runs=4, seed=0)
        assert found["it"].accuracy == 1.0
        assert 3.0 * found["it"].regret[:, -1].mean() < found["RUCB"].regret[:, -1].mean()


def test_its_regret_grows_ever_slower() -> None:
    found = simulate(
        Auto(), random_bradley_terry(8, rng=3), 100_000, runs=10, seed=0, checkpoints=[1_000, 10_000]
    )
    early, middle, late = np.diff(np.column_stack([np.zeros(10), found["Auto"].regret]), axis=1).mean(axis=0)
    assert middle < 2.0 * early
    assert late < 2.0 * early  # ten times and a hundred times as many rounds


@pytest.mark.parametrize(
    "problem", [winner_in_disguise(), condorcet_cycle(6, 0.2)], ids=["disguise", "circle"]
)
def test_where_the_model_misleads_the_winner_is_found_all_the_same(problem: MatrixProblem) -> None:
    found = simulate([Auto(), RMED2()], problem, 50_000, runs=8, seed=0)
    assert found["Auto"].accuracy == 1.0
    assert found["Auto"].regret[:, -1].mean() < 2.0 * found["RMED2"].regret[:, -1].mean() + 100.0


def trusts_order(study: Study) -> bool:
    state = study._now().player.state
    assert isinstance(state, State)
    return bool(state.look[0] < np.inf)


def test_it_gives_its_model_up_once_and_for_good() -> None:
    study, beats = (
        Study(arms=["rock", "paper", "scissors"]),
        {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")},
    )
    for _ in range(60):
        duel = study.ask()
        study.tell(duel, "left" if (duel.left, duel.right) in beats else "right")
    assert not trusts_order(study)
    for _ in range(600):
        study.tell(Duel("rock", "paper"), "left")
        study.tell(Duel("rock", "scissors"), "left")
    assert not trusts_order(study)
    assert study.best() == "rock"


def test_an_arm_that_joins_late_can_win() -> None:
    study = Study(arms=["b", "c", "d"], seed=1)
    for _ in range(60):
        duel = study.ask()
        study.tell(duel, "left" if duel.left < duel.right else "right")
    assert study.best() == "b"
    study.add_arm("a")
    asked = 0
    while study.best() != "a":
        duel = study.ask()
        study.tell(duel, "left" if duel.left < duel.right else "right")
        asked += 1
    assert asked < 30
    study.retire_arm("a")
    assert study.best() == "b"
    assert all("a" not in study.ask(n=20)[place][:2] for place in range(20))


def test_a_horizon_must_be_a_number_of_rounds() -> None:
    for wrong in (0, -3, 2.5):
        with pytest.raises(ParameterError, match="horizon must be a whole number"):
            build_learner("Auto", horizon=wrong)
    with pytest.raises(ParameterError, match="precision must be a positive number"):
        TopTwoBradleyTerry(precision=0.0)
