"""Linear scores of documents, compiled."""

from duelist.duel import FeatureArray, FloatArray
from duelist.kernels.compile import compiled


@compiled
def score_documents(features: FeatureArray, first: int, weights: FloatArray, scores: FloatArray) -> None:
    """Write the scores of as many documents as there is room for, from row `first` on."""
    d = len(weights)
    whole = d - d % 4
    for i in range(len(scores)):
        row = first + i
        # four sums that do not wait for each other: an addition takes longer than a multiplication
        a, b, c, e = 0.0, 0.0, 0.0, 0.0
        for j in range(0, whole, 4):
            a += weights[j] * features[row, j]
            b += weights[j + 1] * features[row, j + 1]
            c += weights[j + 2] * features[row, j + 2]
            e += weights[j + 3] * features[row, j + 3]
        for j in range(whole, d):
            a += weights[j] * features[row, j]
        scores[i] = (a + b) + (c + e)
