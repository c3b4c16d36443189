"""Results on disk: one `.npz` file of plain arrays and a JSON header, without pickle."""

import io
import json
import os
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from duelist.errors import FileError
from duelist.files import write_whole
from duelist.simulation.result import Results

FORMAT = "duelist.result/1"
AnyResults = TypeVar("AnyResults", bound=Results[Any])


def facts(kind: type[Any], *other: str) -> list[str]:
    """Return the names of a dataclass's fields that are plain values."""
    return [field.name for field in fields(kind) if field.name not in other]


def save_results(results: Results[Any], path: str | os.PathLike[str]) -> Path:
    """Write results; the file is whole or not there."""
    header = {
        "format": FORMAT,
        "kind": type(results).__name__,
        "facts": {name: plain(getattr(results, name)) for name in facts(type(results), "results")},
        "learners": {
            name: {fact: plain(getattr(one, fact)) for fact in facts(type(one), *one.arrays)}
            for name, one in results.items()
        },
    }
    arrays = {
        f"{place}.{name}": getattr(one, name)
        for place, one in enumerate(results.values())
        for name in one.arrays
    }
    content = io.BytesIO()
    np.savez_compressed(content, header=np.array(json.dumps(header)), allow_pickle=False, **arrays)
    return write_whole(path, content.getvalue())


def load_results(kind: type[AnyResults], path: str | os.PathLike[str]) -> AnyResults:
    """Read results, or say what is wrong with the file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            if header["format"] != FORMAT:
                raise FileError(f"{path} has format {header['format']!r}; this version reads {FORMAT!r}.")
            if header["kind"] != kind.__name__:
                raise FileError(f"{path} holds a {header['kind']}; load it with {header['kind']}.load(path).")
            results = {
                name: kind.runs(
                    **{fact: restored(value) for fact, value in known.items()},
                    **{array: file[f"{place}.{array}"] for array in kind.runs.arrays},
                )
                for place, (name, known) in enumerate(header["learners"].items())
            }
            return kind(results=results, **{name: restored(value) for name, value in header["facts"].items()})
    except FileError:
        raise
    except FileNotFoundError as error:
        raise FileError(f"{path} does not exist; give the path that save() returned.") from error
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise FileError(f"{path} is not a result written by save(): {error}") from error


def plain(value: Any) -> Any:
    """Return a fact as JSON knows it."""
    return {"array": value.tolist()} if isinstance(value, np.ndarray) else value


def restored(value: Any) -> Any:
    """Return a fact as it was before JSON."""
    if isinstance(value, dict):
        return np.array(value["array"], np.float64)
    return tuple(value) if isinstance(value, list) else value
