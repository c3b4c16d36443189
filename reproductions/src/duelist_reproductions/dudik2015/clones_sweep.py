"""The appendix's two examples, a cycle with a duplicated arm and five arms; and two examples of ours.

The available text of the paper lacks the signs of the five arms' matrix and the chances within the cycle. All
signs are tried; chances are arbitrary, as the text says. For two more claims the paper has no example: clones
change the Borda winner on the five arms, and Copeland winners lose to another arm on seven arms.
"""

from itertools import product

import numpy as np

from duelist import winners
from duelist.duel import FloatArray
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, grid
from duelist.preferences import beats, gaps
from duelist.problems import MatrixProblem, with_clones

SIZES = (4, 6, 12)
CHANCES = (0.6, 1.0)
"""Chance of an arm of the cycle to beat the next."""
LEAD = 0.7
"""Chance of an arm to beat a later one, unless both are in the cycle."""
DEFINITIONS = {"a tie counts nothing": 0.0, "a tie is half a win": 0.5, "a tie is a win": 1.0}
"""Definitions of Copeland scores, by the value of a tie."""
SIZES_OF_MARGINS = np.array([0.50, 0.50, 0.50, 0.95, 0.50, 0.20, 0.50, 0.20, 0.50, 0.50])
"""The printed matrix of margins of five arms, above its diagonal and without signs."""
THIRD, FOURTH = 2, 3
SEVEN_ARMS = ((1, 2, 3), (2, 4, 5, 6), (3, 4, 5, 6), (1, 4, 5, 6), (0, 5), (0, 6), (0, 4))
"""The arms that each arm beats: the first beats three in a cycle, these three more, and those the first."""


def arms_beaten(matrix: FloatArray) -> FloatArray:
    """Return the number of arms that each arm beats: the Copeland score without ties."""
    return np.asarray(beats(matrix).sum(axis=1), np.float64)


SCORES = {
    "weights": winners.von_neumann,
    "copeland": arms_beaten,
    "borda": winners.borda_scores,
    "random_walk": winners.random_walk_distribution,
}


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces: one for all examples, at every scale."""
    return [
        *grid(duplicate, {"k": SIZES, "chance": CHANCES}),
        Piece("five-arms", restore_signs),
        Piece("seven-arms", beat_copeland_winners),
    ]


def duplicate(sources: Sources, *, k: int, chance: float) -> Arrays:
    """Return scores and weights in the example with k arms, before and after its first arm is duplicated."""
    before = example(k, chance)
    after = with_clones(before, 0)
    lottery = winners.von_neumann(after.matrix)
    return {
        "scores_before": scores(before.matrix),
        "scores_after": scores(after.matrix),
        "weights_before": winners.von_neumann(before.matrix),
        "weights_after": lottery,
        "margins_after": lottery @ gaps(after.matrix),
    }


def example(k: int, chance: float) -> MatrixProblem:
    """Return arms whose first three form a cycle and beat all others."""
    upper = np.full((k, k), LEAD)
    upper[0, 1] = upper[1, 2] = chance
    upper[0, 2] = 1.0 - chance
    above = np.triu(np.ones((k, k), np.bool_), 1)
    return MatrixProblem(np.where(above, upper, np.where(above.T, (1.0 - upper).T, 0.5)))


def scores(matrix: FloatArray) -> FloatArray:
    """Return the arms' Copeland scores, one row per definition."""
    ties = (gaps(matrix) == 0.0).sum(axis=1) - 1  # without the arm itself
    return np.array([arms_beaten(matrix) + worth * ties for worth in DEFINITIONS.values()])


def restore_signs(sources: Sources) -> Arrays:
    """Find all signs that give the first three arms equal weight and make only the fourth a Copeland winner.

    That it is also the Borda and the random walk winner, as the paper says, is not required. Include the
    scores after the third arm is duplicated, for the first of the signs.
    """
    rows, columns = np.triu_indices(5, 1)
    margins = np.zeros((2 ** len(rows), 5, 5))
    margins[:, rows, columns] = SIZES_OF_MARGINS * list(product((1, -1), repeat=len(rows)))
    matrices = 0.5 + (margins - margins.transpose(0, 2, 1)) / 2.0
    uniform = np.array([1.0, 1.0, 1.0, 0.0, 0.0]) / 3.0
    fitting = [
        matrix
        for matrix, lottery in zip(matrices, winners.von_neumann_many(matrices), strict=True)
        if np.allclose(lottery, uniform, rtol=0.0, atol=1e-12) and winners.copeland(matrix) == (FOURTH,)
    ]
    duplicated = describe([with_clones(MatrixProblem(fitting[0]), THIRD).matrix])
    return {**describe(fitting), **{f"{name}_after": values[0] for name, values in duplicated.items()}}


def beat_copeland_winners(sources: Sources) -> Arrays:
    """Return seven arms, one of which beats all Copeland winners without being one."""
    margins = np.zeros((len(SEVEN_ARMS), len(SEVEN_ARMS)))
    for arm, beaten in enumerate(SEVEN_ARMS):
        margins[arm, list(beaten)] = LEAD - 0.5
    return {name: values[0] for name, values in describe([0.5 + margins - margins.T]).items()}


def describe(matrices: list[FloatArray]) -> Arrays:
    """Return the margins and all scores, one row per matrix."""
    scored = {name: np.array([score(one) for one in matrices]) for name, score in SCORES.items()}
    return {"margins": np.array([2.0 * gaps(one) for one in matrices]), **scored}
