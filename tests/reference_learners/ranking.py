"""Learners of rankings, one step each: PDGD (Oosterhuis, de Rijke 2018, Algorithm 1), DBGD over interleaved
lists (Yue, Joachims 2009, Algorithm 1) and MGD (Schuth et al. 2016, Algorithm 1 with MGD-M)."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from duelist.duel import FloatArray


def best_first(scores: FloatArray, length: int) -> list[int]:
    """Return the documents sorted by score; ties keep their order."""
    return sorted(range(len(scores)), key=lambda document: -scores[document])[:length]


def chance_of_list(scores: FloatArray, ranking: Sequence[int]) -> float:
    """Return P(R | D): at every place the softmax over the documents not shown above it."""
    chance = 1.0
    left = list(range(len(scores)))
    for document in ranking:
        chance *= np.exp(scores[document]) / sum(np.exp(scores[other]) for other in left)
        left.remove(document)
    return float(chance)


def chances_of_lists(scores: FloatArray, length: int) -> dict[tuple[int, ...], float]:
    """Return every possible list with its probability."""
    documents = range(len(scores))
    return {ranking: chance_of_list(scores, ranking) for ranking in permutations(documents, length)}


def pdgd_step(
    weights: FloatArray,
    shown_with: FloatArray,
    features: FloatArray,
    ranking: Sequence[int],
    clicked: Sequence[int],
    rate: float,
) -> FloatArray:
    """Return the weights after the clicks on a list that was drawn with the weights `shown_with`."""
    scores = features @ shown_with
    if not clicked:
        return weights
    last = max(ranking.index(document) for document in clicked)
    seen = ranking[: last + 2]  # line 6: to the last click, and one document further
    gradient = np.zeros(len(weights))
    for k in seen:
        for m in seen:
            if k in clicked and m not in clicked:  # line 7: k is preferred to m
                exchanged = [{k: m, m: k}.get(document, document) for document in ranking]
                this, other = chance_of_list(scores, ranking), chance_of_list(scores, exchanged)
                rho = other / (this + other)  # equation 9
                e_k, e_m = np.exp(scores[k]), np.exp(scores[m])
                gradient += rho * e_k * e_m / (e_k + e_m) ** 2 * (features[k] - features[m])  # equation 8
    return weights + rate * gradient  # line 12


def clicks_of(team: int, teams: Sequence[int], clicked: Sequence[bool]) -> int:
    """Return the number of clicked places that belong to a team."""
    return sum(1 for whose, click in zip(teams, clicked, strict=True) if click and whose == team)


def unit(vector: FloatArray) -> FloatArray:
    """Return P_W for the unit sphere W."""
    return np.asarray(vector / np.sqrt(np.sum(vector**2)))


def dbgd_step(
    weights: FloatArray,
    u: FloatArray,
    pages: Sequence[tuple[Sequence[int], Sequence[bool]]],
    gamma: float,
) -> FloatArray:
    """Return the weights after pages for one direction, given teams and clicks; team 1 is the neighbour."""
    leads = [clicks_of(1, teams, clicked) - clicks_of(0, teams, clicked) for teams, clicked in pages]
    return unit(weights + gamma * u) if np.sign(leads).sum() > 0 else weights


def mgd_step(
    weights: FloatArray,
    directions: Sequence[FloatArray],
    teams: Sequence[int],
    clicked: Sequence[bool],
    gamma: float,
) -> FloatArray:
    """Return the weights after clicks on a multileaved list; team 0 is the current ranker's."""
    own = clicks_of(0, teams, clicked)
    winners = [u for i, u in enumerate(directions) if clicks_of(i + 1, teams, clicked) > own]
    return unit(weights + gamma * np.mean(winners, axis=0)) if winners else weights
