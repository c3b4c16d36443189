"""LambdaMART (Burges 2010) with LightGBM: boosted trees as an upper reference for linear rankers."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError, needing_extra, require_whole
from duelist.ranking.dataset import RankingData
from duelist.text import counted

EARLY_STOPPING_ROUNDS = 50  # trees without a better NDCG@10 on the validation queries


@dataclass(frozen=True, eq=False, repr=False)
class TreeRanker:
    """A ranker that scores documents with boosted trees; `fit_lambdamart` returns it.

    Parameters
    ----------
    booster : lightgbm.Booster
        The trees.
    d : int
        The number of features.
    trees : int
        The number of trees.

    Examples
    --------
    >>> from duelist.ranking import synthetic_ranking_data
    >>> fit_lambdamart(synthetic_ranking_data(queries=20, features=3), trees=10).trees
    10
    """

    booster: Any
    d: int
    trees: int

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(self.trees, 'tree')}, {counted(self.d, 'feature')})"

    def score(self, data: RankingData) -> FloatArray:
        """Return the scores of documents.

        Parameters
        ----------
        data : RankingData
            The documents.

        Returns
        -------
        array of float
            A score for each document.

        Raises
        ------
        ParameterError
            If the number of features differs.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> data = synthetic_ranking_data(queries=20, features=3)
        >>> len(fit_lambdamart(data, trees=10).score(data)) == len(data.labels)
        True
        """
        if data.d != self.d:
            fault = f"the ranker has trees for {counted(self.d, 'feature')}, but data has {data.d}"
            raise ParameterError(f"{fault}; give data with the same features.")
        return np.asarray(self.booster.predict(data.features, num_threads=1), np.float64)


def fit_lambdamart(
    data: RankingData, validation: RankingData | None = None, trees: int = 300, seed: int = 0
) -> TreeRanker:
    """Fit boosted trees to the NDCG@10 of labelled queries.

    Parameters
    ----------
    data : RankingData
        The training queries.
    validation : RankingData, optional
        Queries on which the number of trees is chosen by mean NDCG@10.
    trees : int, default 300
        The number of trees; with `validation`, the maximum.
    seed : int, default 0
        LightGBM's seed.

    Returns
    -------
    TreeRanker
        The fitted ranker.

    Raises
    ------
    ParameterError
        If `validation` has other features, or a number is out of range.
    MissingExtraError
        If LightGBM is not installed.

    Notes
    -----
    Trees have up to 15 leaves with at least 20 documents each; the learning rate is 0.05; other parameters
    are LightGBM's defaults.

    References
    ----------
    Burges (2010). From RankNet to LambdaRank to LambdaMART: An Overview. Microsoft Research.
    Ke et al. (2017). LightGBM: A Highly Efficient Gradient Boosting Decision Tree. NeurIPS.

    Examples
    --------
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=20, features=3)
    >>> ranker = fit_lambdamart(data, trees=10)
    >>> ranker, len(ranker.score(data)) == len(data.labels)
    (TreeRanker(10 trees, 3 features), True)
    """
    require_whole("trees", trees, 1)
    require_whole("seed", seed, 0)
    if validation is not None and validation.d != data.d:
        found = f"validation has {counted(validation.d, 'feature')}, but data has {data.d}"
        raise ParameterError(f"{found}; give both the same features.")
    with needing_extra("LambdaMART", "rank"):
        lightgbm: Any = import_module("lightgbm")
    highest = max(part.grades for part in (data, validation) if part is not None)
    gains = [2.0**grade - 1.0 for grade in range(highest)]
    parameters: dict[str, Any] = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "seed": seed}
    parameters |= {"label_gain": gains, "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 20}
    parameters |= {"deterministic": True, "force_row_wise": True, "num_threads": 1, "verbosity": -1}
    known = as_dataset(lightgbm, data)
    stopping: dict[str, Any] = {}
    if validation is not None:
        stopping["valid_sets"] = [as_dataset(lightgbm, validation, known)]
        stopping["callbacks"] = [lightgbm.early_stopping(EARLY_STOPPING_ROUNDS, verbose=False)]
    booster = lightgbm.train(parameters, known, trees, **stopping)
    grown = booster.best_iteration if booster.best_iteration > 0 else booster.current_iteration()
    return TreeRanker(booster, data.d, grown)


def as_dataset(lightgbm: Any, data: RankingData, reference: Any = None) -> Any:
    """Return a LightGBM dataset; features are binned as in `reference`."""
    return lightgbm.Dataset(data.features, data.labels, group=np.diff(data.offsets), reference=reference)
