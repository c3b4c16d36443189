"""The small interfaces everything meets at: learners ask and are told, problems play.

The laws, each a contract check in `duelist.checks`:

1. Only `tell` changes state, and deterministically; `ask` is pure.
2. The duel carries everything `tell` needs, so late, reordered and repeated answers do no harm.
3. Truth never crosses `play`: a learner sees outcomes, only metrics see preferences.
4. State is a NamedTuple of arrays, of a size that does not depend on time.
5. Randomness is an argument: equal seeds, equal duels.
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
    """Chooses duels on menus of its own kind and learns from outcomes; holds hyperparameters alone."""

    def init(self, menu: Any, rng: Generator) -> State:
        """Return the state before the first duel."""

    def ask(self, state: State, menu: Any, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is."""

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""

    def best(self, state: State, menu: Any) -> Choice:
        """Return the choice believed to be the winner."""


class ListLearner(Protocol[State]):
    """A learner whose menus are documents: it shows lists instead of duels, and is told clicks."""

    def init(self, menu: Documents, rng: Generator) -> State:
        """Return the state before the first list; of the menu only the number of features counts."""

    def ask(self, state: State, menu: Documents, rng: Generator) -> Impression:
        """Return the list to show for a query; the state stays as it is."""

    def tell(self, state: State, impression: Impression, clicked: Iterable[int]) -> State:
        """Return the state after the clicks on a list, given by the documents' rows."""

    def best(self, state: State, menu: Documents) -> Any:
        """Return the ranker believed to be best; it has `weights`, a number for each feature."""


AnyLearner: TypeAlias = Learner[Any] | ListLearner[Any]
"""A learner of duels or of lists."""


@runtime_checkable
class Estimator(Protocol):
    """Learns from a log of duels at once, and is never asked; holds hyperparameters and nothing else."""

    def fit(self, log: Any, seed: int = 0, progress: bool | None = None) -> Any:
        """Return what a `DuelLog` teaches, such as a `PolicyMixture`; equal seeds, equal answers."""


@runtime_checkable
class Problem(Protocol):
    """Something that answers duels."""

    def menu(self, rng: Generator | None = None) -> Menu:
        """Return what may be chosen now."""

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return an outcome: 1 left wins, 0 right wins, 0.5 a tie."""


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
    """A K-armed problem that is played live; only how good its arms are is known, and to metrics alone."""

    @property
    def gaps(self) -> FloatArray:
        """Return what showing each arm costs, nothing for the best."""


@runtime_checkable
class KnownUtility(Problem, Protocol):
    """A simulated problem over the points of a space, whose true preferences metrics may read."""

    def menu(self, rng: Generator | None = None) -> Space:
        """Return the space."""

    def gap(self, point: FloatArray) -> float:
        """Return what showing a point costs, such as the chance beyond 1/2 that the best point beats it."""


@runtime_checkable
class Policy(Protocol):
    """Chooses an action in every context."""

    def act(self, contexts: FloatArray) -> IntArray:
        """Return the action, by number, for each row of contexts."""


@runtime_checkable
class PolicyTable(Protocol):
    """A finite class of policies over a finite set of contexts."""

    @property
    def actions(self) -> IntArray:
        """Return each policy's action, by number: a row for each policy, a column for each context."""


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
        """Return the sums of the contexts' probabilities, up to each of them."""

    @property
    def order(self) -> IntArray:
        """Return the contexts in the order they come; empty where they are drawn at random."""

    def as_policies(self, actions: ArrayLike) -> IntArray:
        """Return the actions of policies as a checked table, a row for each policy."""

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the actions in the next context, after `played` rounds."""


@runtime_checkable
class KnownRankings(Protocol):
    """Simulated people who click on lists, and how good lists and rankers are, which metrics may read."""

    @property
    def d(self) -> int:
        """Return the number of features of a document."""

    @property
    def corpus(self) -> Any:
        """Return the queries to learn from, as kernels see them."""

    @property
    def depth(self) -> int:
        """Return how many places of a list count for its quality."""

    @property
    def held_out(self) -> Any:
        """Return the queries to measure on; None where they are those to learn from."""

    def menu(self, rng: Generator | None = None) -> Documents:
        """Return the documents of the next query."""

    def play(self, impression: Impression, rng: Generator) -> list[int]:
        """Return the documents that are clicked."""

    def list_quality(self, impression: Impression) -> float | None:
        """Return how good a list is; None where the query has no relevant document."""

    def quality(self, weights: FloatArray) -> float:
        """Return how good a linear ranker is on the queries to measure on."""

    def world(self, length: int) -> Any:
        """Return the problem as kernels see it, for lists of a length."""


@runtime_checkable
class ClickModel(Protocol):
    """Simulated people who click on a page, whatever the form of their model.

    The compiled part is a NamedTuple and its overload of `duelist.clicks.click_through`, which loops call
    without knowing the model. `duelist.clicks.TableClickModel`, three tables of chances, is one such model.
    """

    @property
    def grades(self) -> int:
        """Return the number of grades of relevance that the model knows."""

    def user(self) -> Any:
        """Return the NamedTuple by whose type kernels choose the overload of `click_through`."""
