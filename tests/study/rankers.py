"""Learners of rankings for tests of studies, and documents to rank."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist import DuelingGradientRanker, MultileavingGradientRanker, PairwiseGradientRanker
from duelist.card import Card
from duelist.interleaving import Probabilistic
from duelist.menus import Documents, Impression
from duelist.ranking import LinearRanker

D = 5


class Taught(NamedTuple):
    weights: Any
    lists: Any


@dataclass(frozen=True)
class PlainRanker:
    """A plug-in made of plain functions, which also learns from lists that another learner made."""

    step: float = 0.5
    length: int = 3

    card = Card(setting="rankings")

    def init(self, menu: Documents, rng: Generator) -> Taught:
        return Taught(rng.random(menu.d), np.zeros(2, np.int64))

    def ask(self, state: Taught, menu: Documents, rng: Generator) -> Impression:
        scores = menu.features.astype(np.float64) @ state.weights + rng.random(len(menu))
        shown = np.argsort(-scores, kind="stable")[: self.length]
        note = (scores[shown].astype(np.float32), [float(rng.random()), "drawn"], {"best": shown[0]})
        return Impression(tuple(shown.tolist()), menu, scores, note)

    def tell(self, state: Taught, impression: Impression, clicked: Iterable[int]) -> Taught:
        rows = [*clicked]
        weights, lists = state.weights.copy(), state.lists + np.array([1, len(rows)])
        for row in rows:
            weights += self.step * impression.menu.features[row]
        if impression.note is not None:
            scores, (drawn, _), best = impression.note
            weights += drawn * float(scores.sum()) * (best["best"] + 1) + impression.page.sum()
        return Taught(weights, lists)

    def best(self, state: Taught, menu: Documents) -> LinearRanker:
        return LinearRanker(state.weights)


LEARNERS: dict[str, Any] = {
    "DuelingGradientRanker": DuelingGradientRanker(exploitation=0.3, comparisons=2, length=4),
    "Probabilistic": DuelingGradientRanker(exploitation=0.3, interleaving=Probabilistic(), length=3),
    "MultileavingGradientRanker": MultileavingGradientRanker(exploitation=0.3, neighbours=6, length=4),
    "PairwiseGradientRanker": PairwiseGradientRanker(length=4),
    "PlainRanker": PlainRanker(),
}
KNOWN = list(LEARNERS.values())


def documents(n: int, seed: int = 0) -> Any:
    """Return features that single precision cannot hold."""
    return np.random.default_rng(seed).normal(size=(n, D))
