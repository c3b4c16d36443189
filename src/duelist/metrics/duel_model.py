"""Expected outcomes of duels, by regression on the other duels of a log."""

from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.logs import DuelLog

FOLDS = 5  # how many parts a log is divided into; each is predicted from the others
CATEGORIES = 12  # a context column with at most this many distinct values is treated as categorical
# how many tied duels every pair is taken to have had before: with less, intervals are too narrow where some
# pairs are rare, as predictions that lean on few duels are uncertain together
PRIOR = 20.0
A_LOOK = 1000  # rows looked at first: most columns have more distinct values than that already there


class Prediction(NamedTuple):
    """Predictions for each duel from duels without it; from -1, right wins, to 1, left wins."""

    signs: FloatArray  # of the outcomes
    preferences: FloatArray  # of the mixture, which draws its action, over every action in each context


def predict(log: DuelLog, chances: FloatArray) -> Prediction:
    """Return predictions of each duel from the folds without it, by ridge regression on the context."""
    features = context_features(log.contexts)
    folds = np.arange(len(log)) % FOLDS
    signs, preferences = np.empty(len(log)), np.zeros((len(log), log.k))
    for fold in range(FOLDS):
        slopes = fit_pairs(features[folds != fold], log.subset(folds != fold))
        rows = np.flatnonzero(folds == fold)
        known, left, right = features[rows], log.left[rows], log.right[rows]
        signs[rows] = np.clip(np.einsum("nf,nf->n", known, slopes[left, right]), -1.0, 1.0)
        for action in range(log.k):
            taken = rows[chances[rows, action] > 0.0]
            expected = np.clip(features[taken] @ slopes[action].T, -1.0, 1.0)
            preferences[taken] += chances[taken, action, None] * expected
    return Prediction(signs, preferences)


def context_features(contexts: FloatArray) -> FloatArray:
    """Return a one and, for each column, its standard score or a flag for each of a few values."""
    features = [np.ones((len(contexts), 1))]
    for column in contexts.T:
        values = np.unique(column[:A_LOOK])
        if len(values) <= CATEGORIES:
            values = np.unique(column)
        if len(values) == 1:
            continue
        if len(values) <= CATEGORIES:
            features.append((column[:, None] == values).astype(np.float64))
        else:
            # twice scaled, so that not even the largest numbers overflow when they are squared
            scaled = column / np.abs(column).max()
            features.append(((scaled - scaled.mean()) / scaled.std())[:, None])
    return np.hstack(features)


def fit_pairs(features: FloatArray, log: DuelLog) -> FloatArray:
    """Return the slopes of every ordered pair, of shape (k, k, features); minus those of the reverse."""
    width = features.shape[1]
    slopes = np.zeros((log.k, log.k, width))
    penalty = PRIOR * np.eye(width) * np.mean(np.sum(features**2, axis=1))
    first, second = np.minimum(log.left, log.right), np.maximum(log.left, log.right)
    signs = np.where(log.left == first, log.signs, -log.signs)
    pairs = first * log.k + second
    order = np.argsort(pairs, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(pairs[order])) + 1):
        a, b = first[rows[0]], second[rows[0]]
        if a != b:
            known = features[rows]
            slopes[a, b] = np.linalg.solve(known.T @ known + penalty, known.T @ signs[rows])
            slopes[b, a] = -slopes[a, b]
    return slopes
