"""What the service is sent and what it answers."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_NAME = 200
LONGEST_TICKET = 400_000
MOST_DUELS = 100
MOST_DOCUMENTS = 10_000
MOST_NUMBERS = 10_000
STUDY_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"

StudyName = Annotated[str, Field(pattern=STUDY_NAME)]
Label = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Ticket = Annotated[str, Field(min_length=1, max_length=LONGEST_TICKET)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Vector = Annotated[list[Number], Field(max_length=MOST_NUMBERS)]
Table = Annotated[list[Vector], Field(max_length=MOST_NUMBERS)]
Document = Annotated[str, Field(max_length=LONGEST_NAME)] | int


class Sent(BaseModel):
    """What the service is sent: a field that is not known is a mistake."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True, str_strip_whitespace=False)


class Answer(BaseModel):
    """What the service answers."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class ArmSent(Sent):
    """An arm, and what to show of it."""

    name: Label
    text: str | None = Field(None, max_length=100_000)
    link: str | None = Field(None, max_length=2_000)
    image: str | None = Field(None, max_length=1_000_000)


class LearnerSent(BaseModel):
    """A learner of the catalogue by its name, with its hyperparameters beside it."""

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"examples": [{"name": "RUCB", "alpha": 0.51}]}
    )
    name: Label


class KnobSent(Sent):
    """A number to be set, and its range."""

    low: Number
    high: Number
    step: Number | None = None
    log: bool = False
    whole: bool = False


class StudySent(Sent):
    """A study to begin: its arms or its knobs."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"name": "home", "arms": ["a", "b", "c"]},
                {"name": "search", "arms": ["bm25", "dense"], "learner": {"name": "RUCB", "alpha": 0.51}},
            ]
        }
    )
    name: StudyName
    arms: list[Label | ArmSent] | None = None
    knobs: dict[Label, KnobSent] | None = None
    learner: LearnerSent | None = None
    """By default `Auto`, which finds the winner with few votes."""
    seed: int = Field(0, ge=0, lt=2**63)
    patience: Number = Field(3600.0, gt=0.0, le=1e9)
    """Seconds after which a duel is no longer taken to be open, and an answer is marked as late."""
    interleaving: Literal["team_draft", "balanced", "probabilistic", "optimized"] = "team_draft"
    context: Vector | None = None
    """For a learner that looks at contexts: an example, such as zeros."""
    features: Table | None = None


class Asked(Sent):
    """Who is asked, how many duels, and what is known before."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"voter": "visitor-17"}, {"n": 5}]})
    voter: Label | None = None
    """They get the same duel again until it is answered, and no pair twice while there are others."""
    n: int | None = Field(None, ge=1, le=MOST_DUELS)
    context: Vector | None = None
    features: Table | None = None


class DuelAnswer(Answer):
    """Two choices to show, and the ticket that comes back with what was preferred."""

    left: str | dict[str, float]
    right: str | dict[str, float]
    ticket: str
    propensity: tuple[float, float] | None = None
    """The chance with which each side was drawn, where it is known."""


class DuelsAnswer(Answer):
    """Several duels."""

    duels: list[DuelAnswer]


class Told(Sent):
    """Which side of a duel was preferred."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ticket": "q1Zb…", "outcome": "left"}]})
    ticket: Ticket
    outcome: Literal["left", "right", "tie"] | Annotated[float, Field(ge=0.0, le=1.0)]
    """Or a number from 0 (right wins) to 1 (left wins)."""


class TicketSent(Sent):
    """A duel by its ticket."""

    ticket: Ticket


class RecordedAnswer(Answer):
    """What was sent is on record."""

    recorded: Literal[True] = True
    late: bool = False
    """Whether it came after the study's patience had ended."""


class ErrorAnswer(Answer):
    """What was wrong, and what to do."""

    error: str
    """The kind of error, as in the Python package: ConflictError, TicketError, …"""
    detail: str


class NameSent(Sent):
    """An arm by its name."""

    name: str = Field(min_length=1, max_length=1_000)


class LearnerChange(Sent):
    """A learner to go on with."""

    learner: LearnerSent
    context: Vector | None = None
    features: Table | None = None


class ContextSent(Sent):
    """What is known before, for a learner that looks at it."""

    context: Vector | None = None
    features: Table | None = None


class BestAnswer(Answer):
    """What is believed to be the best: an arm, or a value for each knob."""

    best: str | dict[str, float]


class StudiesAnswer(Answer):
    """The names of all studies."""

    studies: list[str]


class VotesSent(Sent):
    """Votes that were recorded elsewhere."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"votes": [{"left": "a", "right": "b", "outcome": "left"}]}]}
    )
    votes: list[dict[str, Any]]
    """Each with left, right and outcome, and perhaps voter, time and ticket."""


class ImportedAnswer(Answer):
    """How many of the votes were not on record before."""

    new: int


class InterleaveSent(Sent):
    """The two rankings of a duel, to be shown as one list."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "ticket": "q1Zb…",
                    "rankings": {"a": ["d1", "d2"], "c": ["d2", "d3"]},
                    "length": 10,
                    "page": 1,
                }
            ]
        }
    )
    ticket: Ticket
    """Of an ask; for a later page also that of the list so far."""
    rankings: dict[str, Annotated[list[Document], Field(max_length=MOST_DOCUMENTS)]] | None = None
    """By arm, the best document first; may be left out with the ticket of a list."""
    length: int = Field(10, ge=1, le=MOST_DOCUMENTS)
    page: int = Field(1, ge=1, le=MOST_DOCUMENTS)


class ListAnswer(Answer):
    """One list of two rankings, and the ticket that comes back with the clicks on it."""

    documents: list[str | int]
    ticket: str


class ClicksSent(Sent):
    """Documents of a list that were clicked."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ticket": "q1Zb…", "clicked": ["d2"]}]})
    ticket: Ticket
    clicked: Annotated[list[Document], Field(max_length=MOST_DOCUMENTS)]
    final: bool = False
    """Whether no more clicks will come, so that they are settled as one answer at once."""
