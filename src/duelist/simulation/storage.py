"""Results on disk: one `.npz` file of plain arrays and a JSON header, without pickle."""

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np

from duelist.errors import FileError
from duelist.files import write_whole
from duelist.simulation.result import LearnerResult, SimulationResult

FORMAT = "duelist.result/1"
ARRAYS = ("checkpoints", "regret", "weak_regret", "best_at", "plays", "informative")


def save_result(result: SimulationResult, path: str | os.PathLike[str]) -> Path:
    """Write a result; the file is whole or not there."""
    header = {
        "format": FORMAT,
        "labels": result.labels,
        "concept": result.concept,
        "winners": result.winners,
        "lower_bound": result.lower_bound,
        "seed": result.seed,
        "learners": {name: one.description for name, one in result.items()},
    }
    arrays = {
        f"{place}.{field}": getattr(one, field)
        for place, one in enumerate(result.values())
        for field in ARRAYS
    }
    content = io.BytesIO()
    np.savez_compressed(content, header=np.array(json.dumps(header)), allow_pickle=False, **arrays)
    return write_whole(path, content.getvalue())


def load_result(path: str | os.PathLike[str]) -> SimulationResult:
    """Read a result, or say what is wrong with the file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            if header["format"] != FORMAT:
                raise FileError(f"{path} has format {header['format']!r}; this version reads {FORMAT!r}.")
            winners = tuple(header["winners"])
            results = {
                name: LearnerResult(
                    description=description,
                    winners=winners,
                    **{field: file[f"{place}.{field}"] for field in ARRAYS},
                )
                for place, (name, description) in enumerate(header["learners"].items())
            }
    except FileNotFoundError as error:
        raise FileError(f"{path} does not exist; give the path that save() returned.") from error
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path} is not a result written by save(): {error}") from error
    return SimulationResult(
        results=results,
        labels=tuple(header["labels"]),
        concept=header["concept"],
        winners=winners,
        lower_bound=header["lower_bound"],
        seed=header["seed"],
    )
