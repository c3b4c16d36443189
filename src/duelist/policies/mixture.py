"""Mixtures of policies: the distributions over policies that contextual learners return.

The file format is JSON with a readable header and one policy per line.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import indent
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import FloatArray, IntArray
from duelist.errors import FileError, ParameterError, require_generator, require_whole
from duelist.files import read_json, write_whole
from duelist.policies.finite import TablePolicy
from duelist.policies.models import KEPT, LinearModel
from duelist.policies.plain import Plain, PlainPolicy, fingerprint, finite_numbers, whole_numbers
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.trees import TreeModel, TreePolicy
from duelist.protocols import Policy
from duelist.text import align, counted

ROUNDING = 1e-12  # how far the sum of weights may differ from 1 because of rounding
MOST_LINES = 40  # the most lines of one policy in a description
MANY = 10**9  # counts from here on are printed with three digits
FEW_CONTEXTS = 10  # up to this many contexts, probabilities are printed for each
FORMAT, VERSION = "duelist policy mixture", 1
Mixture = TypeVar("Mixture")
Restored = TypeVar("Restored")


@dataclass(frozen=True, eq=False)
class PolicyMixture:
    """A distribution over policies: for every context, a policy is drawn and followed.

    Parameters
    ----------
    policies : sequence of Policy
        The policies.
    weights : array
        The probability of each policy; the weights sum to 1.
    actions : sequence of str
        The names of the actions.
    columns : sequence of str
        The names of the columns of a context.
    made : mapping, optional
        How the mixture was made, as strings and numbers that JSON supports; stored in its file.

    Raises
    ------
    ParameterError
        If the weights are not probabilities, or a policy needs more actions or columns than there are.

    Examples
    --------
    >>> from duelist.policies.finite import TablePolicy
    >>> mixture = PolicyMixture([TablePolicy([0, 1]), TablePolicy([2, 1])], [0.25, 0.75], "abc", ["place"])
    >>> mixture.chances([[0.0], [1.0]])
    array([[0.25, 0.  , 0.75],
           [0.  , 1.  , 0.  ]])
    >>> mixture.sample([1.0], np.random.default_rng(0))
    'b'
    """

    policies: Sequence[Policy]
    weights: FloatArray
    actions: Sequence[str]
    columns: Sequence[str]
    made: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        if weights.shape != (len(self.policies),) or len(weights) == 0:
            raise ParameterError(
                f"weights must have one number for each of {counted(len(self.policies), 'policy')}; got "
                f"{weights}."
            )
        if not np.isfinite(weights).all() or weights.min() < 0.0 or abs(weights.sum() - 1.0) > 1e-6:
            raise ParameterError(f"weights must be 0 or more and sum to 1; got {weights}.")
        if abs(weights.sum() - 1.0) > ROUNDING:  # keeps saved weights the same to the last bit
            weights /= weights.sum()
        weights.setflags(write=False)
        kept = {name: tuple(getattr(self, name)) for name in ("policies", "actions", "columns")}
        vars(self).update(kept, weights=weights, made=dict(self.made))
        for number, policy in enumerate(self.policies):
            if isinstance(policy, PlainPolicy):
                k, d = policy.needs
                if k > len(self.actions) or d > len(self.columns):
                    raise ParameterError(
                        f"policy {number} needs {counted(k, 'action')} and {counted(d, 'column')}; there "
                        f"are {len(self.actions)} and {len(self.columns)}."
                    )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({counted(len(self.policies), 'policy')} over "
            f"{counted(len(self.actions), 'action')})"
        )

    def chances(self, contexts: ArrayLike) -> FloatArray:
        """Return the probability of every action in each context.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.

        Returns
        -------
        array of shape (n, k)
            One row per context, one column per action.

        Raises
        ------
        ParameterError
            If the contexts are not finite numbers, one column for each of `columns`.
        """
        table = self._contexts(contexts)
        chances = np.zeros((len(table), len(self.actions)))
        rows = np.arange(len(table))
        for policy, weight in zip(self.policies, self.weights, strict=True):
            chances[rows, policy.act(table)] += weight
        return chances

    def draw(self, contexts: ArrayLike, rng: Generator) -> IntArray:
        """Draw an action for each context.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.
        rng : numpy.random.Generator
            Random number generator for the draws.

        Returns
        -------
        array of int, shape (n,)
            The numbers of the actions.

        Raises
        ------
        ParameterError
            If the contexts do not fit `columns`, or `rng` is not a random number generator.
        """
        require_generator(rng)
        table = self._contexts(contexts)
        chosen = rng.choice(len(self.policies), size=len(table), p=self.weights)
        actions = np.empty(len(table), np.int64)
        for policy in np.unique(chosen):
            rows = chosen == policy
            actions[rows] = self.policies[policy].act(table[rows])
        return actions

    def sample(self, context: ArrayLike, rng: Generator) -> str:
        """Draw an action in one context.

        Parameters
        ----------
        context : array of shape (d,)
            The context.
        rng : numpy.random.Generator
            Random number generator for the draw.

        Returns
        -------
        str
            The name of the action.

        Raises
        ------
        ParameterError
            If the context does not fit `columns`, or `rng` is not a random number generator.
        """
        return self.actions[int(self.draw(np.atleast_2d(np.asarray(context, np.float64)), rng)[0])]

    def merged(self) -> "PolicyMixture":
        """Return the mixture with equal policies merged, sorted by weight, without policies of weight 0.

        Policies that consist of plain arrays are equal if the arrays are equal to the last bit; any other
        policy is equal only to itself.

        Returns
        -------
        PolicyMixture
            An equivalent mixture.
        """
        total: dict[object, float] = {}
        first: dict[object, Policy] = {}
        for policy, weight in zip(self.policies, self.weights, strict=True):
            if weight > 0.0:
                key = sameness(policy)
                total[key] = total.get(key, 0.0) + float(weight)
                first.setdefault(key, policy)
        order = sorted(total, key=lambda key: -total[key])
        weights = np.array([total[key] for key in order])
        return replace(self, policies=[first[key] for key in order], weights=weights)

    def explain(self, contexts: ArrayLike | None = None, top: int = 5) -> str:
        """Describe the policies with the largest weights and, optionally, the probabilities of actions.

        Equal policies count as one.

        Parameters
        ----------
        contexts : array of shape (n, d), optional
            The contexts for which probabilities of actions are printed; for more than 10 contexts, only a
            summary is printed.
        top : int, default 5
            The number of policies to describe.

        Returns
        -------
        str
            The description, several lines long.

        Examples
        --------
        >>> from duelist.policies.finite import TablePolicy
        >>> print(PolicyMixture([TablePolicy([0, 1])], [1.0], ["tea", "milk"], ["hour"]).explain([[1.0]]))
        1 policy over 2 actions (tea, milk), by 1 column (hour).
        <BLANKLINE>
        weight 1.0000: TablePolicy
          tea where hour is 0
          milk where hour is 1
        <BLANKLINE>
        probabilities of actions in 1 context:
          tea   milk
          0.000 1.000
        """
        chances = None if contexts is None else self.chances(contexts)
        return explain_mixture(self.merged(), chances, top)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the mixture to a JSON file, atomically; loading it gives the same numbers to the last bit.

        Only policies that consist of plain arrays can be saved: tables, and what oracles make of linear
        models, decision trees, forests and gradient boosting.

        Parameters
        ----------
        path : str or path
            The file to write.

        Returns
        -------
        Path
            The path of the file.

        Raises
        ------
        ParameterError
            If a policy cannot be saved.
        """
        return write_mixture(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PolicyMixture":
        """Read a mixture from a JSON file.

        Parameters
        ----------
        path : str or path
            The file to read.

        Returns
        -------
        PolicyMixture
            The mixture.

        Raises
        ------
        FileError
            If the file cannot be read or does not contain a mixture.
        """
        return read_mixture(path, cls)

    def plain(self) -> dict[str, Any]:
        """Return the mixture as values that JSON supports, under the same conditions as `save`.

        Returns
        -------
        dict
            The content of its file, without the header.
        """
        return mixture_content(self)

    @classmethod
    def from_plain(cls, content: dict[str, Any]) -> "PolicyMixture":
        """Return a mixture from values that JSON supports.

        Parameters
        ----------
        content : dict
            What `plain` returned.

        Returns
        -------
        PolicyMixture
            The mixture.

        Raises
        ------
        ParameterError
            If the content does not describe a mixture.

        Examples
        --------
        >>> from duelist.policies.trees import TreePolicy
        >>> mixture = PolicyMixture([TreePolicy.always(1)], [1.0], ["tea", "milk"], ["hour"])
        >>> PolicyMixture.from_plain(mixture.plain()).chances([[9.0]])
        array([[0., 1.]])
        """
        return parse_mixture(content, cls)

    def _contexts(self, contexts: ArrayLike) -> FloatArray:
        table = np.ascontiguousarray(contexts, np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.columns):
            raise ParameterError(
                f"contexts must have {counted(len(self.columns), 'column')} ({', '.join(self.columns)}); got "
                f"shape {table.shape}."
            )
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise ParameterError(f"contexts must be finite; row {row} is {table[row]}.")
        return table


def sameness(policy: Policy) -> object:
    """Return a key that is the same for equal policies only."""
    if not isinstance(policy, PlainPolicy):
        return id(policy)
    try:
        return fingerprint(policy.plain())
    except ParameterError:
        return id(policy)


def explain_mixture(mixture: PolicyMixture, chances: FloatArray | None, top: int) -> str:
    require_whole("top", top, 0)
    actions, columns, many = mixture.actions, mixture.columns, len(mixture.policies)
    by = f"by {counted(len(columns), 'column')} ({', '.join(columns)})" if columns else "whatever the context"
    of = f"{counted(many, 'policy')} over {counted(len(actions), 'action')}"
    lines = [f"{of} ({', '.join(actions)}), {by}."]
    if mixture.made:
        known = {name.replace("_", " "): value for name, value in mixture.made.items() if value is not None}
        lines.append(f"made: {', '.join(f'{name} {rounded(value)}' for name, value in known.items())}.")
    for policy, weight in zip(mixture.policies[:top], mixture.weights[:top], strict=True):
        lines += ["", f"weight {weight:.4f}: {type(policy).__name__}"]
        described = policy.lines(actions, columns) if isinstance(policy, PlainPolicy) else [repr(policy)]
        lines += [f"  {line}" for line in described[:MOST_LINES]]
        if len(described) > MOST_LINES:
            lines.append(f"  ... and {len(described) - MOST_LINES} more lines")
    if many > top:
        rest = float(mixture.weights[top:].sum())
        lines += ["", f"{counted(many - top, 'more policy')} of total weight {rest:.4f}."]
    if chances is not None:
        lines += ["", *describe_chances(actions, chances)]
    return "\n".join(lines)


def rounded(value: object) -> str:
    """Format floats and huge counts with three digits, and anything else as it is."""
    long = isinstance(value, float) or (isinstance(value, int) and value >= MANY)
    return f"{value:.3g}" if long else str(value)


def describe_chances(actions: Sequence[str], chances: FloatArray) -> list[str]:
    """Return a table of the probabilities of actions per context, or a summary of many contexts."""
    header = list(actions)
    rows = [[f"{chance:.3f}" for chance in row] for row in chances]
    if len(chances) > FEW_CONTEXTS:
        likeliest = np.bincount(chances.argmax(axis=1), minlength=len(actions)) / len(chances)
        columns = (chances.mean(axis=0), chances.min(axis=0), chances.max(axis=0), likeliest)
        header = ["action", "mean", "min", "max", "most likely in"]
        rows = [
            [name, *(f"{column[action]:.3f}" for column in columns)] for action, name in enumerate(actions)
        ]
    title = f"probabilities of actions in {counted(len(chances), 'context')}:"
    return [title, indent(align(header, rows), "  ")]


MODELS: dict[str, Callable[[Plain], LinearModel | TreeModel]] = {
    "linear": LinearModel.from_plain,
    "trees": TreeModel.from_plain,
}
POLICIES: dict[str, Callable[[Plain], Policy]] = {  # how to read each kind of policy from a file
    "table": lambda content: TablePolicy(whole_numbers("actions", content["actions"])),
    "tree": TreePolicy.from_plain,
    "cheapest": lambda content: CheapestPolicy(restored(MODELS, content["model"])),
    "voting": lambda content: VotingPolicy(restored(MODELS, content["model"]), content["k"]),
}


def mixture_content(mixture: PolicyMixture) -> Plain:
    """Return a mixture as values that JSON supports; every policy must consist of plain arrays."""
    return {
        "made": mixture.made,
        "actions": list(mixture.actions),
        "columns": list(mixture.columns),
        "weights": mixture.weights.tolist(),
        "policies": [policy_content(number, policy) for number, policy in enumerate(mixture.policies)],
    }


def write_mixture(path: str | os.PathLike[str], mixture: PolicyMixture) -> Path:
    head = {"format": FORMAT, "version": VERSION, **mixture_content(mixture)}
    policies = head.pop("policies")
    try:
        lines = [json.dumps(value, ensure_ascii=False, allow_nan=False) for value in head.values()]
    except (TypeError, ValueError) as error:
        raise ParameterError(f"made must be JSON-compatible, with finite numbers: {error}.") from error
    fields = [f'  "{name}": {line}' for name, line in zip(head, lines, strict=True)]
    listed = ",\n".join(f"    {json.dumps(policy)}" for policy in policies)
    text = ",\n".join([*fields, f'  "policies": [\n{listed}\n  ]'])
    return write_whole(path, f"{{\n{text}\n}}\n".encode())


def policy_content(number: int, policy: Policy) -> Plain:
    if not isinstance(policy, PlainPolicy):
        raise ParameterError(
            f"policy {number}, {type(policy).__name__}, cannot be saved; files can hold {KEPT}."
        )
    try:
        content: Plain = json.loads(json.dumps(policy.plain(), default=np.ndarray.tolist))
    except ParameterError as error:
        raise ParameterError(f"policy {number}: {error}") from error
    return content


def read_mixture(path: str | os.PathLike[str], make: Callable[..., Mixture]) -> Mixture:
    content = read_json(path, "policy mixture", FORMAT, VERSION)
    try:
        return parse_mixture(content, make)
    except ParameterError as error:
        raise FileError(f"{path} is damaged: {error}") from error


def parse_mixture(content: Plain, make: Callable[..., Mixture]) -> Mixture:
    for name in ("actions", "columns"):
        names = content.get(name)
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise ParameterError(f'"{name}" must be a list of names; got {names!r:.80}.')
    for name, kind in (("made", dict), ("policies", list)):
        if not isinstance(content.get(name), kind):
            wanted = "an object" if kind is dict else "a list"
            raise ParameterError(f'"{name}" must be {wanted}; got {content.get(name)!r:.80}.')
    policies = [parse_policy(number, one) for number, one in enumerate(content["policies"])]
    weights = finite_numbers("weights", content.get("weights"))
    return make(policies, weights, content["actions"], content["columns"], content["made"])


def parse_policy(number: int, content: object) -> Policy:
    try:
        return restored(POLICIES, content)
    except KeyError as error:
        raise ParameterError(f"policy {number} has no {error}.") from error
    except ParameterError as error:
        raise ParameterError(f"policy {number}: {error}") from error


def restored(kinds: Mapping[str, Callable[[Plain], Restored]], content: object) -> Restored:
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(kind, str) or kind not in kinds:
        raise ParameterError(f"kind must be one of {', '.join(kinds)}; got {kind!r}.")
    return kinds[kind](content)
