"""Mixtures of policies in files: JSON with a head that people can read, and a policy a line."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from duelist.errors import FileError, ParameterError
from duelist.files import read_json, write_whole
from duelist.policies.finite import TablePolicy
from duelist.policies.models import KEPT, LinearModel
from duelist.policies.plain import Plain, PlainPolicy, finite_numbers, whole_numbers
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.tree_model import TreeModel
from duelist.policies.trees import TreePolicy
from duelist.protocols import Policy

if TYPE_CHECKING:
    from duelist.policies.mixture import PolicyMixture

FORMAT, VERSION = "duelist policy mixture", 1
Mixture = TypeVar("Mixture")
Restored = TypeVar("Restored")

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


def mixture_content(mixture: "PolicyMixture") -> Plain:
    """Return a mixture as JSON knows it, or refuse policies that only exist in memory."""
    return {
        "made": mixture.made,
        "actions": list(mixture.actions),
        "columns": list(mixture.columns),
        "weights": mixture.weights.tolist(),
        "policies": [told(number, policy) for number, policy in enumerate(mixture.policies)],
    }


def write_mixture(path: str | os.PathLike[str], mixture: "PolicyMixture") -> Path:
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
