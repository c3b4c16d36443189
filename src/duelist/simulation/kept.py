"""Finished runs, optionally kept in a file from which an interrupted simulation resumes."""

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic

import numpy as np

from duelist.errors import FileError
from duelist.kernels.cache import fingerprint_of, package_of
from duelist.simulation.result import AnyRuns
from duelist.simulation.storage import UNREADABLE, arrays_of, facts, runs_at, write_arrays

FORMAT = "duelist.kept/2"
# the users' names of settings' fields, if different
WORDS = {"marks": "horizon or checkpoints", "target": "winner to measure against"}


class KeptRuns(Generic[AnyRuns]):
    """The finished runs of several learners, by number.

    A run depends only on the setting, the learner, their code and its number, so the runs of an earlier
    process can be reused; the runs of another setting raise FileError.
    """

    def __init__(
        self, setting: Any, learners: Mapping[str, Any], path: str | os.PathLike[str] | None = None
    ) -> None:
        self.setting, self.learners = setting, learners
        self.kind: type[AnyRuns] = setting.runs
        self.path = None if path is None else Path(path)
        self.numbers = {name: list[int]() for name in learners}
        self.runs = dict[str, AnyRuns]()
        if self.path is not None:
            self.digests = {field.name: digest(getattr(setting, field.name)) for field in fields(setting)}
            self.digests["code of the problem"] = code_of(getattr(setting, "problem", None))
            self.identities = {name: identity(learner) for name, learner in learners.items()}
            if self.path.exists():
                self.read(self.path)

    def missing(self, name: str, runs: int) -> list[int]:
        """Return the numbers of a learner's first runs that are not finished."""
        known = set(self.numbers[name])
        return [number for number in range(runs) if number not in known]

    def add(self, name: str, numbers: Sequence[int], part: AnyRuns) -> None:
        """Add finished runs of a learner, with their numbers in the same order."""
        self.runs[name] = self.runs[name].followed_by(part) if name in self.runs else part
        self.numbers[name] += numbers

    def first(self, name: str, runs: int) -> AnyRuns:
        return self.runs[name].picked(np.argsort(self.numbers[name])[:runs])

    def write(self) -> None:
        """Write the file, if there is one and any run is finished."""
        if self.path is None or not self.runs:
            return
        learners, arrays = dict[str, Any](), dict[str, Any](arrays_of(self.runs.values()))
        for index, (name, runs) in enumerate(self.runs.items()):
            learners[name] = {"identity": self.identities[name], "facts": facts(runs)}
            arrays[f"{index}.numbers"] = np.array(self.numbers[name])
        header = json.dumps({"format": FORMAT, "setting": self.digests, "learners": learners})
        write_arrays(self.path, {"header": np.array(header), **arrays})

    def read(self, path: Path) -> None:
        """Resume the runs of the same learners from a file; raise FileError for another setting."""
        try:
            # opened here because NumPy does not close files that it cannot read
            with path.open("rb") as content, np.load(content, allow_pickle=False) as file:
                header = json.loads(str(file["header"]))
                if header["format"] != FORMAT:
                    raise FileError(f"{path} has format {header['format']!r}, not {FORMAT!r}; delete it.")
                self.require_same(path, header["setting"])
                for index, (name, known) in enumerate(header["learners"].items()):
                    if self.identities.get(name) != known["identity"]:
                        continue
                    runs = runs_at(self.kind, index, known["facts"], file)
                    self.add(name, file[f"{index}.numbers"].tolist(), runs)
        except FileError:
            raise
        except UNREADABLE as error:
            raise FileError(f"{path} is damaged, or not a file of finished runs; delete it.") from error

    def require_same(self, path: Path, setting: Mapping[str, str]) -> None:
        other = [WORDS.get(name, name) for name, own in self.digests.items() if setting.get(name) != own]
        if other:
            raise FileError(
                f"{path} has finished runs of another simulation, with a different {', '.join(other)}; set "
                "that back to resume it, delete the file, or choose another folder."
            )


def identity(learner: Any) -> list[str]:
    """Return what identifies a learner: its hyperparameters and its code.

    Without source code, a random identity: the learner then equals none of an earlier process.
    """
    packages = {package_of(__name__), package_of(type(learner).__module__)}
    sources = [fingerprint_of(package) or secrets.token_hex() for package in sorted(packages)]
    return [repr(learner), digest(learner), *sources]


def code_of(problem: Any) -> str:
    """Return what identifies a problem's methods if they are from another package.

    Without source code, or if a method is set on the object, a random identity: the problem then equals none
    of an earlier process.
    """
    kind, own = type(problem), getattr(problem, "__dict__", {})
    package = package_of(kind.__module__)
    if any(callable(value) and callable(getattr(kind, name, None)) for name, value in own.items()):
        return secrets.token_hex()
    if problem is None or package == package_of(__name__):
        return ""
    return fingerprint_of(package) or secrets.token_hex()


def digest(value: Any) -> str:
    """Return a digest of everything that a part of a setting consists of."""
    if isinstance(value, np.ndarray):
        content = sha256(np.ascontiguousarray(value).data).hexdigest()
        text = f"{value.dtype} {value.shape} {content}"
    elif is_dataclass(value):
        text = " ".join(
            [type(value).__name__, *(digest(getattr(value, one.name)) for one in fields(value) if one.init)]
        )
    elif isinstance(value, tuple):
        text = " ".join([type(value).__name__, *map(digest, value)])
    else:
        text = repr(value)
    return sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]
