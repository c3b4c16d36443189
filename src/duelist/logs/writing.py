"""Duels in contexts, written as CSV."""

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.files import drafted

ROLES = ("left", "right", "outcome", "propensity")
"""The columns that are no part of the context."""

ROWS_AT_ONCE = 10_000


def write_csv(
    path: str | os.PathLike[str],
    actions: Sequence[str],
    columns: Sequence[str],
    contexts: FloatArray,
    sides: tuple[IntArray, IntArray],
    chances: tuple[FloatArray, FloatArray],
) -> Path:
    """Write contexts, the names of left and right, outcomes and propensities, to the last bit."""
    header = [*columns, *ROLES]
    for name in (*actions, *columns):
        if not is_plain(name):
            raise ParameterError(
                f"{name!r} cannot be written so that it reads back; name it in one line, without blanks "
                "around it."
            )
    if len(set(header)) < len(header):
        raise ParameterError(
            f"columns must be unlike each other and unlike {', '.join(ROLES)}; got {', '.join(columns)}."
        )
    names: NDArray[np.object_] = np.array(actions, object)
    with drafted(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        # Names are quoted, so that one which begins with # is no comment.
        writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow(header)
        for start in range(0, len(contexts), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            fields = [column.tolist() for column in contexts[rows].T]
            fields += [names[side[rows]].tolist() for side in sides]
            fields += [chance[rows].tolist() for chance in chances]
            writer.writerows(zip(*fields, strict=True))
        text.flush()
        text.detach()
    return Path(path)


def is_plain(name: str) -> bool:
    """Return whether a name comes back from a file as it was.

    Examples
    --------
    >>> is_plain("dense, v2"), is_plain(" dense"), is_plain("two" + chr(10) + "lines"), is_plain("")
    (True, False, False, False)
    """
    return name == name.strip() and len(name.splitlines()) == 1
