"""A distribution over policies: what contextual learners return, a von Neumann winner at best.

Its file is JSON with a head that people can read, and a policy a line.
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

ROUNDING = 1e-12  # what the sum of weights may differ from 1 by, for having been added up
MOST_LINES = 40  # lines about one policy before it is cut short
MANY = 10**9  # counts from here on are told by their size
FEW_CONTEXTS = 10  # contexts whose chances are shown one by one
FORMAT, VERSION = "duelist policy mixture", 1
Mixture = TypeVar("Mixture")
Restored = TypeVar("Restored")


@dataclass(frozen=True, eq=False)
class PolicyMixture:
    """Policies and how often each is followed: a policy is drawn anew for every context.

    Parameters
    ----------
    policies : sequence of Policy
        Those that are followed at all.
    weights : array
        The chance of each; they add up to 1.
    actions : sequence of str
        The actions' names.
    columns : sequence of str
        What the numbers of a context are called.
    made : mapping, optional
        How it was made, in words and numbers that JSON knows; kept in its file.

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
                f"weights must be a number for each of {counted(len(self.policies), 'policy')}; got "
                f"{weights}."
            )
        if not np.isfinite(weights).all() or weights.min() < 0.0 or abs(weights.sum() - 1.0) > 1e-6:
            raise ParameterError(f"weights must not be negative and add up to 1; got {weights}.")
        if abs(weights.sum() - 1.0) > ROUNDING:  # so that saved weights stay the same to the last bit
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
        """Return the chance of every action, a row for each row of contexts."""
        table = self._contexts(contexts)
        chances = np.zeros((len(table), len(self.actions)))
        rows = np.arange(len(table))
        for policy, weight in zip(self.policies, self.weights, strict=True):
            chances[rows, policy.act(table)] += weight
        return chances

    def draw(self, contexts: ArrayLike, rng: Generator) -> IntArray:
        """Return an action, by number, for each row of contexts."""
        require_generator(rng)
        table = self._contexts(contexts)
        chosen = rng.choice(len(self.policies), size=len(table), p=self.weights)
        actions = np.empty(len(table), np.int64)
        for policy in np.unique(chosen):
            rows = chosen == policy
            actions[rows] = self.policies[policy].act(table[rows])
        return actions

    def sample(self, context: ArrayLike, rng: Generator) -> str:
        """Return an action, by name, in one context."""
        return self.actions[int(self.draw(np.atleast_2d(np.asarray(context, np.float64)), rng)[0])]

    def merged(self) -> "PolicyMixture":
        """Return the same mixture with equal policies as one, heaviest first, and none of weight 0.

        Policies of plain arrays are equal if these are, to the last bit; any other policy equals itself only.
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
        """Return in words what the `top` heaviest policies do, and how likely actions are in some contexts.

        Chances are told for each row of contexts or, if there are more than 10, over all of them. Equal
        policies count as one.

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
        chances of actions in 1 context:
          tea   milk
          0.000 1.000
        """
        chances = None if contexts is None else self.chances(contexts)
        return explain_mixture(self.merged(), chances, top)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the mixture as JSON, to be read back to the last bit; the file is whole or not there.

        Policies that are not plain arrays are refused; tables are, and what oracles make of linear models,
        decision trees, forests and gradient boosting.
        """
        return write_mixture(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PolicyMixture":
        """Read a mixture, or say what is wrong with the file."""
        return read_mixture(path, cls)

    def plain(self) -> dict[str, Any]:
        """Return the mixture as JSON knows it; policies must be of plain arrays, as in `save`."""
        return mixture_content(self)

    @classmethod
    def from_plain(cls, content: dict[str, Any]) -> "PolicyMixture":
        """Return the mixture that `plain` described."""
        return parse_mixture(content, cls)

    def _contexts(self, contexts: ArrayLike) -> FloatArray:
        table = np.ascontiguousarray(contexts, np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.columns):
            raise ParameterError(
                f"contexts must have the {len(self.columns)} columns {', '.join(self.columns)}; got shape "
                f"{table.shape}."
            )
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise ParameterError(f"contexts must be finite; row {row} is {table[row]}.")
        return table


def sameness(policy: Policy) -> object:
    """Return what only equal policies have in common."""
    if not isinstance(policy, PlainPolicy):
        return id(policy)
    try:
        return fingerprint(policy.plain())
    except ParameterError:
        return id(policy)


def explain_mixture(mixture: PolicyMixture, chances: FloatArray | None, top: int) -> str:
    """Return what the heaviest policies do, and how likely actions are; heaviest policies come first."""
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
        told = policy.lines(actions, columns) if isinstance(policy, PlainPolicy) else [repr(policy)]
        lines += [f"  {line}" for line in told[:MOST_LINES]]
        if len(told) > MOST_LINES:
            lines.append(f"  ... and {len(told) - MOST_LINES} more lines")
    if many > top:
        rest = float(mixture.weights[top:].sum())
        lines += ["", f"{counted(many - top, 'more policy')} of total weight {rest:.4f}."]
    if chances is not None:
        lines += ["", *chances_told(actions, chances)]
    return "\n".join(lines)


def rounded(value: object) -> str:
    """Return a number as people read it, and all else as it is."""
    long = isinstance(value, float) or (isinstance(value, int) and value >= MANY)
    return f"{value:.3g}" if long else str(value)


def chances_told(actions: Sequence[str], chances: FloatArray) -> list[str]:
    """Return the chances of actions, context by context, or over all if they are many."""
    header = list(actions)
    rows = [[f"{chance:.3f}" for chance in row] for row in chances]
    if len(chances) > FEW_CONTEXTS:
        likeliest = np.bincount(chances.argmax(axis=1), minlength=len(actions)) / len(chances)
        columns = (chances.mean(axis=0), chances.min(axis=0), chances.max(axis=0), likeliest)
        header = ["action", "mean", "least", "most", "likeliest in"]
        rows = [[name, *(f"{column[place]:.3f}" for column in columns)] for place, name in enumerate(actions)]
    title = f"chances of actions in {counted(len(chances), 'context')}:"
    return [title, indent(align(header, rows), "  ")]


MODELS: dict[str, Callable[[Plain], LinearModel | TreeModel]] = {
    "linear": LinearModel.from_plain,
    "trees": TreeModel.from_plain,
}
POLICIES: dict[str, Callable[[Plain], Policy]] = {  # how each kind of policy is made of what a file says
    "table": lambda content: TablePolicy(whole_numbers("actions", content["actions"])),
    "tree": TreePolicy.from_plain,
    "cheapest": lambda content: CheapestPolicy(restored(MODELS, content["model"])),
    "voting": lambda content: VotingPolicy(restored(MODELS, content["model"]), content["k"]),
}


def mixture_content(mixture: PolicyMixture) -> Plain:
    """Return a mixture as JSON knows it, or refuse policies that only exist in memory."""
    return {
        "made": mixture.made,
        "actions": list(mixture.actions),
        "columns": list(mixture.columns),
        "weights": mixture.weights.tolist(),
        "policies": [told(number, policy) for number, policy in enumerate(mixture.policies)],
    }


def write_mixture(path: str | os.PathLike[str], mixture: PolicyMixture) -> Path:
    """Write a mixture, or refuse policies that only exist in memory."""
    head = {"format": FORMAT, "version": VERSION, **mixture_content(mixture)}
    policies = head.pop("policies")
    try:
        lines = [json.dumps(value, ensure_ascii=False, allow_nan=False) for value in head.values()]
    except (TypeError, ValueError) as error:
        raise ParameterError(f"made must hold words and finite numbers that JSON knows: {error}.") from error
    fields = [f'  "{name}": {line}' for name, line in zip(head, lines, strict=True)]
    listed = ",\n".join(f"    {json.dumps(policy)}" for policy in policies)
    text = ",\n".join([*fields, f'  "policies": [\n{listed}\n  ]'])
    return write_whole(path, f"{{\n{text}\n}}\n".encode())


def told(number: int, policy: Policy) -> Plain:
    """Return a policy as JSON knows it, or refuse."""
    if not isinstance(policy, PlainPolicy):
        raise ParameterError(
            f"policy {number}, a {type(policy).__name__}, cannot be saved; a file keeps {KEPT}."
        )
    try:
        content: Plain = json.loads(json.dumps(policy.plain(), default=np.ndarray.tolist))
    except ParameterError as error:
        raise ParameterError(f"policy {number}: {error}") from error
    return content


def read_mixture(path: str | os.PathLike[str], make: Callable[..., Mixture]) -> Mixture:
    """Read a mixture, or say what is wrong with the file."""
    content = read_json(path, "policy mixture", FORMAT, VERSION)
    try:
        return parse_mixture(content, make)
    except ParameterError as error:
        raise FileError(f"{path} is damaged: {error}") from error


def parse_mixture(content: Plain, make: Callable[..., Mixture]) -> Mixture:
    """Return the mixture that `mixture_content` describes, or say what is wrong with it."""
    for name in ("actions", "columns"):
        names = content.get(name)
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise ParameterError(f'its "{name}" are not a list of names.')
    if not isinstance(content.get("made"), dict):
        raise ParameterError('its "made" does not say how the mixture was made.')
    if not isinstance(content.get("policies"), list):
        raise ParameterError('its "policies" are not a list.')
    policies = [parse_policy(number, one) for number, one in enumerate(content["policies"])]
    weights = finite_numbers("weights", content.get("weights"))
    return make(policies, weights, content["actions"], content["columns"], content["made"])


def parse_policy(number: int, content: object) -> Policy:
    """Return a policy of a mixture, or say what is wrong with it."""
    try:
        return restored(POLICIES, content)
    except KeyError as error:
        raise ParameterError(f"policy {number} has no {error}.") from error
    except ParameterError as error:
        raise ParameterError(f"policy {number}: {error}") from error


def restored(kinds: Mapping[str, Callable[[Plain], Restored]], content: object) -> Restored:
    """Return what a file tells about, by its kind."""
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(kind, str) or kind not in kinds:
        raise ParameterError(f"kind must be one of {', '.join(kinds)}; got {kind!r}.")
    return kinds[kind](content)
