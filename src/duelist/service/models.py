"""What the service is sent."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_NAME = 200
"""Characters of the name of an arm, a voter, a knob or a document."""
LONGEST_TICKET = 400_000
"""Characters of a ticket; those of lists carry all documents."""
MOST_DUELS = 100
"""Duels that one request may ask for."""
MOST_DOCUMENTS = 10_000
"""Documents of a ranking."""
MOST_ITEMS = 1_000
"""Items of which one request may have one chosen."""
MOST_NUMBERS = 10_000
"""Numbers of a context, and rows and columns of features."""
STUDY_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"

StudyName = Annotated[str, Field(pattern=STUDY_NAME)]
Label = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Ticket = Annotated[str, Field(min_length=1, max_length=LONGEST_TICKET)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Vector = Annotated[list[Number], Field(max_length=MOST_NUMBERS)]
Table = Annotated[list[Vector], Field(max_length=MOST_NUMBERS)]
Side = Annotated[str, Field(max_length=1_000)] | dict[str, int | float]
"""What one side of a duel shows: an arm, or a value for each knob."""
Document = Annotated[str, Field(max_length=LONGEST_NAME)] | int
ItemNames = Annotated[list[Label], Field(min_length=1, max_length=MOST_ITEMS)]
Ranking = Annotated[list[Document], Field(max_length=MOST_DOCUMENTS)]


def example(*examples: dict[str, Any]) -> ConfigDict:
    """Return what adds examples to the description of a model."""
    return ConfigDict(json_schema_extra={"examples": list(examples)})


class Sent(BaseModel):
    """What the service is sent: a field that is not known is a mistake, and so is "5" for 5."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class ArmSent(Sent):
    """An arm, and what to show of it."""

    model_config = example({"name": "limerick", "text": "There was an old man\nfrom Peru"})
    name: Label
    """The arm's name, which no other arm of the study has."""
    text: str | None = Field(None, max_length=100_000)
    """What to show, in plain text: newlines and tabs, but no other control characters."""
    link: str | None = Field(None, max_length=2_000)
    """A URL that begins with https:// or http://."""
    image: str | None = Field(None, max_length=1_000_000)
    """Such a URL, or the image itself: data:image/png;base64,… (also jpeg, gif and webp)."""


class LearnerSent(BaseModel):
    """A learner of the catalogue by its name, with its hyperparameters beside it."""

    model_config = ConfigDict(
        extra="allow",
        use_attribute_docstrings=True,
        json_schema_extra={"examples": [{"name": "RUCB", "alpha": 0.51}]},
    )
    name: Label
    """One of those that `duelist learners` lists."""


class KnobSent(Sent):
    """A number to be set, and its range."""

    model_config = example({"low": 0.0, "high": 2.0}, {"low": 1, "high": 8, "whole": True})
    low: Number
    """The lowest value."""
    high: Number
    """The highest value."""
    step: Number | None = None
    """Only low, low + step, low + 2 step and so on are tried."""
    log: bool = False
    """Whether ratios count rather than differences."""
    whole: bool = False
    """Whether only whole numbers are tried."""


class StudySent(Sent):
    """A study to begin: its arms or its knobs."""

    model_config = example(
        {"name": "home", "arms": ["a", "b", "c"]},
        {"name": "search", "arms": ["bm25", "dense"], "learner": {"name": "RUCB", "alpha": 0.51}},
        {
            "name": "prompt",
            "knobs": {"temperature": {"low": 0.0, "high": 2.0}},
            "learner": {"name": "PreferentialOptimization"},
        },
    )
    name: StudyName
    """The study's name, which stands in its paths."""
    arms: list[Label | ArmSent] | None = None
    """What is compared, at least two: names, or names with something to show."""
    knobs: dict[Label, KnobSent] | None = None
    """Instead of arms: numbers to be set, by name, at most ten."""
    learner: LearnerSent | None = None
    """By default `Auto`, which finds the winning arm with few votes; knobs need one of their own, such as
    `PreferentialOptimization`."""
    seed: int = Field(0, ge=0, lt=2**63)
    """Of the study's luck: equal seeds and equal answers, equal duels."""
    patience: Number = Field(3600.0, gt=0.0, le=1e9)
    """Seconds after which a duel is no longer taken to be open, and an answer is marked as late."""
    interleaving: Literal["team_draft", "balanced", "probabilistic", "optimized"] = "team_draft"
    """How two rankings become one list, and by whose rule clicks are credited."""
    context: Vector | None = None
    """For a learner that looks at contexts: an example, such as zeros."""
    features: Table | None = None
    """For such a learner, where arms have features: an example, a row for each arm."""


class Asked(Sent):
    """Who is asked, how many duels, and what is known before."""

    model_config = example({"voter": "visitor-17"}, {"n": 5})
    voter: Label | None = None
    """They get the same duel again until it is answered, and no pair twice while there are others."""
    n: int | None = Field(None, ge=1, le=MOST_DUELS)
    """How many duels, as a list; without it, one. Of knobs at most ten."""
    context: Vector | None = None
    """What is known of the moment, for a learner that looks at it."""
    features: Table | None = None
    """What is known of the arms, a row for each."""
    items: ItemNames | None = None
    """What the two may be compared on, such as questions that all arms answer: the duel names one on which
    the voter has not seen the pair."""


class VoterSent(Sent):
    """Who would be asked, and on what."""

    model_config = example({"voter": "visitor-17"})
    voter: Label
    """The voter's name."""
    items: ItemNames | None = None
    """What the two may be compared on, as in `ask`."""


class TicketSent(Sent):
    """A duel by its ticket."""

    model_config = example({"ticket": "q1Zb…"})
    ticket: Ticket
    """The ticket of the duel, as `ask` returned it; to retract, also its id as `votes` has it."""
    left: Side | None = None
    """What was on the left: if it is sent, and right too, they must be the sides that the ticket is for."""
    right: Side | None = None
    """What was on the right."""


class Told(TicketSent):
    """Which side of a duel was preferred."""

    model_config = example({"ticket": "q1Zb…", "outcome": "left"})
    outcome: Literal["left", "right", "tie"] | Annotated[float, Field(ge=0.0, le=1.0)]
    """Or a number from 0 (right wins) to 1 (left wins)."""


class NameSent(Sent):
    """An arm by its name."""

    model_config = example({"name": "a"})
    name: str = Field(min_length=1, max_length=1_000)
    """The arm's name."""


class NothingSent(Sent):
    """No more than the path says: {}, or no body at all, but with a Content-Type of JSON."""

    model_config = example({})


class LearnerChange(Sent):
    """A learner to go on with."""

    model_config = example({"learner": {"name": "RUCB", "alpha": 0.51}})
    learner: LearnerSent
    """The learner that takes over."""
    context: Vector | None = None
    """For one that looks at contexts: an example, such as zeros."""
    features: Table | None = None
    """For such a learner, where arms have features: an example, a row for each arm."""


class ContextSent(Sent):
    """What is known before, for a learner that looks at it."""

    model_config = example({}, {"context": [0.0, 1.0]})
    context: Vector | None = None
    """What is known of the moment."""
    features: Table | None = None
    """What is known of the arms, a row for each."""


class VotesSent(Sent):
    """Votes that were recorded elsewhere."""

    model_config = example({"votes": [{"left": "a", "right": "b", "outcome": "left", "voter": "visitor-17"}]})
    votes: list[dict[str, Any]]
    """Each with left, right and outcome, and perhaps voter, item, time and ticket."""


class InterleaveSent(TicketSent):
    """The two rankings of a duel, to be shown as one list."""

    model_config = example(
        {"ticket": "q1Zb…", "rankings": {"a": ["d1", "d2"], "c": ["d2", "d3"]}, "length": 10, "page": 1}
    )
    rankings: dict[str, Ranking] | None = None
    """By arm, the best document first; may be left out with the ticket of a list."""
    length: int = Field(10, ge=1, le=MOST_DOCUMENTS)
    """Documents on a page."""
    page: int = Field(1, ge=1, le=MOST_DOCUMENTS)
    """Which page, from 1."""


class ClicksSent(Sent):
    """Documents of a list that were clicked."""

    model_config = example({"ticket": "q1Zb…", "clicked": ["d2"]})
    ticket: Ticket
    """The ticket of the list, as `interleave` returned it."""
    clicked: Ranking
    """The documents, in any order; those sent before need not be sent again."""
    final: bool = False
    """Whether no more clicks will come, so that they are settled as one answer at once."""
