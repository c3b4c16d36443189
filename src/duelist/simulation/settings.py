"""The settings for the four kinds of problems: arms, points of a space, contexts, lists of documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, Duel, IntArray
from duelist.kernels import arms, contexts, points
from duelist.kernels.duels import QueryMenu, arm_buffer, point_buffer
from duelist.kernels.loop import Ledger, open_ledger
from duelist.kernels.points import region_of
from duelist.menus import Actions, Documents, Impression
from duelist.menus.finite import require_best
from duelist.metrics import Target
from duelist.protocols import KnownContexts, KnownProblem, KnownRankings, KnownUtility, ScoredProblem
from duelist.simulation.result import Runs
from duelist.simulation.runs import Contender, Setting, in_kernels


@dataclass(frozen=True)
class ArmSetting(Setting[Runs]):
    problem: KnownProblem | ScoredProblem
    target: Target
    marks: IntArray
    seed: int
    stepwise: bool = False

    measures = ("regret", "weak_regret", "best")

    @cached_property
    def compiled(self) -> bool:
        """Whether the preferences are known and no overridden method decides duels."""
        return isinstance(self.problem, KnownProblem) and in_kernels(self.problem)

    @cached_property
    def world(self) -> arms.ArmWorld:
        known = self.problem.matrix if isinstance(self.problem, KnownProblem) else np.empty((0, 0))
        gaps = np.atleast_2d(self.target.gaps)
        return arms.ArmWorld(np.ascontiguousarray(known), np.ascontiguousarray(gaps))

    def ledger(self, halt: BoolArray) -> Ledger:
        return arms.open_arm_ledger(self.marks, len(self.target.gaps), halt)

    def start(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Contender:
        return Contender(learner, learner.init(self.problem.menu(world_rng), rng), ledger, rng, world_rng)

    def loop(self, contender: Contender) -> None:
        menu = arms.arm_menu(self.problem.menu())
        contender.loop(self.world, menu, arm_buffer(), stepwise=self.stepwise)

    def round(self, contender: Contender) -> None:
        duel = contender.play(self.problem, self.problem.menu())
        arms.book(self.world, contender.ledger, duel.left, duel.right, 1)

    def close(self, contender: Contender, mark: int) -> None:
        menu = self.problem.menu()
        best = contender.learner.best(contender.state, menu)
        contender.ledger.answer[0] = require_best(contender.learner, best, menu.k)
        arms.close_arms(self.world, contender.ledger, mark)

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> Runs:
        measures = self.measured(ledgers)
        best = measures["best"].astype(np.int64)
        right = np.isin(best, self.target.winners).astype(np.float64)
        accuracy = right if self.target.winners else np.full_like(right, np.nan)
        plays = np.stack([ledger.plays[0] for ledger in ledgers])
        informative = np.array([ledger.counts[0] for ledger in ledgers])
        ends = {"best": best[:, -1], "plays": plays, "informative": informative}
        return Runs(repr(learner), self.marks, measures | {"best": best, "accuracy": accuracy}, ends)


@dataclass(frozen=True)
class PointSetting(Setting[Runs]):
    problem: KnownUtility
    marks: IntArray
    seed: int

    measures = ("regret", "weak_regret", "gap")

    @cached_property
    def compiled(self) -> bool:
        """Whether the problem has a compiled form and no overridden method decides duels."""
        return getattr(self.problem, "world", None) is not None and in_kernels(self.problem)

    def ledger(self, halt: BoolArray) -> Ledger:
        return points.open_point_ledger(self.marks, self.problem.menu().d, halt)

    def start(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Contender:
        return Contender(learner, learner.init(self.problem.menu(world_rng), rng), ledger, rng, world_rng)

    def loop(self, contender: Contender) -> None:
        """Play a whole run; raise the problem's error if a utility that is not finite ended it."""
        # each run has its own world, because it may have buffers
        world, menu = points.PointWorld(getattr(self.problem, "world", None)), self.problem.menu()
        run = contender.loop(world, region_of(menu), point_buffer(menu.d))
        if self.done(contender.ledger) < 1.0 and not contender.ledger.halt[0]:
            self.problem.play(Duel(run.duel.sides[0], run.duel.sides[1]), run.world_rng)

    def round(self, contender: Contender) -> None:
        duel = contender.play(self.problem, self.problem.menu())
        points.book_points(contender.ledger, self.problem.gap(duel.left), self.problem.gap(duel.right))

    def close(self, contender: Contender, mark: int) -> None:
        contender.ledger.answer[:] = contender.learner.best(contender.state, self.problem.menu())
        points.close_points(contender.ledger, mark, self.problem.gap(contender.ledger.answer))

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> Runs:
        best = np.stack([ledger.answer for ledger in ledgers])
        return Runs(repr(learner), self.marks, self.measured(ledgers), {"best": best})


@dataclass(frozen=True)
class ContextSetting(Setting[Runs]):
    problem: KnownContexts
    policies: IntArray
    marks: IntArray
    seed: int

    measures = ("regret", "error")

    @cached_property
    def compiled(self) -> bool:
        """Whether no overridden method decides duels."""
        return in_kernels(self.problem)

    @cached_property
    def world(self) -> contexts.ContextWorld:
        known = self.problem
        return contexts.ContextWorld(
            known.matrices, known.chances, known.cumulated, known.order, self.policies
        )

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger; its answer is the probability of each action in each context."""
        shape = self.world.preferences.shape[:2]
        return open_ledger(self.marks, halt, measures=2, answer=np.zeros(shape), plays=shape)

    def start(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Contender:
        menu = Actions(self.world.preferences.shape[1], np.zeros(1))
        return Contender(learner, learner.init(menu, rng), ledger, rng, world_rng)

    def loop(self, contender: Contender) -> None:
        menu = contexts.action_menu(self.world.preferences.shape[1])
        contender.loop(self.world, menu, contender.learner.buffer(contender.state))

    def round(self, contender: Contender) -> None:
        menu = self.problem.menu(contender.world_rng, int(contender.ledger.played[0]))
        duel = contender.play(self.problem, menu)
        contexts.book_actions(contender.ledger, int(menu.context[0]), duel.left, duel.right)

    def close(self, contender: Contender, mark: int) -> None:
        """Record each action's probability in each context; 1 for the best if the learner has no mixture."""
        many, k = contender.ledger.answer.shape
        numbers = np.arange(many, dtype=np.float64)[:, np.newaxis]
        if hasattr(contender.learner, "winner"):
            contender.ledger.answer[:] = contender.learner.winner(contender.state).chances(numbers)
        else:
            best = [contender.learner.best(contender.state, Actions(k, number)) for number in numbers]
            contender.ledger.answer[:] = np.eye(k)[best]
        contexts.close_actions(self.world, contender.ledger, mark)

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> Runs:
        learned = np.stack([ledger.answer for ledger in ledgers])
        return Runs(repr(learner), self.marks, self.measured(ledgers), {"learned": learned})


@dataclass(frozen=True)
class ListSetting(Setting[Runs]):
    problem: KnownRankings
    marks: IntArray
    seed: int

    measures = ("quality", "shown_quality")

    @cached_property
    def compiled(self) -> bool:
        """Whether no overridden method decides clicks."""
        return in_kernels(self.problem)

    @cached_property
    def blank(self) -> Documents:
        """A menu of which only the number of features matters."""
        return Documents(np.zeros((1, self.problem.d)))

    def ledger(self, halt: BoolArray) -> Ledger:
        answer = np.zeros(self.problem.d)
        return open_ledger(self.marks, halt, measures=2, answer=answer, sums=1, counts=1)

    def start(self, learner: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Contender:
        return Contender(learner, learner.init(self.blank, rng), ledger, rng, world_rng)

    def loop(self, contender: Contender) -> None:
        menu = QueryMenu(self.problem.corpus, np.zeros(1, np.int64))
        buffer = contender.learner.list_buffer(contender.state, menu)
        contender.loop(self.problem.world(contender.learner.length), menu, buffer)

    def round(self, contender: Contender) -> None:
        ledger, menu = contender.ledger, self.problem.menu(contender.world_rng)
        shown = contender.play(self.problem, menu, Impression)
        quality = self.problem.list_quality(shown)
        ledger.played[0] += 1
        if quality is not None:
            ledger.sums[0] += quality
            ledger.counts[0] += 1

    def close(self, contender: Contender, mark: int) -> None:
        ledger = contender.ledger
        ledger.answer[:] = contender.learner.best(contender.state, self.blank).weights
        ledger.measures[:, mark] = (
            self.problem.quality(ledger.answer),
            ledger.sums[0] / max(ledger.counts[0], 1),
        )

    def standing(self, ledgers: Sequence[Ledger]) -> str:
        reached = [ledger.measures[0][ledger.measures[0] > 0.0] for ledger in ledgers]
        latest = [quality[-1] for quality in reached if len(quality)]
        return f"NDCG {np.mean(latest):.3f}" if latest else ""

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> Runs:
        weights = np.stack([ledger.answer for ledger in ledgers])
        return Runs(repr(learner), self.marks, self.measured(ledgers), {"weights": weights})
