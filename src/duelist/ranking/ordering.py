"""Documents scored by a linear ranker and put in the order of their scores, compiled."""

import numpy as np

from duelist.duel import FeatureArray, FloatArray, IntArray
from duelist.kernels.compile import compiled

FEW = 128
"""Up to this many places are filled faster by insertion than by sorting all documents."""


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


@compiled
def rank_top(scores: FloatArray, ranking: IntArray) -> int:
    """Write the documents of the highest scores, best first, into the room there is; return how many.

    Of equal scores the earlier document comes first.
    """
    room = len(ranking)
    filled = 0
    for document in range(len(scores)):
        score = scores[document]
        if filled == room:
            if not score > scores[ranking[room - 1]]:
                continue
            place = room - 1
        else:
            place = filled
            filled += 1
        while place > 0 and score > scores[ranking[place - 1]]:
            ranking[place] = ranking[place - 1]
            place -= 1
        ranking[place] = document
    return filled


@compiled
def rank_few(scores: FloatArray, labels: IntArray, ranking: IntArray, tops: FloatArray) -> None:
    """Write the documents that come first into all the room there is, which they fill, and their scores."""
    room = len(ranking)
    lowest = 0.0
    for document in range(len(scores)):
        score = scores[document]
        place = document
        if document >= room:
            if score < lowest or (score == lowest and labels[document] >= labels[ranking[room - 1]]):
                continue
            place = room - 1
        while place > 0:
            above = tops[place - 1]
            if score < above or (score == above and labels[document] >= labels[ranking[place - 1]]):
                break
            tops[place] = above
            ranking[place] = ranking[place - 1]
            place -= 1
        tops[place] = score
        ranking[place] = document
        lowest = tops[room - 1]


@compiled
def rank_many(scores: FloatArray, labels: IntArray, ranking: IntArray) -> None:
    """Write what `rank_few` writes, by sorting all documents."""
    order = np.argsort(-scores)
    start = 0
    while start < len(ranking):
        end = start + 1
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        if end - start > 1:
            tied = order[start:end].copy()
            order[start:end] = tied[np.argsort(labels[tied])]
        start = end
    ranking[:] = order[: len(ranking)]


@compiled
def rank_queries(scores: FloatArray, labels: IntArray, offsets: IntArray, k: int, rankings: IntArray) -> None:
    """Write the first k documents of each query from its offset on, numbered from 0 within the query.

    Of equal scores the lower label comes first: nobody is credited with an order they did not decide.
    """
    tops = np.empty(FEW)
    for query in range(len(offsets) - 1):
        first, stop = offsets[query], offsets[query + 1]
        shown = min(k, stop - first)
        ranking = rankings[first : first + shown]
        if shown <= FEW:
            rank_few(scores[first:stop], labels[first:stop], ranking, tops)
        else:
            rank_many(scores[first:stop], labels[first:stop], ranking)
