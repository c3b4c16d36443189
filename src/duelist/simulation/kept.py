"""Finished runs, in a file if need be, so that a simulation that was stopped goes on where it was."""

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
# what users call the fields of settings, where that is another name
WORDS = {"marks": "horizon or checkpoints", "target": "winner to measure against"}


class KeptRuns(Generic[AnyRuns]):
    """The runs of several learners that are finished, by number.

    What a run finds depends on the setting, the learner, their code and the run's number alone, so that
    finished runs of an earlier process can be taken up; those of another setting are refused.
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
        """Return which of a learner's first runs are not finished."""
        known = set(self.numbers[name])
        return [number for number in range(runs) if number not in known]

    def add(self, name: str, numbers: Sequence[int], part: AnyRuns) -> None:
        """Take runs of a learner that are finished, in the order of their numbers."""
        self.runs[name] = self.runs[name].followed_by(part) if name in self.runs else part
        self.numbers[name] += numbers

    def first(self, name: str, runs: int) -> AnyRuns:
        """Return a learner's first runs, all of which are finished, in order."""
        return self.runs[name].picked(np.argsort(self.numbers[name])[:runs])

    def write(self) -> None:
        """Write the file, if there is to be one and any run is finished."""
        if self.path is None or not self.runs:
            return
        learners, arrays = dict[str, Any](), dict[str, Any](arrays_of(self.runs.values()))
        for place, (name, runs) in enumerate(self.runs.items()):
            learners[name] = {"identity": self.identities[name], "facts": facts(runs)}
            arrays[f"{place}.numbers"] = np.array(self.numbers[name])
        header = json.dumps({"format": FORMAT, "setting": self.digests, "learners": learners})
        write_arrays(self.path, {"header": np.array(header), **arrays})

    def read(self, path: Path) -> None:
        """Take up the runs of the same learners in a file, or refuse a file of another setting."""
        try:
            # opened here, because NumPy leaves open what it cannot read
            with path.open("rb") as content, np.load(content, allow_pickle=False) as file:
                header = json.loads(str(file["header"]))
                if header["format"] != FORMAT:
                    raise FileError(f"{path} has format {header['format']!r}, not {FORMAT!r}; remove it.")
                self.require_same(path, header["setting"])
                for place, (name, known) in enumerate(header["learners"].items()):
                    if self.identities.get(name) != known["identity"]:
                        continue
                    runs = runs_at(self.kind, place, known["facts"], file)
                    self.add(name, file[f"{place}.numbers"].tolist(), runs)
        except FileError:
            raise
        except UNREADABLE as error:
            raise FileError(f"{path} is damaged, or does not hold finished runs; remove it.") from error

    def require_same(self, path: Path, setting: Mapping[str, str]) -> None:
        """Refuse runs of another setting."""
        other = [WORDS.get(name, name) for name, own in self.digests.items() if setting.get(name) != own]
        if other:
            raise FileError(
                f"{path} holds finished runs of another simulation, with another {', '.join(other)}; change "
                "that back to go on with it, or remove the file, or name another folder."
            )


def identity(learner: Any) -> list[str]:
    """Return what tells a learner from others: its hyperparameters, and the code it is made of.

    Where there is no source to look at, no learner is the same as one before.
    """
    packages = {package_of(__name__), package_of(type(learner).__module__)}
    sources = [fingerprint_of(package) or secrets.token_hex() for package in sorted(packages)]
    return [repr(learner), digest(learner), *sources]


def code_of(problem: Any) -> str:
    """Return what tells the methods of a problem from others, where it comes from another package.

    Where there is no source to look at, as for a method set on the object, no problem is the same as one
    before.
    """
    kind, own = type(problem), getattr(problem, "__dict__", {})
    package = package_of(kind.__module__)
    if any(callable(value) and callable(getattr(kind, name, None)) for name, value in own.items()):
        return secrets.token_hex()
    if problem is None or package == package_of(__name__):
        return ""
    return fingerprint_of(package) or secrets.token_hex()


def digest(value: Any) -> str:
    """Return a digest of all that a part of a setting is made of."""
    if isinstance(value, np.ndarray):
        content = sha256(np.ascontiguousarray(value).data).hexdigest()
        told = f"{value.dtype} {value.shape} {content}"
    elif is_dataclass(value):
        told = " ".join(
            [type(value).__name__, *(digest(getattr(value, one.name)) for one in fields(value) if one.init)]
        )
    elif isinstance(value, tuple):
        told = " ".join([type(value).__name__, *map(digest, value)])
    else:
        told = repr(value)
    return sha256(told.encode(errors="backslashreplace")).hexdigest()[:16]
