"""Features scaled per query, compiled."""

import numpy as np

from duelist.duel import FeatureArray, IntArray
from duelist.kernels.compile import compiled


@compiled
def normalise_queries(features: FeatureArray, offsets: IntArray, scaled: FeatureArray) -> None:
    """Write each feature scaled to [0, 1] within its query, as LETOR does, 0 where it is the same for all.

    The result may be written over the features.
    """
    d = features.shape[1]
    lowest, highest = np.empty(d), np.empty(d)
    for query in range(len(offsets) - 1):
        lowest[:], highest[:] = np.inf, -np.inf
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(d):
                value = np.float64(features[row, j])
                lowest[j] = min(lowest[j], value)
                highest[j] = max(highest[j], value)
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(d):
                spread = highest[j] - lowest[j]
                scaled[row, j] = (features[row, j] - lowest[j]) / spread if spread > 0.0 else 0.0
