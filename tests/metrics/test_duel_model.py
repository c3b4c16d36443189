import numpy as np
import pytest
from metrics.worlds import random_world

from duelist.duel import FloatArray
from duelist.logs import DuelLog
from duelist.metrics.rate_estimates import CATEGORIES, FOLDS, PRIOR, context_features, predict


def slow_prediction(log: DuelLog, row: int) -> FloatArray:
    """The expected preferences in the context of a row, from the folds without it: a table of pairs."""
    features = context_features(log.contexts)
    others = features[np.arange(len(log)) % FOLDS != row % FOLDS]
    prior = np.sqrt(PRIOR * np.mean((others**2).sum(axis=1))) * np.eye(features.shape[1])
    table = np.zeros((log.k, log.k))
    for a in range(log.k):
        for b in range(log.k):
            known, signs = [], []
            for duel in range(len(log)):
                if duel % FOLDS != row % FOLDS and {log.left[duel], log.right[duel]} == {a, b} and a != b:
                    known.append(features[duel])
                    signs.append(log.signs[duel] if log.left[duel] == a else -log.signs[duel])
            if known:
                # a ridge is least squares with rows that pull every slope to zero
                rows, targets = np.vstack([known, prior]), np.r_[signs, np.zeros(len(prior))]
                slopes = np.linalg.lstsq(rows, targets, rcond=None)[0]
                table[a, b] = np.clip(features[row] @ slopes, -1.0, 1.0)
    return table


def test_predictions_are_those_of_a_ridge_for_every_pair() -> None:
    rng = np.random.default_rng(0)
    drawn = random_world(3, 3, seed=1, skewed=False).draw(60, rng)
    contexts = np.c_[drawn.contexts, rng.normal(size=(60, 2))]
    log = DuelLog(contexts, drawn.left, drawn.right, drawn.outcomes, drawn.propensities, actions=3)
    chances = rng.dirichlet(np.ones(3), size=60)
    chances[:20, 0] = 0.0
    found = predict(log, chances)
    for row in range(60):
        table = slow_prediction(log, row)
        assert found.signs[row] == pytest.approx(table[log.left[row], log.right[row]], abs=1e-9)
        assert found.preferences[row] == pytest.approx(chances[row] @ table, abs=1e-9)


def test_no_duel_helps_to_predict_its_own_fold() -> None:
    log = random_world(2, 3, seed=2, skewed=False).draw(50, np.random.default_rng(0))
    other = np.array(log.outcomes)
    other[7] = 1.0 - other[7]
    changed = DuelLog(log.contexts, log.left, log.right, other, log.propensities, log.actions, log.columns)
    chances = np.full((50, 3), 1 / 3)
    before, after = predict(log, chances), predict(changed, chances)
    same = np.arange(50) % FOLDS == 7 % FOLDS
    assert log.left[7] != log.right[7]
    assert (before.preferences == after.preferences)[same].all()
    assert (before.preferences != after.preferences)[~same].any()


def test_features_tell_few_values_apart_and_measure_many() -> None:
    rng = np.random.default_rng(0)
    few, many = np.repeat([3.0, 1.0, 2.0], 10), rng.normal(size=30) * 1e200
    features = context_features(np.c_[few, np.full(30, 5.0), many])
    assert features.shape == (30, 1 + 3 + 1)
    assert features[0].tolist()[:4] == [1.0, 0.0, 0.0, 1.0]
    assert features[:, 4].mean() == pytest.approx(0.0, abs=1e-12)
    assert features[:, 4].std() == pytest.approx(1.0)
    late = np.r_[np.zeros(1000), np.arange(CATEGORIES)]
    assert context_features(late[:, None]).shape == (1000 + CATEGORIES, 1 + CATEGORIES)
    assert context_features(np.r_[late, -1.0][:, None]).shape == (1001 + CATEGORIES, 2)
    assert context_features(np.empty((4, 0))).tolist() == [[1.0]] * 4
