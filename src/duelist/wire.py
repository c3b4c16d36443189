"""What goes over the wire: the bodies that a service is sent, and what it answers.

Service, client and the description of the API share these structs. The text below a field describes it there.
"""

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import Meta, Struct

from duelist.defaults import ANSWER_TIMEOUT, DELTA, INTERLEAVING
from duelist.journal.fields import STUDY_NAME

LONGEST_NAME = 200
"""Characters of the name of an arm, a voter, a parameter or a document."""
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

StudyName: TypeAlias = Annotated[str, Meta(pattern=f"^{STUDY_NAME.pattern}$")]
Label: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Ticket: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_TICKET)]
Vector: TypeAlias = Annotated[list[float], Meta(max_length=MOST_NUMBERS)]
Table: TypeAlias = Annotated[list[Vector], Meta(max_length=MOST_NUMBERS)]
Side: TypeAlias = Annotated[str, Meta(max_length=1_000)] | dict[str, int | float]
"""What one side of a duel shows: an arm, or a value for each parameter."""
Document: TypeAlias = Annotated[str, Meta(max_length=LONGEST_NAME)] | int
ItemNames: TypeAlias = Annotated[list[Label], Meta(min_length=1, max_length=MOST_ITEMS)]
Ranking: TypeAlias = Annotated[list[Document], Meta(max_length=MOST_DOCUMENTS)]
LEARNER = {
    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}},
    "required": ["name"],
    "examples": [{"name": "RUCB", "alpha": 0.51}],
}
LearnerSent: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=LEARNER)]
"""A learner of those that `duelist learners` lists, by its name, with its hyperparameters beside it."""


STUDY_FIELDS = {"parameters": "knobs", "answer_timeout": "patience"}
"""Fields whose name on the wire is older than their name in Python."""


class Sent(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """What the service is sent: a field that is not known is a mistake, and so is "5" for 5."""

    examples: ClassVar[list[dict[str, Any]]] = []


class Answer(Struct, gc=False):
    """What the service answers."""


class ArmSent(Sent):
    """An arm, and what to show of it."""

    examples: ClassVar = [{"name": "limerick", "text": "There was an old man\nfrom Peru"}]
    name: Label
    """The arm's name, which no other arm of the study has."""
    text: Annotated[str, Meta(max_length=100_000)] | None = None
    """What to show, in plain text: newlines and tabs, but no other control characters."""
    link: Annotated[str, Meta(max_length=2_000)] | None = None
    """A URL that begins with https:// or http://."""
    image: Annotated[str, Meta(max_length=1_000_000)] | None = None
    """Such a URL, or the image itself: data:image/png;base64,… (also jpeg, gif and webp)."""


class ParameterSent(Sent):
    """A number to be set, and its range."""

    examples: ClassVar = [{"low": 0.0, "high": 2.0}, {"low": 1, "high": 8, "whole": True}]
    low: float
    """The lowest value."""
    high: float
    """The highest value."""
    step: float | None = None
    """Only low, low + step, low + 2 step and so on are tried."""
    log: bool = False
    """Whether ratios count rather than differences."""
    whole: bool = False
    """Whether only whole numbers are tried."""


class StudySent(Sent, rename=STUDY_FIELDS):
    """A study to begin: its arms or its parameters."""

    examples: ClassVar = [
        {"name": "home", "arms": ["a", "b", "c"]},
        {"name": "search", "arms": ["bm25", "dense"], "learner": {"name": "RUCB", "alpha": 0.51}},
        {
            "name": "prompt",
            "knobs": {"temperature": {"low": 0.0, "high": 2.0}},
            "learner": {"name": "PreferentialOptimization"},
        },
    ]
    name: StudyName
    """The study's name, which stands in its paths."""
    arms: list[Label | ArmSent] | None = None
    """What is compared, at least two: names, or names with something to show."""
    parameters: dict[Label, ParameterSent] | None = None
    """Instead of arms: numbers to be set, by name, at most ten."""
    learner: LearnerSent | None = None
    """By default `Auto`, which finds the winning arm with few votes; for parameters, name one such
    as `PreferentialOptimization`."""
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    """Equal seeds and equal answers give equal duels."""
    answer_timeout: Annotated[float, Meta(gt=0.0, le=1e9)] = ANSWER_TIMEOUT
    """Seconds after which a duel is no longer taken to be open, and an answer is marked as late."""
    interleaving: Literal["team_draft", "balanced", "probabilistic", "optimized"] = INTERLEAVING
    """How two rankings become one list, and by whose rule clicks are credited."""
    context: Vector | None = None
    """For a learner that looks at contexts: an example, such as zeros."""
    features: Table | None = None
    """For such a learner, where arms have features: an example, a row for each arm."""


class Asked(Sent):
    """Who is asked, how many duels, and what is known before."""

    examples: ClassVar = [{"voter": "visitor-17"}, {"n": 5}]
    voter: Label | None = None
    """They get the same duel again until it is answered, and no pair twice while there are others."""
    n: Annotated[int, Meta(ge=1, le=MOST_DUELS)] | None = None
    """How many duels, as a list; without it, one. Of parameters at most ten."""
    context: Vector | None = None
    """What is known of the moment, for a learner that looks at it."""
    features: Table | None = None
    """What is known of the arms, a row for each."""
    items: ItemNames | None = None
    """What the two may be compared on, such as questions that all arms answer: the duel names one on which
    the voter has not seen the pair."""


class VoterSent(Sent):
    """Who would be asked, and on what."""

    examples: ClassVar = [{"voter": "visitor-17"}]
    voter: Label
    """The voter's name."""
    items: ItemNames | None = None
    """What the two may be compared on, as in `ask`."""


class TicketSent(Sent):
    """A duel by its ticket."""

    examples: ClassVar = [{"ticket": "q1Zb…"}]
    ticket: Ticket
    """The ticket of the duel, as `ask` returned it; to retract, also its id as `votes` has it."""
    left: Side | None = None
    """What was on the left: if it is sent, and right too, they must be the sides that the ticket is for."""
    right: Side | None = None
    """What was on the right."""


class Told(TicketSent, kw_only=True):
    """Which side of a duel was preferred."""

    examples: ClassVar = [{"ticket": "q1Zb…", "outcome": "left"}]
    outcome: Literal["left", "right", "tie"] | Annotated[float, Meta(ge=0.0, le=1.0)]
    """Or a number from 0 (right wins) to 1 (left wins)."""


class NameSent(Sent):
    """An arm by its name."""

    examples: ClassVar = [{"name": "a"}]
    name: Annotated[str, Meta(min_length=1, max_length=1_000)]
    """The arm's name."""


class NothingSent(Sent):
    """No more than the path says: {}, or no body at all, but with a Content-Type of JSON."""

    examples: ClassVar = [{}]


class LearnerChange(Sent):
    """A learner to go on with."""

    examples: ClassVar = [{"learner": {"name": "RUCB", "alpha": 0.51}}]
    learner: LearnerSent
    """The learner that takes over."""
    context: Vector | None = None
    """For one that looks at contexts: an example, such as zeros."""
    features: Table | None = None
    """For such a learner, where arms have features: an example, a row for each arm."""


class ContextSent(Sent):
    """What is known before, for a learner that looks at it."""

    examples: ClassVar = [{}, {"context": [0.0, 1.0]}]
    context: Vector | None = None
    """What is known of the moment."""
    features: Table | None = None
    """What is known of the arms, a row for each."""


class VotesSent(Sent):
    """Votes that were recorded elsewhere."""

    examples: ClassVar = [{"votes": [{"left": "a", "right": "b", "outcome": "left", "voter": "visitor-17"}]}]
    votes: list[dict[str, Any]]
    """Each with left, right and outcome, and perhaps voter, item, time and ticket."""


class InterleaveSent(TicketSent):
    """The two rankings of a duel, to be shown as one list."""

    examples: ClassVar = [
        {"ticket": "q1Zb…", "rankings": {"a": ["d1", "d2"], "c": ["d2", "d3"]}, "length": 10, "page": 1}
    ]
    rankings: dict[str, Ranking] | None = None
    """By arm, the best document first; may be left out with the ticket of a list."""
    length: Annotated[int, Meta(ge=1, le=MOST_DOCUMENTS)] = 10
    """Documents on a page."""
    page: Annotated[int, Meta(ge=1, le=MOST_DOCUMENTS)] = 1
    """Which page, from 1."""


class ClicksSent(Sent):
    """Documents of a list that were clicked."""

    examples: ClassVar = [{"ticket": "q1Zb…", "clicked": ["d2"]}]
    ticket: Ticket
    """The ticket of the list, as `interleave` returned it."""
    clicked: Ranking
    """The documents, in any order; those sent before need not be sent again."""
    final: bool = False
    """Whether no more clicks will come, so that they are settled as one answer at once."""


class Margins(Struct):
    """The query of a verdict."""

    delta: Annotated[float, Meta(gt=0.0, lt=1.0)] = DELTA
    """The share of studies in which it may be wrong."""
    within: Annotated[float, Meta(ge=0.0, le=0.25)] = 0.0
    """A difference that does not matter."""


class Delta(Struct):
    """The query of a report."""

    delta: Annotated[float, Meta(gt=0.0, lt=1.0)] = DELTA
    """The share of studies in which it may be wrong."""


class VotesQuery(Struct):
    """The query of votes."""

    all: bool = False
    """Also those that were retracted or skipped."""
    format: Literal["jsonl", "csv"] = "jsonl"
    """JSON lines, or CSV."""
    arms: bool = False
    """First a line for each arm that has no votes, came later or is retired."""


class DuelAnswer(Answer):
    """Two choices to show, and the ticket that comes back with what was preferred."""

    left: str | dict[str, int | float]
    """What to show on the left: an arm's name, or a value for each parameter."""
    right: str | dict[str, int | float]
    """What to show on the right."""
    ticket: str
    """A sealed text, to be sent back with the answer; it tells nothing about the arms."""
    propensity: tuple[float, float] | None = None
    """The chance with which each side was drawn, where it is known."""
    item: str | None = None
    """What the two are to be compared on, if items were sent along."""


class DuelsAnswer(Answer):
    """Several duels."""

    duels: list[DuelAnswer]
    """As many as were asked for."""


class RecordedAnswer(Answer):
    """What was sent is on record."""

    recorded: Literal[True]
    """Always true: what was not recorded is answered with an error."""
    late: bool = False
    """Whether it came after the study's answer_timeout had ended."""


class ErrorAnswer(Answer):
    """What was wrong, and what to do."""

    error: str
    """The kind of error, as in the Python package: ConflictError, TicketError and so on."""
    detail: str
    """What was wrong and what to do, in a sentence."""


class BestAnswer(Answer):
    """What is believed to be the best."""

    best: str | dict[str, int | float]
    """An arm's name, or a value for each parameter."""


class StudiesAnswer(Answer):
    """The names of all studies."""

    studies: list[str]
    """In the order of the alphabet."""


class ExhaustedAnswer(Answer):
    """Whether there is anything left to ask a voter."""

    exhausted: bool
    """Whether they have seen every pair of arms, on every item."""


class ImportedAnswer(Answer):
    """What came of an import."""

    new: int
    """How many of the votes were not on record before."""


class ListAnswer(Answer):
    """One list of two rankings, and the ticket that comes back with the clicks on it."""

    documents: list[str | int]
    """From the top of the page to its end."""
    ticket: str
    """A sealed text, to be sent back with the clicks, or for the next page."""


class ArmAnswer(Answer):
    """An arm, and what to show of it."""

    name: str
    """The arm's name."""
    text: str | None = None
    """What to show, in plain text."""
    link: str | None = None
    """A URL that begins with https:// or http://."""
    image: str | None = None
    """Such a URL, or the image itself, as data:image/png;base64,…."""
    retired: bool = False
    """Whether it is shown no more."""


class StudyAnswer(Answer, kw_only=True, rename=STUDY_FIELDS):
    """What a study is about, and how far it is."""

    name: str
    """The study's name."""
    learner: dict[str, Any]
    """The learner's name and its hyperparameters."""
    arms: list[ArmAnswer]
    """All arms, those that are retired too; none for a study of parameters."""
    parameters: dict[str, Any] | None = None
    """The parameters with their ranges, by name; None for a study of arms."""
    answers: int
    """The number of answers that count."""
    leader: str | dict[str, float] | None
    """The arm with the most evidence, or the best setting of parameters; None in contexts."""
    done: bool
    """Whether there are enough votes: a winner is proven, or that there is none."""
    confidence: float | None = None
    """How sure it is that the leader is the winner, however often one looks."""
    verdict: str | None = None
    """What is proven, in a sentence."""
    closed: bool
    """Whether the study has ended."""
    answer_timeout: float
    """Seconds after which a duel is no longer taken to be open, and an answer is marked as late."""
    interleaving: str
    """How two rankings become one list."""


class VerdictAnswer(Answer):
    """What the votes have proven."""

    finding: str
    """winner, no winner or undecided."""
    winner: str | None
    """The arm that is proven to beat all others, or within a margin to lose to none by more."""
    circle: list[str]
    """Where there is no winner: arms that beat each other in a circle, each the next."""
    leader: str
    """The arm with the most evidence for it."""
    unproven: list[str]
    """The arms against which the leader has not enough evidence, the least proven first."""
    confidence: float
    """How sure it is that the leader is the winner: one minus the smallest delta for which it would be."""
    delta: float
    """The share of studies in which such a verdict may be wrong."""
    within: float
    """The difference that was taken not to matter."""
    rivals: list[str]
    """All arms but the leader."""
    repeats: int
    """Votes that do not count here, because a voter had voted on the same pair before."""
    text: str
    """All of it in a sentence."""


class VotesLeftAnswer(Answer):
    """About how many more votes it will take until it is done."""

    low: int | None
    """If it goes well; None where it came to no end."""
    high: int | None
    """If it goes badly; None where it came to no end."""


class TrafficAnswer(Answer):
    """How often an arm was shown, of all places that were filled, and what share of its duels it won."""

    arm: str
    """The arm's name."""
    shown: int
    """In how many duels that were answered."""
    share: float
    """Of all places in those duels, the share that the arm filled."""
    won: float | None
    """The share of its votes that it won, a tie as half, repeats left out; None if there were none."""


class ReportAnswer(Answer):
    """All that the votes of a study say."""

    answers: int
    """The number of answers on record."""
    repeats: int
    """Answers that no count has: their voter had answered about the same pair and item before."""
    verdict: VerdictAnswer | None
    """What is proven; None for a study in contexts or of parameters."""
    votes_left: VotesLeftAnswer | None
    """About how many more votes it will take; None where there is no verdict, or with many arms."""
    arms: list[str]
    """All arms, those that are retired too; none for a study of parameters."""
    wins: list[list[float]]
    """How often the arm of a row beat that of a column; a tie is half a win for each."""
    traffic: list[TrafficAnswer]
    """Who was shown how often."""
    findings: dict[str, Any] | None
    """Winners by every definition, pairs with intervals, ratings; None without votes, or with many arms."""


class Health(Answer):
    """That the service runs."""

    status: str = "ok"
    """Always ok."""


class Readiness(Answer):
    """Whether requests are answered at full speed."""

    ready: bool
    """Whether all of the following is true."""
    journal: bool
    """Whether the database can be reached, and could be written to when it last was."""
    studies: bool
    """Whether all studies have been opened."""
    kernels: bool
    """Whether the learners are compiled; until then they are interpreted."""
