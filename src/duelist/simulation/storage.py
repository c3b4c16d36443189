"""Results on disk: an `.npz` file of plain arrays and a JSON header, without pickle; a figure and a table."""

import json
import os
import zipfile
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from duelist.errors import FileError, MissingExtraError
from duelist.files import drafted, require_file, write_whole
from duelist.simulation.lines import Band
from duelist.simulation.result import AnyRuns, Curves, Results, Runs

FORMAT = "duelist.result/1"
DATA = "data.csv"  # the file of all measurements
# what reading a file raises that is not, or no longer, a file of arrays
UNREADABLE = (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error)
AnyResults = TypeVar("AnyResults", bound=Results[Any])


def facts(found: Results[Any] | Runs, *other: str) -> dict[str, Any]:
    """Return the fields of results that are plain values, as JSON knows them."""
    return {name: plain(value) for name, value in vars(found).items() if name not in other}


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> Path:
    """Write arrays, without pickle, to an `.npz` file that is whole or not there."""
    with drafted(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return Path(path)


def arrays_of(every: Iterable[Runs]) -> dict[str, NDArray[Any]]:
    """Return the arrays of all learners' runs, by the learner's place and their name."""
    return {f"{place}.{name}": array for place, one in enumerate(every) for name, array in one.arrays.items()}


def runs_at(kind: type[AnyRuns], place: int, known: Mapping[str, Any], arrays: Mapping[str, Any]) -> AnyRuns:
    """Return the runs of the learner at a place, of what `facts` and `arrays_of` said of them."""
    stored = {name: restored(value) for name, value in known.items()}
    names = [field.name for field in fields(kind) if field.name not in stored]
    return kind(**stored, **{name: arrays[f"{place}.{name}"] for name in names})


def save_results(results: Results[Any], path: str | os.PathLike[str]) -> Path:
    """Write results; the file is whole or not there."""
    header = {
        "format": FORMAT,
        "kind": type(results).__name__,
        "facts": facts(results, "results"),
        "learners": {name: facts(one, *one.arrays) for name, one in results.items()},
    }
    return write_arrays(path, {"header": np.array(json.dumps(header)), **arrays_of(results.values())})


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
                name: runs_at(kind.runs, place, known, file)
                for place, (name, known) in enumerate(header["learners"].items())
            }
            return kind(results=results, **{name: restored(value) for name, value in header["facts"].items()})
    except FileError:
        raise
    except FileNotFoundError as error:
        raise FileError(f"{path} does not exist; give the path that save() returned.") from error
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path that save() returned.") from error
    except UNREADABLE as error:
        raise FileError(f"{path} is not a result written by save(): {error}") from error


def plain(value: Any) -> Any:
    """Return a fact as JSON knows it."""
    return {"array": value.tolist()} if isinstance(value, np.ndarray) else value


def restored(value: Any) -> Any:
    """Return a fact as it was before JSON."""
    if isinstance(value, dict):
        return np.array(value["array"], np.float64)
    return tuple(value) if isinstance(value, list) else value


def require_output(folder: Path, files: Collection[str]) -> None:
    """Refuse a folder in which files cannot be written, and name the extra that figures or tables lack."""
    needed = [("matplotlib", "a report", "plot"), ("pandas", DATA, "frame")]
    for module, purpose, extra in needed if DATA in files else needed[:1]:
        if find_spec(module) is None:
            raise MissingExtraError(purpose, extra)
    for name in files:
        require_file(folder / name)


def write_results(result: Curves[Any], folder: Path, figure: str, band: Band = "interval") -> None:
    """Write a figure of that name and band, all measurements as `DATA`, and the result as result.npz."""
    # Everything that needs much memory is done before the first file is written.
    data = result.to_frame().to_csv(index=False, lineterminator="\n")
    result.plot(folder / figure, band)
    result.save(folder / "result.npz")
    write_whole(folder / DATA, data.encode())
