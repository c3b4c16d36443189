"""Bounds for both filters, and exact expectations in the worst case, where all matches are equally hard.

Arms are numbered from 1, the best; every arm has the same chance to win a duel with any worse one. So all
matches have the same distribution of lengths, whoever wins. We neglect mistakes of the filters, which Lemmas
4 and 8 allow once in T runs, and arms worse than the incumbent that lead it at the end of a round: after
thousands of duels that does not happen.

*Rounds.* Incumbent j is replaced by the first of the j - 1 better arms that wins its match, each with the
same chance, and no better arm is removed before. So incumbents are Definition 1's walk from a random node:
j is an incumbent with chance 1/j, and p is followed by each better arm with chance 1/p 1/(p - 1).

*Arms behind.* The filters differ in the number of worse arms that incumbent j still has to meet (0 if j is
not an incumbent). IF2 prunes all arms that are behind when an incumbent is replaced. So behind j are the K -
j worse ones if it is the first, with chance 1/K, and the p - 1 - j between both if it follows p. Their
expectation is the sum (K - j) / K + sum over p > j of (p - 1 - j) / (p (p - 1)) = H(K) - H(j). For IF1
consider arm r > j. It remains when j becomes the incumbent if, of the j + 1 arms 1 to j and r, j is the first
that is an incumbent, or whose match with one is decided: another of the first j would never be beaten by j,
and r would be gone. All j + 1 have the same chance to be that first one, so r remains with chance 1 / (j +
1), and there are K - j such arms.

*Matches.* Incumbent j meets its j - 1 better arms and those behind. Summed over j, the former are K - H(K);
with the latter, IF1 plays K (H(K) - 1) matches and IF2 2 (K - H(K)).

*Regret.* In the round of j > 1 the better arms have as many duels as the shortest of j - 1 matches; an arm
behind, whose own match may end before that, as many as the shortest of j. A duel costs eps, or half of
it if the best arm takes part.

Matches decided in the same sweep are neglected; they change expectations by less than 0.03%.
"""

from math import log, sqrt

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays
from duelist_reproductions.single_match import match_chances, mean_length


def harmonic(n: int) -> float:
    """Return 1 + 1/2 + ... + 1/n."""
    return float((1.0 / np.arange(1, n + 1)).sum())


def arms_behind(name: str, k: int) -> FloatArray:
    """Return the expected number of worse arms that each incumbent has to meet, best first."""
    incumbent = np.arange(1, k + 1)
    if name == "if1":
        return np.asarray((k - incumbent) / (incumbent + 1))
    return np.asarray(harmonic(k) - np.cumsum(1.0 / incumbent))


def expected_matches(name: str, k: int) -> float:
    """Return the expected number of matches: K (H(K) - 1) for IF1 and 2 (K - H(K)) for IF2."""
    return k - harmonic(k) + float(arms_behind(name, k).sum())


def expected_regret(name: str, k: int, shortest: FloatArray, epsilon: float) -> float:
    """Return the expected strong regret at the end of exploration; `shortest` is as in `shortest_of`."""
    behind, incumbent = arms_behind(name, k), np.arange(1, k + 1)
    better = (incumbent - 1) / incumbent * shortest[incumbent - 1]
    duels = float((better + behind * shortest[incumbent]).sum())
    # the best arm meets all arms behind it, and is one of the better arms for any other incumbent
    with_best = float(behind[0] * shortest[1] + (shortest[incumbent[1:] - 1] / incumbent[1:]).sum())
    return epsilon * (duels - with_best / 2.0)


def radius_at_one(k: int, horizon: int) -> float:
    """Return the squared confidence radius after one duel, with delta = 1 / (T K^2) (equation 9)."""
    return 4.0 * log(horizon * k**2)


def shortest_of(chances: FloatArray, most: int) -> FloatArray:
    """Return the expected length of the shortest of 0, 1, 2, ..., `most` matches; 0 for no matches."""
    longer = np.maximum(1.0 - np.cumsum(chances), 0.0)
    return np.array([0.0, *((longer**matches).sum() for matches in range(1, most + 1))])


def expect(sources: Sources, *, sizes: list[int], horizon: int, epsilon: float) -> Arrays:
    """Return the exact expected number of duels of a match, one row per number of arms.

    Rows are as in `shortest_of`, so the mean length of a match is that of the shortest of one. Include
    the standard deviation of that length.
    """
    every = [match_chances(radius_at_one(k, horizon), 0.5 + epsilon) for k in sizes]
    lengths = [np.arange(len(chances)) - mean_length(chances) for chances in every]
    return {
        "shortest": np.array([shortest_of(chances, max(sizes)) for chances in every]),
        "deviation": np.array([sqrt((one * off**2).sum()) for one, off in zip(every, lengths, strict=True)]),
    }


def walk_chances(k: int) -> FloatArray:
    """Return the chances that a walk from the last of k nodes visits 0, 1, 2, ... nodes (Lemma 5).

    A walk visits its first node for certain, and node i < k with chance 1/i, independently of all others.
    """
    chances = np.array([0.0, 1.0])
    for i in range(1, k):
        chances = np.convolve(chances, [1.0 - 1.0 / i, 1.0 / i])
    return chances


def walk_spread(nodes: int) -> float:
    """Return the standard deviation of the number of visited first nodes: node i with chance 1/i."""
    visited = 1.0 / np.arange(1, nodes + 1)
    return float(np.sqrt((visited * (1.0 - visited)).sum()))


def proven_matches(name: str, k: int) -> float:
    """Return the bound on expected matches: K - 1 per round for IF1 (Corollary 1).

    For IF2 it is the last line of Lemma 9's proof.
    """
    rounds = harmonic(k - 1)
    return (k - 1) * (1.0 + rounds) if name == "if1" else 4.0 * (k - 1) - rounds


def proven_regret(name: str, k: int, horizon: int, epsilon: float) -> float:
    """Return matches times duels per match times the maximum cost of a duel, epsilon (Theorems 1 and 2).

    After this many duels a match is undecided only with chance K^-8 (Lemma 1's proof with m = 8).
    """
    return proven_matches(name, k) * 16.0 * log(horizon * k**2) / epsilon**2 * epsilon
