"""A search over knobs: what to ask next and what is best, from the seed and the votes alone."""

from typing import Any

from numpy.random import default_rng

from duelist.duel import Duel
from duelist.errors import require_whole
from duelist.learners.continuous.preferential_optimization import PreferentialOptimization
from duelist.protocols import Learner
from duelist.study.knob_votes import Vote
from duelist.study.knobs import Knobs, Setting
from duelist.study.study import as_outcome


class Search:
    """A learner of the points of a box at work on knobs; answers can be undone, the last one first.

    Equal seeds and equal votes give equal questions, however often they are asked.
    """

    def __init__(self, knobs: Knobs, seed: int = 0, learner: Learner[Any] | None = None) -> None:
        require_whole("seed", seed, 0)
        self.knobs = knobs
        self.seed = seed
        self.learner = PreferentialOptimization() if learner is None else learner
        self.states = [self.learner.init(knobs.menu, default_rng([seed, 0]))]

    def question(self) -> tuple[Setting, Setting]:
        """Return the two settings to compare next, which differ."""
        rng = default_rng([self.seed, len(self.states)])
        duel = self.learner.ask(self.states[-1], self.knobs.menu, rng)
        left, right = self.knobs.setting(duel.left), self.knobs.setting(duel.right)
        while left == right:
            # Two points may be rounded to one setting, about which there is nothing to ask.
            right = self.knobs.setting(self.knobs.menu.sample(rng, 1)[0])
        return left, right

    def learn(self, vote: Vote) -> None:
        """Learn from an answer about the settings as they were shown, rounded."""
        duel = Duel(self.knobs.point(vote.left), self.knobs.point(vote.right))
        self.states.append(self.learner.tell(self.states[-1], duel, as_outcome(vote.answer)))

    def forget(self) -> None:
        """Undo the last answer."""
        self.states.pop()

    def best(self) -> Setting | None:
        """Return the setting believed to be best; without answers there is none."""
        if len(self.states) == 1:
            return None
        return self.knobs.setting(self.learner.best(self.states[-1], self.knobs.menu))
