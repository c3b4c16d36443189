"""The protocols of the package: learners ask and are told, problems play.

The contract checks in `duelist.checks` test these rules:

1. Only `tell` changes the state, deterministically; `ask` is pure.
2. A duel holds everything that `tell` needs, so late, reordered and repeated answers are harmless.
3. A learner sees outcomes only; just metrics see the true preferences.
4. The state is a NamedTuple of arrays whose size does not depend on time.
5. Random numbers come from an argument: equal seeds give equal duels.
"""

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Choice, Duel, FloatArray, IntArray
from duelist.menus import Actions, Arms, Documents, Impression, Menu, Space

State = TypeVar("State")


@runtime_checkable
class Learner(Protocol[State]):
    """Chooses duels from a menu and learns from their outcomes.

    A learner holds hyperparameters only; what it has learned is in the state.
    """

    def init(self, menu: Any, rng: Generator) -> State:
        """Return the state before the first duel.

        Parameters
        ----------
        menu : Arms, Actions, Ball, Sphere or Box
            The choices.
        rng : numpy.random.Generator
            Random number generator for the initial state.

        Returns
        -------
        State
            A NamedTuple of arrays.
        """

    def ask(self, state: State, menu: Any, rng: Generator) -> Duel:
        """Return the duel to show next; the state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms, Actions, Ball, Sphere or Box
            The choices that may be shown.
        rng : numpy.random.Generator
            Random number generator for this duel.

        Returns
        -------
        Duel
            Two choices from the menu.
        """

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome; the old state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        duel : Duel
            The duel, as returned by `ask`.
        outcome : float
            1 if the left choice won, 0 if the right choice won, 0.5 for a tie.

        Returns
        -------
        State
            The new state.
        """

    def best(self, state: State, menu: Any) -> Choice:
        """Return the choice believed to be the winner.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms, Actions, Ball, Sphere or Box
            The choices.

        Returns
        -------
        Choice
            A choice from the menu.
        """


class ListLearner(Protocol[State]):
    """A learner of rankings: it shows lists of documents and learns from clicks."""

    def init(self, menu: Documents, rng: Generator) -> State:
        """Return the state before the first list.

        Parameters
        ----------
        menu : Documents
            The documents of any query; only the number of features matters.
        rng : numpy.random.Generator
            Random number generator for the initial state.

        Returns
        -------
        State
            A NamedTuple of arrays.
        """

    def ask(self, state: State, menu: Documents, rng: Generator) -> Impression:
        """Return the list to show for a query; the state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Documents
            The documents of the query.
        rng : numpy.random.Generator
            Random number generator for this list.

        Returns
        -------
        Impression
            The documents to show, best first.
        """

    def tell(self, state: State, impression: Impression, clicked: Iterable[int]) -> State:
        """Return the state after the clicks on a list; the old state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        impression : Impression
            The list, as returned by `ask`.
        clicked : iterable of int
            The clicked documents, as row numbers of the menu's features.

        Returns
        -------
        State
            The new state.
        """

    def best(self, state: State, menu: Documents) -> Any:
        """Return the ranker believed to be best.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Documents
            The documents of any query.

        Returns
        -------
        object
            A ranker with `weights`, one number per feature.
        """


AnyLearner: TypeAlias = Learner[Any] | ListLearner[Any]
"""A learner of duels or of lists."""


@runtime_checkable
class Estimator(Protocol):
    """Learns from a log of duels; holds hyperparameters only."""

    def fit(self, log: Any, seed: int = 0, progress: bool | None = None) -> Any:
        """Learn from a log.

        Parameters
        ----------
        log : DuelLog
            The duels.
        seed : int, default 0
            Seed of the random numbers; equal seeds give equal results.
        progress : bool, optional
            Whether to show a progress bar; by default only on a terminal.

        Returns
        -------
        object
            What was learned, such as a `PolicyMixture`.
        """


@runtime_checkable
class Problem(Protocol):
    """Something that answers duels."""

    def menu(self, rng: Generator | None = None) -> Menu:
        """Return the choices of the next round.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Random number generator for menus that are drawn at random.

        Returns
        -------
        Menu
            The choices.
        """

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return the outcome of a duel.

        Parameters
        ----------
        duel : Duel
            The duel, as returned by a learner's `ask`.
        rng : numpy.random.Generator
            Random number generator for the outcome.

        Returns
        -------
        float
            1 if the left choice wins, 0 if the right choice wins, 0.5 for a tie.
        """


class ArmProblem(Problem, Protocol):
    """A K-armed problem."""

    def menu(self, rng: Generator | None = None) -> Arms:
        """Return the arms."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the arms' names."""


@runtime_checkable
class KnownProblem(ArmProblem, Protocol):
    """A simulated K-armed problem, whose true preferences metrics may read."""

    @property
    def matrix(self) -> FloatArray:
        """Return the preferences: `matrix[i, j]` is the probability that arm i beats arm j."""


@runtime_checkable
class ScoredProblem(ArmProblem, Protocol):
    """A K-armed problem that is played live; metrics know the quality of its arms, but no preferences."""

    @property
    def gaps(self) -> FloatArray:
        """Return the cost of showing each arm, 0 for the best."""


@runtime_checkable
class KnownUtility(Problem, Protocol):
    """A simulated problem over the points of a space, whose true preferences metrics may read."""

    def menu(self, rng: Generator | None = None) -> Space:
        """Return the space."""

    def gap(self, point: FloatArray) -> float:
        """Return the cost of showing a point, such as the best point's probability to beat it minus 1/2."""


@runtime_checkable
class Policy(Protocol):
    """Chooses an action in every context.

    Examples
    --------
    >>> from duelist.policies import TablePolicy
    >>> isinstance(TablePolicy([1, 0]), Policy)
    True
    """

    def act(self, contexts: FloatArray) -> IntArray:
        """Return the action for each row of contexts.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.

        Returns
        -------
        array of int, shape (n,)
            The numbers of the actions.
        """


@runtime_checkable
class PolicyTable(Protocol):
    """A finite class of policies over a finite set of contexts."""

    @property
    def actions(self) -> IntArray:
        """Return the number of each policy's action: one row per policy, one column per context."""


@runtime_checkable
class KnownContexts(Problem, Protocol):
    """A simulated problem over a finite set of contexts, whose true preferences metrics may read."""

    @property
    def matrices(self) -> FloatArray:
        """Return the preferences: `matrices[c, a, b]` is the probability that a beats b in context c."""

    @property
    def chances(self) -> FloatArray:
        """Return the probability of each context."""

    @property
    def cumulated(self) -> FloatArray:
        """Return the cumulative probabilities of the contexts."""

    @property
    def order(self) -> IntArray:
        """Return the contexts in order of appearance; empty if they are drawn at random."""

    def as_policies(self, actions: ArrayLike) -> IntArray:
        """Return the actions of policies as a checked table, one row per policy."""

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the actions in the next context, after `played` rounds."""


@runtime_checkable
class KnownRankings(Protocol):
    """A simulated ranking problem: users who click on lists, and the quality of lists and rankers."""

    @property
    def d(self) -> int:
        """Return the number of features of a document."""

    @property
    def corpus(self) -> Any:
        """Return the training queries in the form that kernels use."""

    @property
    def depth(self) -> int:
        """Return the number of places of a list that count for its quality."""

    @property
    def held_out(self) -> Any:
        """Return the test queries; None if they are the training queries."""

    def menu(self, rng: Generator | None = None) -> Documents:
        """Return the documents of the next query."""

    def play(self, impression: Impression, rng: Generator) -> list[int]:
        """Return the clicked documents."""

    def list_quality(self, impression: Impression) -> float | None:
        """Return the quality of a list; None if the query has no relevant document."""

    def quality(self, weights: FloatArray) -> float:
        """Return the quality of a linear ranker on the test queries."""

    def world(self, length: int) -> Any:
        """Return the problem in the form that kernels use, for lists of this length."""


@runtime_checkable
class ClickModel(Protocol):
    """A model of users who click on the documents of a page.

    Its compiled part is a NamedTuple with an overload of `duelist.clicks.click_through`, which loops call
    without knowing the model. An example is `duelist.clicks.TableClickModel`, which consists of three tables
    of probabilities.
    """

    @property
    def grades(self) -> int:
        """Return the number of relevance grades that the model distinguishes."""

    def user(self) -> Any:
        """Return the NamedTuple whose type selects the overload of `click_through`."""
