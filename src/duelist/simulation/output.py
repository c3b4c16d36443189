"""Results of a simulation as files in a folder, checked for before the work and written after it."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from duelist.errors import MissingExtraError
from duelist.files import require_folder, write_whole
from duelist.simulation.result import Results


def require_output(folder: Path) -> None:
    """Refuse a folder that cannot be written to, and name the extra that figures or tables lack."""
    for module, purpose, extra in (("matplotlib", "a report", "plot"), ("pandas", "data.csv", "frame")):
        if find_spec(module) is None:
            raise MissingExtraError(purpose, extra)
    require_folder(folder)


def write_results(result: Results[Any], folder: Path, figure: str) -> None:
    """Write a figure of that name, all measurements as data.csv, and the result as result.npz."""
    # Everything that needs much memory is done before the first file is written.
    data = result.to_frame().to_csv(index=False, lineterminator="\n")
    result.plot(folder / figure)
    result.save(folder / "result.npz")
    write_whole(folder / "data.csv", data.encode())
