from collections.abc import Callable

import numpy as np
import pytest

from duelist import Arms, BeatTheMean, CondorcetSavage, simulate
from duelist.kernels.arms import arm_menu
from duelist.kernels.duels import arm_buffer
from duelist.laboratory import Finding, ItemResults, PieceResult, agrees
from duelist.problems import worst_case
from duelist.simulation.runs import generators
from duelist_reproductions.single_match import mean_length
from duelist_reproductions.zoghi2014 import PAPER
from duelist_reproductions.zoghi2014.figure4.matches import play_to_removal, removal_chances
from duelist_reproductions.zoghi2014.figure4.sweep import MATCH
from duelist_reproductions.zoghi2014.figure4.verdicts import beat_the_mean_match, savage_match, widest

pytest_plugins = ["quick_scale"]
HORIZON, EPSILON = int(MATCH["horizon"]), MATCH["epsilon"]
LEVEL = PAPER.expected["figure4"]["claims"]["savage_match"]["tolerance"]


@pytest.fixture(scope="module")
def played(play_quickly: Callable[[str], ItemResults]) -> ItemResults:
    return play_quickly("zoghi2014/figure4")


def fits(found: Finding) -> bool | None:
    return agrees({"paper": None, "tolerance": None, "test": "at_most"}, found.value, found.limit)


def test_matches_last_as_long_as_they_should(played: ItemResults) -> None:
    assert fits(savage_match(played["savage-matches"], LEVEL))
    assert fits(beat_the_mean_match(played["mean-matches"], LEVEL))


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_radius_of_savage_off_by_2_percent_is_found_out(played: ItemResults, factor: float) -> None:
    # log(2 T / delta) times the square of the factor
    delta = 2.0 * HORIZON / (2.0 * HORIZON**2) ** (factor**2)
    learner = CondorcetSavage(HORIZON, delta)
    assert learner.rules(2).spread == pytest.approx(factor**2 * CondorcetSavage(HORIZON).rules(2).spread)
    right = played["savage-matches"]
    runs = len(right["duels"])
    wrong = simulate(learner, worst_case(2, EPSILON), HORIZON, runs, checkpoints=[HORIZON])["CondorcetSavage"]
    assert fits(savage_match(PieceResult({}, {**right, "duels": wrong.informative}), LEVEL)) is False


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_radius_of_beat_the_mean_off_by_2_percent_is_found_out(played: ItemResults, factor: float) -> None:
    right, learner = played["mean-matches"], BeatTheMean(HORIZON)
    rules = learner.rules(2)._replace(radius=factor * learner.rules(2).radius)
    rounds = []
    for run in range(len(right["sweeps"])):
        rng, world_rng = generators(0, run)
        state = learner.blank(2, rng)
        rounds.append(
            play_to_removal(
                rules, state, worst_case(2, EPSILON).matrix, arm_menu(Arms(2)), arm_buffer(), rng, world_rng
            )
        )
    sweeps = (np.array(rounds) + 1) // 2
    assert fits(beat_the_mean_match(PieceResult({}, {**right, "sweeps": sweeps}), LEVEL)) is False


def test_removals_as_tossed() -> None:
    rng, radius, win = np.random.default_rng(5), 1.5, 0.8
    late, soon = (removal_chances(radius, win, ahead) for ahead in (0.0, 1.0))
    lead, lengths = np.zeros(4_000), list[int]()
    for sweeps in range(1, 1_000):
        # an arm has its duel with itself, a tie, or with the other
        one, other = (
            np.where(rng.random(len(lead)) < 0.5, 0.5, rng.random(len(lead)) < chance)
            for chance in (win, 1.0 - win)
        )
        lead += one - other
        decided = np.abs(lead) >= 2.0 * radius * np.sqrt(sweeps)
        lengths += [sweeps] * int(decided.sum())
        lead = lead[~decided]
    assert len(lengths) == 4_000
    assert late.sum() == pytest.approx(1.0, abs=1e-8)
    assert np.mean(lengths) == pytest.approx(mean_length(late), abs=4.0 * np.std(lengths) / 4_000**0.5)
    assert mean_length(soon) < mean_length(late)
    assert 0.0 < widest(late, soon) < 1.0


def test_a_removal_is_played_by_the_learner_itself() -> None:
    learner, problem = BeatTheMean(50, gamma=1.0), worst_case(2, 0.45)
    rng, world_rng = generators(3, 0)
    state = learner.blank(2, rng)
    menu, duel = arm_menu(Arms(2)), arm_buffer()
    rounds = play_to_removal(learner.rules(2), state, problem.matrix, menu, duel, rng, world_rng)
    assert state.size[0] == 1
    # all records of the removed arm are gone, all but those of the last arm with itself
    assert 0 < state.met[state.queue[0]] < rounds
