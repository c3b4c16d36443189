"""The calls of a service as a whole: studies begun, listed and removed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Generic, TypeVar

from numpy.typing import ArrayLike

from duelist.client.answers import read_readiness, read_studies, read_study
from duelist.client.call import Call, post
from duelist.client.study_calls import as_sent
from duelist.errors import require_positive, require_whole
from duelist.journal.fields import require_study_name
from duelist.protocols import Learner
from duelist.study import Arm, Knob
from duelist.study.choices import NamedArms, as_choices, plain
from duelist.study.drafting import method_named
from duelist.study.knobs import Knobs

S = TypeVar("S")


class ServiceCalls(Generic[S]):
    """Makes the calls that are not of one study.

    Parameters
    ----------
    study : callable
        Returns a study of the service by its name.
    """

    def __init__(self, study: Callable[[str], S]) -> None:
        self._study = study

    def create(
        self,
        name: str,
        arms: Sequence[str | Arm] | None = None,
        *,
        knobs: Knobs | Mapping[str, Knob] | None = None,
        learner: Learner[Any] | str | Mapping[str, Any] | None = None,
        seed: int = 0,
        patience: float = 3600.0,
        interleaving: str = "team_draft",
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
    ) -> Call[S]:
        """Begin a study and return it; one that is there and began alike is returned as it is.

        Sent again, it returns the study that the first call began.

        Parameters
        ----------
        name : str
            Letters, digits, `_`, `.` and `-`.
        arms : sequence of str or Arm, optional
            At least two, with names that all differ; an `Arm` has a text, a link or an image to show.
        knobs : mapping, optional
            Instead of arms: numbers to be set, by name, each a `Knob` with its range.
        learner : Learner, str or mapping, optional
            A learner of the package such as `RUCB()`, its name, or its name and hyperparameters, such as
            `{"name": "RUCB", "alpha": 0.51}`. By default `Auto()` for arms. Knobs need one.
        seed, patience, interleaving, context, features
            As for `Study`.

        Raises
        ------
        ConflictError
            There is a study of this name that began otherwise.
        """
        require_whole("seed", seed, 0)
        require_positive("patience", patience)
        method_named(interleaving)
        choices = as_choices(arms, knobs)
        fields = {
            "name": require_study_name(name),
            "learner": None if learner is None else as_named(learner),
            "seed": seed,
            "patience": patience,
            "interleaving": interleaving,
            "context": plain(context),
            "features": plain(features),
        }
        if isinstance(choices, NamedArms):
            fields["arms"] = [choices.about(one)._asdict() for one in choices.names]
        else:
            fields["knobs"] = {one: asdict(knob) for one, knob in choices.named.items()}
        return post("/api/studies", read_study, **fields).then(lambda _: self._study(name))

    def studies(self) -> Call[list[str]]:
        """Return the names of all studies."""
        return Call("GET", "/api/studies", read_studies)

    def remove(self, name: str) -> Call[None]:
        """Remove a study with all its votes, for ever.

        Sent again, it is refused by an `UnknownNameError`, because the study is gone.
        """
        return Call("DELETE", f"/api/studies/{require_study_name(name)}", lambda _: None, answers=(204,))

    def ready(self) -> Call[bool]:
        """Return whether the service answers at full speed: its studies are open, its learners compiled."""
        return Call("GET", "/readyz", read_readiness, answers=(200, 503))


def as_named(learner: Learner[Any] | str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a learner as a service takes it, of itself, of its name, or of name and hyperparameters."""
    if isinstance(learner, str):
        return {"name": learner}
    return learner if isinstance(learner, Mapping) else as_sent(learner)
