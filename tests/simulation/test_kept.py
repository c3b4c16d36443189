"""Finished runs of an interrupted simulation are kept, and the same simulation resumes from them."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from parallel.backwards import Backwards
from parallel.experiments import assert_same_bits
from refusals import refused

from duelist import Arms, Duel, MatrixProblem, PairwiseGradientRanker, RankingProblem, Uniform, simulate
from duelist.clicks import perfect
from duelist.errors import FileError, OutcomeError
from duelist.problems import worst_case
from duelist.ranking import synthetic_ranking_data
from duelist.simulation import runs as played_runs
from duelist.simulation.kept import identity
from examples.plugin_learner import EpsilonGreedy, State

PROBLEM = worst_case(3)
LEARNERS = {"one": Uniform(), "two": Uniform()}


class Interrupter:
    """Plays runs, but is interrupted before a run of that number, counted over all learners."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left, self.played, self.play = -1, 0, played_runs.Setting.play
        monkeypatch.setattr(played_runs.Setting, "play", lambda *given: self(*given))

    def __call__(self, *given: Any) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        self.played += 1
        self.play(*given)


@pytest.fixture
def interrupter(monkeypatch: pytest.MonkeyPatch) -> Interrupter:
    return Interrupter(monkeypatch)


@pytest.mark.parametrize("first", [1, 4, 6])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_it_goes_on_where_it_was(
    first: int, elsewhere: bool, interrupter: Interrupter, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"executor": Backwards()} if elsewhere else {"workers": 1}
    kept = tmp_path / "kept.npz"
    whole = simulate(LEARNERS, PROBLEM, 50, runs=4)
    interrupter.left, interrupter.played = first, 0
    with pytest.raises(KeyboardInterrupt):
        simulate(LEARNERS, PROBLEM, 50, runs=4, keep=kept, **options)
    interrupter.left = -1
    assert_same_bits(whole, simulate(LEARNERS, PROBLEM, 50, runs=4, keep=kept, **options))
    assert interrupter.played == 8


def test_another_simulation_is_refused_but_more_runs_are_not(
    interrupter: Interrupter, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.npz"
    interrupter.left = 3
    with pytest.raises(KeyboardInterrupt):
        simulate(Uniform(), PROBLEM, 50, runs=4, workers=1, keep=kept)
    interrupter.left, interrupter.played = -1, 0
    for problem, horizon, seed, other in (
        (PROBLEM, 60, 0, "horizon or checkpoints"),
        (PROBLEM, 50, 1, "seed"),
        (worst_case(3, 0.2), 50, 0, "problem, winner to measure against"),
    ):
        with refused(FileError, "kept.npz", other):
            simulate(Uniform(), problem, horizon, runs=4, seed=seed, keep=kept)
    assert interrupter.played == 0
    more = simulate(Uniform(), PROBLEM, 50, runs=6, keep=kept)
    assert interrupter.played == 3
    assert_same_bits(more, simulate(Uniform(), PROBLEM, 50, runs=6))


def test_a_learner_of_another_kind_is_played_anew(interrupter: Interrupter, tmp_path: Path) -> None:
    kept = tmp_path / "kept.npz"
    interrupter.left = 3
    with pytest.raises(KeyboardInterrupt):
        simulate({"a": Uniform(), "b": Uniform()}, PROBLEM, 20, runs=2, workers=1, keep=kept)
    interrupter.left, interrupter.played = -1, 0
    renamed = {"a": OtherUniform(), "b": Uniform()}
    simulate(renamed, PROBLEM, 20, runs=2, workers=1, keep=kept)
    assert interrupter.played == 3


@dataclass(frozen=True)
class Hidden(Uniform):
    mode: int = field(default=0, repr=False)


def test_who_is_the_same_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    assert identity(Hidden(1)) == identity(Hidden(1))
    assert identity(Hidden(0)) != identity(Hidden(1))
    monkeypatch.setattr("duelist.simulation.kept.fingerprint_of", lambda package: None)
    assert identity(Uniform()) != identity(Uniform())


class Leaving(EpsilonGreedy):
    def ask(self, state: State, menu: Arms, rng: np.random.Generator) -> Duel:
        sys.exit(0)


def test_a_learner_that_ends_the_program_is_an_error() -> None:
    with refused(OutcomeError, "Leaving", "SystemExit"):
        simulate(Leaving(), PROBLEM, 20, runs=2)


class OtherUniform(Uniform):
    """A learner of one's own."""


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 half an archive"])
def test_what_cannot_be_read_is_said(content: bytes, tmp_path: Path) -> None:
    kept = tmp_path / "kept.npz"
    kept.write_bytes(content)
    with refused(FileError, "kept.npz"):
        simulate(Uniform(), PROBLEM, 20, runs=2, keep=kept)
    assert kept.read_bytes() == content


def test_rankings_go_on_too(interrupter: Interrupter, tmp_path: Path) -> None:
    kept = tmp_path / "kept.npz"
    data = synthetic_ranking_data(queries=10, features=3)

    def train(**options: Any) -> Any:
        return simulate(
            PairwiseGradientRanker(), RankingProblem(data, perfect(grades=3)), 50, runs=3, **options
        )

    interrupter.left = 2
    with pytest.raises(KeyboardInterrupt):
        train(workers=1, keep=kept)
    interrupter.left, interrupter.played = -1, 0
    gone_on = train(keep=kept)
    assert interrupter.played == 1
    assert_same_bits(gone_on, train())
    assert np.array_equal(*(one["PairwiseGradientRanker"].weights for one in (gone_on, train())))


class Inverted(MatrixProblem):
    """A problem of one's own."""

    def play(self, duel: Duel, rng: np.random.Generator) -> float:
        return 1.0 - super().play(duel, rng)


def test_runs_of_a_problem_of_one_s_own_are_taken_up_while_its_code_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, problem = tmp_path / "kept.npz", Inverted(PROBLEM.matrix)
    options: dict[str, Any] = {"runs": 2, "keep": kept}
    simulate(EpsilonGreedy(), problem, 20, **options)
    simulate(EpsilonGreedy(), problem, 20, **options)
    monkeypatch.setattr("duelist.simulation.kept.fingerprint_of", lambda package: "changed")
    with refused(FileError, "kept.npz", "code of the problem"):
        simulate(EpsilonGreedy(), problem, 20, **options)


def test_runs_of_a_problem_with_a_method_set_on_it_are_not_taken_up(tmp_path: Path) -> None:
    kept, problem = tmp_path / "kept.npz", MatrixProblem(PROBLEM.matrix)
    vars(problem)["play"] = lambda duel, rng: 1.0
    simulate(EpsilonGreedy(), problem, 20, runs=2, keep=kept)
    with refused(FileError, "kept.npz", "code of the problem"):
        simulate(EpsilonGreedy(), problem, 20, runs=2, keep=kept)
