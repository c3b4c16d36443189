"""The default learner: low regret if the model fits, no harm if it does not, and new arms at any time."""

import numpy as np
import pytest
from numpy.random import default_rng
from reference_learners.auto import ReferenceAuto
from refusals import refused
from study.world import fresh, known, same_folds

from duelist import RMED2, RUCB, Arms, Auto, Duel, MatrixProblem, Study, TopTwoBradleyTerry, simulate
from duelist.errors import ParameterError
from duelist.learners.armed.auto import State
from duelist.problems import condorcet_cycle, random_bradley_terry
from duelist.registry import build_learner


def winner_in_disguise(k: int = 8, lead: float = 0.6) -> MatrixProblem:
    """Arm 0 beats all others narrowly, arm 1 beats all but arm 0 with certainty: the model prefers arm 1."""
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
    state = study._live.now().player.state
    assert isinstance(state, State)
    return bool(state.look[0] < np.inf)


def rock_paper_scissors(votes: int) -> Study:
    study, beats = (
        Study(arms=["rock", "paper", "scissors"]),
        {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")},
    )
    for _ in range(votes):
        duel = study.ask()
        study.tell(duel, "left" if (duel.left, duel.right) in beats else "right")
    return study


def test_it_gives_its_model_up_once_and_for_good() -> None:
    study = rock_paper_scissors(60)
    assert not trusts_order(study)
    for _ in range(600):
        study.tell(Duel("rock", "paper"), "left")
        study.tell(Duel("rock", "scissors"), "left")
    assert not trusts_order(study)
    assert study.best() == "rock"


def test_an_arm_that_joins_after_the_model_was_given_up_meets_all_others_as_in_rmed() -> None:
    circle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    matrix = np.triu(np.full((5, 5), 0.3), 1) + np.tril(np.full((5, 5), 0.7), -1) + np.eye(5) / 2.0
    matrix[:3, :3] = circle
    learner, problem = Auto(), MatrixProblem(matrix)
    rng, world_rng = default_rng(0), default_rng(1)
    ranks = rng.random(5)
    state = learner.grown(learner.init(Arms(3), default_rng(0)), ranks[:3])
    reference = ReferenceAuto(3, default_rng(0), None)
    reference.order = np.argsort(ranks[:3]).tolist()
    for k in (3, 4, 5):
        if k > 3:
            state = learner.grown(state, ranks[:k])
            assert reference.successor is not None
            reference.successor.add_arm(ranks[:k], 0.3 * k**1.01)
        for _ in range(300):
            duel = learner.ask(state, Arms(k), rng)
            if reference.successor is not None:
                assert duel[:2] == reference.ask(rng)
                met = state.wins + state.wins.T + np.diag(np.full(k, np.inf))
                np.testing.assert_array_equal(state.fewest, met.min(axis=1))
            outcome = problem.play(duel, world_rng)
            learner.learn(state, duel, outcome)
            reference.tell(duel.left, duel.right, outcome)
    assert learner.best(state, Arms(5)) == reference.best() == 4


def test_a_study_asks_about_an_arm_that_joins_after_the_model_was_given_up() -> None:
    study = rock_paper_scissors(60)
    assert not trusts_order(study)
    study.add_arm("well")
    met = set[str]()
    for _ in range(3):
        duel = study.ask()
        assert "well" in duel[:2]
        met |= {duel.left, duel.right}
        study.tell(duel, "left" if duel.left == "well" else "right")
    assert met == {"rock", "paper", "scissors", "well"}
    assert study.best() == "well"
    assert same_folds(fresh(study._journal), known(study))


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
    for wrong in (0, -3, 2.5, True):
        with refused(ParameterError, "horizon", wrong):
            build_learner("Auto", horizon=wrong)
    with refused(ParameterError, "precision", 0.0):
        TopTwoBradleyTerry(precision=0.0)
