"""A click model fitted to a log, and how well it predicts impressions that it has not seen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelist.clicks.log import NOTHING, ClickLog
from duelist.clicks.model import ClickModel
from duelist.clicks.user import User, click_chances, log_chance
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_whole
from duelist.kernels.compile import compiled
from duelist.text import counted


@compiled
def log_chances(user: User, pages: IntArray, clicked: BoolArray, found: FloatArray) -> None:
    """Write the logarithm of the chance of each page's clicks; documents are known by number, -1 is none."""
    for i in range(len(pages)):
        found[i] = log_chance(user, pages[i], length_of(pages[i]), clicked[i])


@compiled
def chances_of_pages(user: User, pages: IntArray, chances: FloatArray) -> None:
    """Write the chance of a click at every place of every page, whatever is clicked above."""
    for i in range(len(pages)):
        click_chances(user, pages[i], length_of(pages[i]), chances[i])


@compiled
def length_of(page: IntArray) -> int:
    """Return how many documents a page shows."""
    shown = 0
    while shown < len(page) and page[shown] != NOTHING:
        shown += 1
    return shown


@dataclass(frozen=True, eq=False, repr=False)
class FittedClicks:
    """A click model fitted to a log; returned by the functions that fit.

    Parameters
    ----------
    name : str
        The kind of model.
    pairs : mapping of (query, document) to int
        The number of every document that the log showed for a query.
    attraction : array of shape (pairs + 1,)
        The chance that a pair's document is clicked, once it is looked at; last, that of unseen documents.
    examination : array of shape (places, 1 or places)
        The chance that a place is looked at, with nothing clicked or after each last click.
    stop : array of shape (places, 1)
        The chance to leave after a click at a place.
    evidence : array of shape (pairs,)
        On how many shows (or looks, where these are known) an attraction rests.
    trace : array
        What was maximised, the logarithm of the likelihood and the prior, before every round.
    converged : bool
        Whether the gain of a round fell below the tolerance before the rounds ran out.

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
        """Describe the model in a line."""
        pairs, rounds = len(self.pairs), len(self.trace)
        return (
            f"{type(self).__name__}({self.name}, {counted(pairs, 'document')} of queries, "
            f"{counted(rounds, 'round')})"
        )

    def user(self) -> User:
        """Return the person as kernels see it; a document's grade is the number of its pair."""
        return User(self.attraction, self.examination, self.stop)

    def chances(self, query: str, documents: Sequence[str]) -> FloatArray:
        """Return the chance of a click on each document of a page, whatever is clicked above it."""
        page = np.array([self._number(query, document) for document in documents], np.int64)
        chances = np.empty(len(page))
        click_chances(self.user(), page, len(page), chances)
        return chances

    def log_likelihood(self, log: ClickLog) -> FloatArray:
        """Return the logarithm of the chance of just the clicks of each impression."""
        found = np.empty(len(log))
        log_chances(self.user(), self._pages(log), log.clicked, found)
        return found

    def perplexity(self, log: ClickLog) -> FloatArray:
        """Return the perplexity of the clicks at each place: 1 is a perfect prediction, 2 a coin flip.

        It is 2 to the mean surprise in bits, where a click's chance does not know the clicks above it.
        """
        chances = np.zeros(log.documents.shape)
        chances_of_pages(self.user(), self._pages(log), chances)
        shown = log.documents != NOTHING
        with np.errstate(divide="ignore"):
            bits = -np.log2(np.where(log.clicked, chances, 1.0 - chances))
        found: FloatArray = 2.0 ** (np.where(shown, bits, 0.0).sum(0) / shown.sum(0))
        return found

    def by_grade(self, grades: Mapping[tuple[str, str], int]) -> ClickModel:
        """Return a model of people who click like this, attracted by grades instead of documents.

        Parameters
        ----------
        grades : mapping of (query, document) to int
            The grades of documents, from 0. A grade attracts as its documents in the log do on average, each
            weighted by its evidence; documents without a grade are left out.
        """
        known = [(number, grades[pair]) for pair, number in self.pairs.items() if pair in grades]
        for _, grade in known:
            require_whole("a grade", grade, 0)
        numbers, labels = np.array(known, np.int64).reshape(-1, 2).T
        weights = np.bincount(labels, self.evidence[numbers])
        if len(weights) == 0 or weights.min() <= 0.0:
            missing = int(weights.argmin()) if len(weights) else 0
            raise ParameterError(
                f"no document of grade {missing} is in the log; number grades without a gap."
            )
        attraction = np.bincount(labels, self.evidence[numbers] * self.attraction[numbers]) / weights
        return ClickModel(
            self.name,
            tuple(attraction.tolist()),
            tuple(map(tuple, self.examination.tolist())),
            tuple(map(tuple, self.stop.tolist())),
        )

    def _number(self, query: str, document: str) -> int:
        return self.pairs.get((query, document), len(self.pairs))

    def _pages(self, log: ClickLog) -> IntArray:
        pairs, pages = numbered_pairs(log)
        numbers = np.array([*(self._number(*pair) for pair in pairs), NOTHING], np.int64)
        return numbers[pages]


def numbered_pairs(log: ClickLog) -> tuple[list[tuple[str, str]], IntArray]:
    """Return a log's pairs of a query and a document, and its pages in numbers of these, -1 for none."""
    shown = log.documents != NOTHING
    keys = log.queries[:, None] * len(log.document_names) + log.documents
    distinct, numbers = np.unique(keys[shown], return_inverse=True)
    pages = np.full(keys.shape, NOTHING, np.int64)
    pages[shown] = numbers
    queries, documents = np.divmod(distinct, len(log.document_names))
    pairs = zip(queries.tolist(), documents.tolist(), strict=True)
    return [(log.query_names[query], log.document_names[document]) for query, document in pairs], pages


class HeldOut(NamedTuple):
    """How well a fitted model predicts a log.

    Examples
    --------
    >>> HeldOut("coin", -13.86, -1.386, -0.693, 2.0, (2.0, 2.0)).perplexity
    2.0
    """

    name: str
    log_likelihood: float
    """Of all impressions together."""
    per_impression: float
    per_document: float
    """The logarithm of likelihood for each document shown, clicked or not."""
    perplexity: float
    """The mean over places."""
    perplexity_by_place: tuple[float, ...]


def compare_fits(models: Iterable[FittedClicks], log: ClickLog) -> list[HeldOut]:
    """Return a row for every model, the best first; use a log that they were not fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.clicks import dependent_click, fit_dependent_click, fit_position_based
    >>> from duelist.clicks import simulate_log
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
        total = float(model.log_likelihood(log).sum())
        surprise = model.perplexity(log)
        means = (total / len(log), total / documents, float(surprise.mean()))
        rows.append(HeldOut(model.name, total, *means, tuple(surprise.tolist())))
    return sorted(rows, key=lambda row: -row.log_likelihood)
