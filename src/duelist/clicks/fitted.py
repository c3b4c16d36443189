"""Click models fitted to logs by expectation maximisation, and their predictions of held-out logs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log as ln
from typing import NamedTuple

import numpy as np

from duelist.clicks.log import NOTHING, ClickLog
from duelist.clicks.model import TableClickModel
from duelist.clicks.user import User, click_chances, log_chance
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_whole
from duelist.kernels.compile import compiled
from duelist.text import counted


@compiled
def log_chances(user: User, pages: IntArray, clicked: BoolArray, found: FloatArray) -> None:
    for i in range(len(pages)):
        found[i] = log_chance(user, pages[i], length_of(pages[i]), clicked[i])


@compiled
def chances_of_pages(user: User, pages: IntArray, chances: FloatArray) -> None:
    """Write the marginal probability of a click at each place of each page."""
    for i in range(len(pages)):
        click_chances(user, pages[i], length_of(pages[i]), chances[i])


@compiled
def length_of(page: IntArray) -> int:
    shown = 0
    while shown < len(page) and page[shown] != NOTHING:
        shown += 1
    return shown


@dataclass(frozen=True, eq=False, repr=False)
class FittedClicks:
    """A click model fitted to a log; the fit functions return it.

    Parameters
    ----------
    name : str
        The kind of model.
    pairs : mapping of (query, document) to int
        The index of each document that the log showed for a query.
    attraction : array of shape (pairs + 1,)
        The probability of a click on an examined document, for each pair; the last entry is for unseen
        documents.
    examination : array of shape (places, 1 or places)
        The probability that a place is examined, without a click or after each last click.
    stop : array of shape (places, 1)
        The probability of leaving after a click at a place.
    evidence : array of shape (pairs,)
        How often each pair was shown (or examined, if that is known).
    trace : array
        The log-likelihood plus the log prior before each round.
    converged : bool
        Whether the last round gained less than the tolerance.

    Examples
    --------
    >>> from duelist.clicks import fit_position_based
    >>> log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0]), ("svm", ["b"], [0])])
    >>> model = fit_position_based(log, prior=0.0)
    >>> model.chances("svm", ["a"])
    array([0.5])
    >>> model.log_likelihood(log).round(3)
    array([-0.693, -0.693,  0.   ])
    >>> model.by_grade({("svm", "a"): 1, ("svm", "b"): 0}).attraction
    (0.0, 0.5)
    """

    name: str
    pairs: Mapping[tuple[str, str], int]
    attraction: FloatArray
    examination: FloatArray
    stop: FloatArray
    evidence: FloatArray
    trace: FloatArray
    converged: bool

    def __repr__(self) -> str:
        pairs, rounds = counted(len(self.pairs), "document"), counted(len(self.trace), "round")
        return f"{type(self).__name__}({self.name}, {pairs} of queries, {rounds})"

    def user(self) -> User:
        """Return the model in the kernels' form; the grade of a document is the index of its pair.

        Returns
        -------
        User
            The tables of probabilities.

        Examples
        --------
        >>> from duelist.clicks import fit_position_based
        >>> log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0]), ("svm", ["b"], [0])])
        >>> fit_position_based(log, prior=0.0).user().attraction[0].item()
        0.5
        """
        return User(self.attraction, self.examination, self.stop)

    def chances(self, query: str, documents: Sequence[str]) -> FloatArray:
        """Return the marginal probability of a click on each document of a page.

        Parameters
        ----------
        query : str
            The query.
        documents : sequence of str
            The documents of the page, from the top.

        Returns
        -------
        array of float
            The probability for each document, whatever is clicked above it.

        Examples
        --------
        >>> from duelist.clicks import fit_position_based
        >>> log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0]), ("svm", ["b"], [0])])
        >>> fit_position_based(log, prior=0.0).chances("svm", ["a"])
        array([0.5])
        """
        page = np.array([self._number(query, document) for document in documents], np.int64)
        chances = np.empty(len(page))
        click_chances(self.user(), page, len(page), chances)
        return chances

    def log_likelihood(self, log: ClickLog) -> FloatArray:
        """Return the log-likelihood of each impression's clicks.

        Parameters
        ----------
        log : ClickLog
            The impressions.

        Returns
        -------
        array of float
            The natural logarithm of the probability of exactly these clicks, for each impression.

        Examples
        --------
        >>> from duelist.clicks import fit_position_based
        >>> log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0]), ("svm", ["b"], [0])])
        >>> fit_position_based(log, prior=0.0).log_likelihood(log).round(3)
        array([-0.693, -0.693,  0.   ])
        """
        found = np.empty(len(log))
        log_chances(self.user(), self._pages(log), log.clicked, found)
        return found

    def perplexity(self, log: ClickLog) -> FloatArray:
        """Return the perplexity of the clicks at each place: 1 is a perfect prediction, 2 a coin flip.

        It is 2 to the power of the mean surprise in bits, under the marginal probabilities of clicks.

        Parameters
        ----------
        log : ClickLog
            The impressions.

        Returns
        -------
        array of float
            The perplexity at each place.

        Examples
        --------
        >>> from duelist.clicks import fit_position_based
        >>> log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0])])
        >>> fit_position_based(log, prior=0.0).perplexity(log)
        array([2.])
        """
        chances = np.zeros(log.documents.shape)
        chances_of_pages(self.user(), self._pages(log), chances)
        shown = log.documents != NOTHING
        with np.errstate(divide="ignore"):
            bits = -np.log2(np.where(log.clicked, chances, 1.0 - chances))
        return np.asarray(2.0 ** (np.where(shown, bits, 0.0).sum(0) / shown.sum(0)))

    def by_grade(self, grades: Mapping[tuple[str, str], int]) -> TableClickModel:
        """Return this model with an attraction per grade instead of per document.

        Parameters
        ----------
        grades : mapping of (query, document) to int
            The grades of documents, from 0. The attraction of a grade is the mean over its documents in the
            log, weighted by their evidence.

        Returns
        -------
        TableClickModel
            The model.

        Raises
        ------
        ParameterError
            If a grade is not a whole number from 0, or a grade below the highest has no document in the log.

        Examples
        --------
        >>> from duelist.clicks import fit_position_based
        >>> log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0]), ("svm", ["b"], [0])])
        >>> fit_position_based(log, prior=0.0).by_grade({("svm", "a"): 1, ("svm", "b"): 0}).attraction
        (0.0, 0.5)
        """
        known = [(number, grades[pair]) for pair, number in self.pairs.items() if pair in grades]
        for _, grade in known:
            require_whole("a grade", grade, 0)
        numbers, labels = np.array(known, np.int64).reshape(-1, 2).T
        weights = np.bincount(labels, self.evidence[numbers])
        if len(weights) == 0 or weights.min() <= 0.0:
            missing = weights.argmin() if len(weights) else 0
            raise ParameterError(
                f"grades: no document of grade {missing} is in the log; number the grades without gaps."
            )
        attraction = np.bincount(labels, self.evidence[numbers] * self.attraction[numbers]) / weights
        tables = (tuple(map(tuple, table.tolist())) for table in (self.examination, self.stop))
        return TableClickModel(self.name, tuple(attraction.tolist()), *tables)

    def _number(self, query: str, document: str) -> int:
        return self.pairs.get((query, document), len(self.pairs))

    def _pages(self, log: ClickLog) -> IntArray:
        pairs, pages = numbered_pairs(log)
        numbers = np.array([*(self._number(*pair) for pair in pairs), NOTHING], np.int64)
        return numbers[pages]


def numbered_pairs(log: ClickLog) -> tuple[dict[tuple[str, str], int], IntArray]:
    """Return the indices of a log's pairs of query and document, and its pages as these indices."""
    shown = log.documents != NOTHING
    keys = log.queries[:, None] * len(log.document_names) + log.documents
    pages = np.full(keys.shape, NOTHING, np.int64)
    distinct, pages[shown] = np.unique(keys[shown], return_inverse=True)
    queries, documents = np.divmod(distinct, len(log.document_names))
    pairs = enumerate(zip(queries.tolist(), documents.tolist(), strict=True))
    return {(log.query_names[q], log.document_names[d]): number for number, (q, d) in pairs}, pages


def maximise(
    improve: Callable[[], float], clicks: ClickLog, prior: float, rounds: int, tolerance: float
) -> FloatArray:
    """Iterate until a round gains too little or rounds run out; return the objective before each round."""
    if not 0.0 <= prior < np.inf:
        raise ParameterError(f"prior must be a finite number, 0 or more; got {prior}.")
    if not 0.0 <= tolerance < np.inf:
        raise ParameterError(f"tolerance must be a finite number, 0 or more; got {tolerance}.")
    require_whole("rounds", rounds, 1)
    if not clicks.clicked.any():
        raise ParameterError("log has no clicks; a model can only be fitted to impressions with clicks.")
    trace: list[float] = []
    while len(trace) < rounds and not (len(trace) > 1 and trace[-1] - trace[-2] < tolerance * len(clicks)):
        trace.append(improve())
    return np.array(trace)


@compiled
def renew(
    chances: FloatArray, parts: FloatArray, wholes: FloatArray, usual: float, prior: float, total: float
) -> float:
    """Set each probability to its posterior mode; return the total plus the log priors before."""
    for i in range(len(chances)):
        if prior > 0.0:
            total += prior * (usual * ln(chances[i]) + (1.0 - usual) * ln(1.0 - chances[i]))
        known = wholes[i] + prior
        if known > 0.0:
            chances[i] = (parts[i] + prior * usual) / known
    return total


class HeldOut(NamedTuple):
    """How well a fitted model predicts a log.

    Parameters
    ----------
    name : str
        The kind of model.
    log_likelihood : float
        The log-likelihood of all impressions together.
    per_impression : float
        The mean log-likelihood per impression.
    per_document : float
        The mean log-likelihood per document shown, clicked or not.
    perplexity : float
        The mean perplexity over places.
    perplexity_by_place : tuple of float
        The perplexity at each place.

    Examples
    --------
    >>> HeldOut("coin", -13.86, -1.386, -0.693, 2.0, (2.0, 2.0)).perplexity
    2.0
    """

    name: str
    log_likelihood: float
    per_impression: float
    per_document: float
    perplexity: float
    perplexity_by_place: tuple[float, ...]


def compare_fits(models: Iterable[FittedClicks], log: ClickLog) -> list[HeldOut]:
    """Compare fitted models on a held-out log.

    Parameters
    ----------
    models : iterable of FittedClicks
        The models.
    log : ClickLog
        A log to which none of them was fitted.

    Returns
    -------
    list of HeldOut
        A row for each model, best first.

    Examples
    --------
    >>> from duelist.clicks import dependent_click, fit_dependent_click, fit_position_based, simulate_log
    >>> rng = np.random.default_rng(0)
    >>> person = dependent_click([0.2, 0.7], continuation=[0.3])
    >>> grades = {("svm", str(i)): i % 2 for i in range(8)}
    >>> log, held_out = simulate_log(person, grades, 20_000, 5, rng).split(0.5, rng)
    >>> for row in compare_fits([fit_position_based(log), fit_dependent_click(log)], held_out):
    ...     print(row.name, round(row.per_impression, 3), round(row.perplexity, 3))
    dependent click -1.962 1.561
    position-based -2.262 1.579
    """
    rows = []
    documents = int((log.documents != NOTHING).sum())
    for model in models:
        total, surprise = float(model.log_likelihood(log).sum()), model.perplexity(log)
        means = (total / len(log), total / documents, float(surprise.mean()))
        rows.append(HeldOut(model.name, total, *means, tuple(surprise.tolist())))
    return sorted(rows, key=lambda row: -row.log_likelihood)
