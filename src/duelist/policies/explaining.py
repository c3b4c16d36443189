"""A mixture of policies, explained in words."""

from collections.abc import Sequence
from textwrap import indent

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import require_whole
from duelist.policies.plain import MixtureParts, PlainPolicy
from duelist.text import align, counted

MOST_LINES = 40
"""Lines about one policy before it is cut short."""

MANY = 10**9
"""Counts from here on are told by their size."""

FEW_CONTEXTS = 10
"""Contexts whose chances are shown one by one."""


def explain_mixture(parts: MixtureParts, chances: FloatArray | None, top: int) -> str:
    """Return what the heaviest policies do, and how likely actions are; heaviest policies come first."""
    require_whole("top", top, 0)
    many = len(parts.policies)
    lines = [
        f"{counted(many, 'policy', 'policies')} over {counted(len(parts.actions), 'action')} "
        f"({', '.join(parts.actions)}), by {counted(len(parts.columns), 'column')} "
        f"({', '.join(parts.columns)})."
    ]
    if parts.made:
        known = {name.replace("_", " "): value for name, value in parts.made.items() if value is not None}
        lines.append(f"made: {', '.join(f'{name} {rounded(value)}' for name, value in known.items())}.")
    for policy, weight in zip(parts.policies[:top], parts.weights[:top], strict=True):
        lines += ["", f"weight {weight:.4f}: {type(policy).__name__}"]
        told = (
            policy.lines(parts.actions, parts.columns) if isinstance(policy, PlainPolicy) else [repr(policy)]
        )
        lines += [f"  {line}" for line in told[:MOST_LINES]]
        if len(told) > MOST_LINES:
            lines.append(f"  ... and {len(told) - MOST_LINES} more lines")
    if many > top:
        rest = float(parts.weights[top:].sum())
        lines += ["", f"{counted(many - top, 'more policy', 'more policies')} of total weight {rest:.4f}."]
    if chances is not None:
        lines += ["", *chances_told(parts.actions, chances)]
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
        rows = [
            [action, *(f"{column[place]:.3f}" for column in columns)] for place, action in enumerate(actions)
        ]
    title = f"chances of actions in {counted(len(chances), 'context')}:"
    return [title, indent(align(header, rows), "  ")]
