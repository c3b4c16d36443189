"""Studies on disk: one JSON file that holds everything, readable by people too."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from duelist.errors import DuelistError, FileError
from duelist.files import write_whole
from duelist.menus import Actions
from duelist.protocols import Learner
from duelist.registry import LEARNERS, build_learner, hyperparameters

if TYPE_CHECKING:
    from duelist.study.study import Study

AnyStudy = TypeVar("AnyStudy", bound="Study")

FORMAT = "duelist.study/2"


def save_study(study: "Study", path: str | os.PathLike[str]) -> Path:
    """Write a study; the file is whole or not there."""
    menu, example = study.menu, {}
    if isinstance(menu, Actions):
        features = None if menu.features is None else menu.features.tolist()
        example = {"context": menu.context.tolist(), "features": features}
    content = {
        "format": FORMAT,
        "learner": type(study.learner).__name__,
        "hyperparameters": hyperparameters(study.learner),
        "arms": study.arms,
        "example": example,
        "asked": study.asked,
        "answers": list(study.answers.items()),
        "rng": study.rng.bit_generator.state,
        "state": state_to_json(study.state),
    }
    return write_whole(path, json.dumps(content, separators=(",", ":")).encode())


def load_study(kind: type[AnyStudy], path: str | os.PathLike[str], learner: Learner[Any] | None) -> AnyStudy:
    """Read a study, or say what is wrong with the file."""
    try:
        content = json.loads(Path(path).read_bytes())
    except FileNotFoundError as error:
        raise FileError(f"{path} does not exist; give the path that save() returned.") from error
    except ValueError as error:
        raise FileError(f"{path} is not a study: it is not JSON ({error}).") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileError(f"{path} is not a study of the format {FORMAT!r} that this version reads.")
    try:
        if learner is None:
            if content["learner"] not in LEARNERS:
                raise FileError(
                    f"{path} was made by {content['learner']!r}, which is not in the catalogue; "
                    "pass it: Study.load(path, learner=...)."
                )
            learner = build_learner(content["learner"], **content["hyperparameters"])
        study = kind(learner, content["arms"], **content["example"])
        study.state = state_from_json(content["state"], study.state)
        study.rng.bit_generator.state = content["rng"]
        study.asked = int(content["asked"])
        study.answers = {int(ticket): float(outcome) for ticket, outcome in content["answers"]}
    except FileError:
        raise
    except (DuelistError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path} is a damaged study: {error!r}. Use a backup.") from error
    return study


def state_to_json(state: Any) -> dict[str, Any]:
    """Return a learner's state, a NamedTuple of arrays, as plain lists."""
    return {field: array.tolist() for field, array in state._asdict().items()}


def state_from_json(content: dict[str, Any], like: Any) -> Any:
    """Return the state, of the same type and shape as a fresh one."""
    arrays = {}
    for field, model in like._asdict().items():
        array = np.array(content[field], model.dtype)
        if model.size == 0:
            # a record that begins empty and grows with the answers
            array = array.reshape(-1, *model.shape[1:])
        elif array.shape != model.shape:
            raise FileError(f"state.{field} has shape {array.shape}, but {model.shape} is needed.")
        arrays[field] = array
    return type(like)(**arrays)
