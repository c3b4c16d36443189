"""Runs of replayed votes, in the engine that plays simulations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, Duel, IntArray, require_arm
from duelist.kernels import loop
from duelist.kernels.arms import arm_menu
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import CompiledLearner, Kernels, Ledger, Run, open_ledger, skip_nothing
from duelist.learners.base import compiled_beside
from duelist.menus import Arms
from duelist.replaying.pool import Pool
from duelist.replaying.result import ReplayRuns
from duelist.replaying.world import PROVEN, UNDECIDED, WRONG, VoteWorld, close_votes, step_votes
from duelist.simulation.arguments import log_spaced
from duelist.simulation.runs import Player, Setting
from duelist.stopping.evidence import bets_on
from duelist.stopping.thresholds import log_thresholds

PER_DECADE = 40  # of the votes at which shares of runs are drawn: how many in every factor of ten


@cache
def vote_by_vote(kernels: Kernels) -> Callable[[Any, Any, Run], None]:
    """Return the loop over votes with a learner's kernels: its jumps over rounds are left out."""
    ask, tell, best = kernels.ask, kernels.tell, kernels.best

    def replay(rules: Any, state: Any, run: Run) -> None:
        loop.play(ask, tell, best, skip_nothing, skip_nothing, rules, state, run)

    return compiled_beside(tell, replay)


@dataclass(frozen=True)
class ReplaySetting(Setting[ReplayRuns]):
    """Recorded votes, and how sure a run must be to stop; a learner is looked at after every vote."""

    kind = ReplayRuns
    votes: Pool
    delta: float
    marks: IntArray
    seed: int

    @property
    def menu(self) -> Arms:
        """What may be asked: two different arms."""
        return Arms(len(self.votes.arms), self_duels=False)

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run; nothing is measured at checkpoints, which are many."""
        answer, plays = np.zeros(1, np.int64), (1, len(self.votes.arms))
        opened = open_ledger(self.marks, halt, measures=0, answer=answer, counts=2, plays=plays)
        opened.counts[PROVEN] = UNDECIDED
        return opened

    def start(self, learner: Any, rng: Generator, world_rng: Generator) -> Any:
        """Return a learner's state before the first vote."""
        return learner.init(self.menu, rng)

    def open_world(self) -> VoteWorld:
        """Return the recorded votes, and room for those of one run."""
        k = len(self.votes.arms)
        return VoteWorld(
            wins=self.votes.wins,
            ties=self.votes.ties,
            truth=self.votes.truth,
            bets=bets_on(),
            enough=float(log_thresholds(k, self.delta)[0, 1]),
            decisive=np.zeros((k, k)),
            tied=np.zeros((k, k)),
            evidence=np.zeros((k, k)),
        )

    def run(self, player: Player) -> Run | None:
        """Return what the compiled loop needs."""
        return player.run_in(player.world, arm_menu(self.menu), arm_buffer())

    def loop(self, learner: CompiledLearner) -> Callable[[Any, Any, Run], None]:
        """Return the compiled loop over votes with a learner's kernels."""
        return vote_by_vote(learner.kernels)

    def round(self, player: Player) -> None:
        """Ask for one vote through ask and tell."""
        asked, k, room = player.learner.ask(player.state, self.menu, player.rng), self.menu.k, arm_buffer()
        room.sides[:] = require_arm("left", asked.left, k), require_arm("right", asked.right, k)
        outcome = step_votes(player.world, player.ledger, room, player.world_rng)
        left, right = room.sides.tolist()
        duel = asked if asked.left != asked.right else Duel(left, right)
        player.state = player.learner.tell(player.state, duel, outcome)

    def close(self, player: Player, mark: int) -> None:
        """Write down whether the arm that is named is a wrong one."""
        player.ledger.answer[0] = player.learner.best(player.state, self.menu)
        close_votes(player.world, player.ledger, mark)

    def done(self, ledger: Ledger) -> float:
        """Return the share of a run that has been played; 1 too once something is proven."""
        return super().done(ledger) if ledger.counts[PROVEN] == UNDECIDED else 1.0

    def standing(self, ledgers: Sequence[Ledger]) -> str:
        """Return how many runs are sure."""
        sure = sum(int(ledger.counts[PROVEN] != UNDECIDED) for ledger in ledgers)
        return f"{sure} of {len(ledgers)} runs sure"

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> ReplayRuns:
        """Return what was written down; shares of runs are drawn at fewer checkpoints."""
        drawn = log_spaced(int(self.marks[-1]), PER_DECADE)
        return ReplayRuns(repr(learner), drawn, **self.ends(ledgers))

    def ends(self, ledgers: Sequence[Ledger]) -> dict[str, Any]:
        """Return when runs stopped and where, and when they were wrong last."""
        stopped_at = np.array([ledger.counts[PROVEN] for ledger in ledgers])
        played = np.array([ledger.played[0] for ledger in ledgers], np.float64)
        return {
            "votes_until_sure": np.where(stopped_at == UNDECIDED, inf, played),
            "stopped_at": stopped_at,
            "last_wrong": np.array([ledger.counts[WRONG] for ledger in ledgers]),
            "plays": np.stack([ledger.plays[0] for ledger in ledgers]),
            "truth": self.votes.truth,
        }
