"""Documents written as SVMlight lines."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FeatureArray, IntArray
from duelist.errors import ParameterError
from duelist.files import drafted

BATCH_ROWS = 1000


def write_svmlight(
    path: str | os.PathLike[str],
    features: FeatureArray,
    labels: IntArray,
    queries: NDArray[np.str_],
    offsets: IntArray,
) -> Path:
    """Write a line a document; every value has the digits that single precision needs."""
    names = queries.tolist()
    _check_names(names)
    name_of = np.repeat(np.arange(len(names)), np.diff(offsets))
    with drafted(path) as file:
        for start in range(0, len(labels), BATCH_ROWS):
            rows = slice(start, start + BATCH_ROWS)
            batch = features[rows]
            if not np.isfinite(batch).all():
                raise ParameterError("features must be finite to be written; replace nan and inf first.")
            lines = []
            for label, query, values in zip(
                labels[rows].tolist(), name_of[rows].tolist(), batch.astype(np.str_).tolist(), strict=True
            ):
                pairs = " ".join([f"{number}:{value}" for number, value in enumerate(values, 1)])
                lines.append(f"{label} qid:{names[query]} {pairs}\n")
            file.write("".join(lines).encode())
    return Path(path)


def _check_names(names: list[str]) -> None:
    known: set[str] = set()
    for name in names:
        if not name or "#" in name or any(character.isspace() for character in name) or name in known:
            raise ParameterError(
                f"queries must have names without blanks and #, each its own, to be written; got {name!r}."
            )
        known.add(name)
