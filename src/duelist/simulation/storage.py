"""Results on disk: `.npz` files of plain arrays with a JSON header, without pickle; figures and tables."""

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
from duelist.files import atomic_writer, require_file, write_whole
from duelist.simulation.figures import Band
from duelist.simulation.result import AnyRuns, Result, Results, Runs

FORMAT = "duelist.result/2"
DATA = "data.csv"  # the file of all measurements
# the errors of reading a file that is not an archive of arrays, or damaged
UNREADABLE = (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error)
AnyResults = TypeVar("AnyResults", bound=Results[Any])


def facts(found: Results[Any] | Runs) -> dict[str, Any]:
    """Return the fields of results that are not arrays, as JSON-compatible values."""
    apart = {"results", "checkpoints", "measures", "ends"}
    return {one.name: plain(getattr(found, one.name)) for one in fields(found) if one.name not in apart}


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> Path:
    """Write arrays, without pickle, to an `.npz` file, atomically."""
    with atomic_writer(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return Path(path)


def arrays_of(every: Iterable[Runs]) -> dict[str, NDArray[Any]]:
    """Return the arrays of all learners' runs; a key has the learner's index, the part and the name."""
    found = dict[str, NDArray[Any]]()
    for index, one in enumerate(every):
        found[f"{index}.checkpoints"] = one.checkpoints
        found |= {f"{index}.measures.{name}": array for name, array in one.measures.items()}
        found |= {f"{index}.ends.{name}": array for name, array in one.ends.items()}
    return found


def runs_at(kind: type[AnyRuns], index: int, known: Mapping[str, Any], arrays: Mapping[str, Any]) -> AnyRuns:
    """Return the runs of the learner at an index, from the output of `facts` and `arrays_of`."""
    made: dict[str, Any] = {name: restored(value) for name, value in known.items()}
    for part in ("measures", "ends"):
        start = f"{index}.{part}."
        made[part] = {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}
    return kind(checkpoints=arrays[f"{index}.checkpoints"], **made)


def save_results(results: Results[Any], path: str | os.PathLike[str]) -> Path:
    header = {
        "format": FORMAT,
        "kind": type(results).__name__,
        "facts": facts(results),
        "learners": {name: facts(one) for name, one in results.items()},
    }
    return write_arrays(path, {"header": np.array(json.dumps(header)), **arrays_of(results.values())})


def load_results(kind: type[AnyResults], path: str | os.PathLike[str]) -> AnyResults:
    """Read results; raise FileError if the file is not a file of such results."""
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            if header["format"] != FORMAT:
                raise FileError(
                    f"{path} has format {header['format']!r}; this version reads {FORMAT!r}. Run the "
                    "simulation again: equal seeds give equal results."
                )
            if header["kind"] != kind.__name__:
                raise FileError(f"{path} is a {header['kind']}; load it with {header['kind']}.load(path).")
            results = {
                name: runs_at(kind.runs, index, known, file)
                for index, (name, known) in enumerate(header["learners"].items())
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
    """Return a value in JSON-compatible form; arrays in dictionaries become lists."""
    return {name: array.tolist() for name, array in value.items()} if isinstance(value, dict) else value


def restored(value: Any) -> Any:
    """Return a value as it was before `plain` and JSON."""
    if isinstance(value, dict):
        return {name: np.array(numbers, np.float64) for name, numbers in value.items()}
    return tuple(value) if isinstance(value, list) else value


def require_output(folder: Path, files: Collection[str]) -> None:
    """Check that the files can be written to the folder and that the extras for them are installed."""
    needed = [("matplotlib", "a report", "plot"), ("pandas", DATA, "frame")]
    for module, purpose, extra in needed if DATA in files else needed[:1]:
        if find_spec(module) is None:
            raise MissingExtraError(purpose, extra)
    for name in files:
        require_file(folder / name)


def write_results(result: Result, folder: Path, figure: str, band: Band = "interval") -> None:
    """Write the figure, all measurements as `DATA`, and the result as result.npz."""
    # do everything that needs much memory before writing the first file
    data = result.to_frame().to_csv(index=False, lineterminator="\n")
    result.plot(folder / figure, band)
    result.save(folder / "result.npz")
    write_whole(folder / DATA, data.encode())
