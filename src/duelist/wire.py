"""The structs of the API: request bodies, queries and answers.

The service, the client and the OpenAPI document share them. The text below a field is its description there.
"""

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import Meta, Struct

from duelist.defaults import ANSWER_TIMEOUT, DELTA, INTERLEAVING
from duelist.journal.protocol import STUDY_NAME

LONGEST_NAME = 200
"""Maximum length in characters of the name of an arm, a voter, a parameter or a document."""
LONGEST_TICKET = 400_000
"""Maximum length of a ticket in characters; the tickets of lists carry all documents."""
MOST_DUELS = 100
"""Maximum number of duels per request."""
MOST_DOCUMENTS = 10_000
"""Maximum number of documents in a ranking."""
MOST_ITEMS = 1_000
"""Maximum number of items in a request to choose from."""
MOST_NUMBERS = 10_000
"""Maximum length of a context, and maximum number of rows and columns of features."""

StudyName: TypeAlias = Annotated[str, Meta(pattern=f"^{STUDY_NAME.pattern}$")]
Label: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Ticket: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_TICKET)]
Vector: TypeAlias = Annotated[list[float], Meta(max_length=MOST_NUMBERS)]
Table: TypeAlias = Annotated[list[Vector], Meta(max_length=MOST_NUMBERS)]
Side: TypeAlias = Annotated[str, Meta(max_length=1_000)] | dict[str, int | float]
"""One side of a duel: an arm, or a value for each parameter."""
Document: TypeAlias = Annotated[str, Meta(max_length=LONGEST_NAME)] | int
ItemNames: TypeAlias = Annotated[list[Label], Meta(min_length=1, max_length=MOST_ITEMS)]
Ranking: TypeAlias = Annotated[list[Document], Meta(max_length=MOST_DOCUMENTS)]
LEARNER = {
    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}},
    "required": ["name"],
    "examples": [{"name": "RUCB", "alpha": 0.51}],
}
LearnerSent: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=LEARNER)]
"""A learner listed by `duelist learners`: its name, with its hyperparameters as further fields."""


STUDY_FIELDS = {"parameters": "knobs", "answer_timeout": "patience"}
"""Fields whose name in JSON differs from their name in Python."""


class Sent(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A request body: unknown fields are errors, and so is "5" instead of 5."""

    examples: ClassVar[list[dict[str, Any]]] = []


class Answer(Struct, gc=False):
    """The body of an answer."""


class ArmSent(Sent):
    """An arm, and what to show for it."""

    examples: ClassVar = [{"name": "limerick", "text": "There was an old man\nfrom Peru"}]
    name: Label
    """The arm's name, unique in the study."""
    text: Annotated[str, Meta(max_length=100_000)] | None = None
    """Plain text to show; newlines and tabs are allowed, other control characters are not."""
    link: Annotated[str, Meta(max_length=2_000)] | None = None
    """URL of a page to show; begins with https:// or http://."""
    image: Annotated[str, Meta(max_length=1_000_000)] | None = None
    """URL of an image, or the image itself: data:image/png;base64,… (also jpeg, gif and webp)."""


class ParameterSent(Sent):
    """A parameter to optimize, and its range."""

    examples: ClassVar = [{"low": 0.0, "high": 2.0}, {"low": 1, "high": 8, "whole": True}]
    low: float
    """The smallest value."""
    high: float
    """The largest value."""
    step: float | None = None
    """Step size: only low, low + step, low + 2 step and so on are tried."""
    log: bool = False
    """Whether to search on a logarithmic scale."""
    whole: bool = False
    """Whether only integers are tried."""


class StudySent(Sent, rename=STUDY_FIELDS):
    """A study to create: its arms or its parameters."""

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
    """The study's name, which is part of its paths."""
    arms: list[Label | ArmSent] | None = None
    """The arms to compare, at least two: names, or objects with something to show."""
    parameters: dict[Label, ParameterSent] | None = None
    """Instead of arms: the parameters to optimize, by name, at most ten."""
    learner: LearnerSent | None = None
    """The learner. The default for arms is `Auto`, which finds the winning arm with few votes; for
    parameters, name one such as `PreferentialOptimization`."""
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    """Random seed: equal seeds and equal answers give equal duels."""
    answer_timeout: Annotated[float, Meta(gt=0.0, le=1e9)] = ANSWER_TIMEOUT
    """Seconds after which a duel is no longer open, and its answer counts as late."""
    interleaving: Literal["team_draft", "balanced", "probabilistic", "optimized"] = INTERLEAVING
    """Method that interleaves two rankings and credits the clicks."""
    context: Vector | None = None
    """Example context for a contextual learner, such as zeros."""
    features: Table | None = None
    """Example features for a contextual learner of arms with features, one row per arm."""


class Asked(Sent):
    """Who is asked, how many duels, and the context."""

    examples: ClassVar = [{"voter": "visitor-17"}, {"n": 5}]
    voter: Label | None = None
    """Name of the voter. Voters get the same duel until they answer it, and no pair twice while there are
    others."""
    n: Annotated[int, Meta(ge=1, le=MOST_DUELS)] | None = None
    """Number of duels to return as a list; omit it for a single duel. At most ten for a study of
    parameters."""
    context: Vector | None = None
    """Context of the duel, for a contextual learner."""
    features: Table | None = None
    """Features of the arms, one row per arm."""
    items: ItemNames | None = None
    """Items on which the two sides can be compared, such as questions that all arms answer. The duel names
    one on which the voter has not seen the pair."""


class VoterSent(Sent):
    """A voter, and the items to ask about."""

    examples: ClassVar = [{"voter": "visitor-17"}]
    voter: Label
    """Name of the voter."""
    items: ItemNames | None = None
    """Items on which the two sides can be compared, as for `ask`."""


class TicketSent(Sent):
    """A duel by its ticket."""

    examples: ClassVar = [{"ticket": "q1Zb…"}]
    ticket: Ticket
    """The ticket that `ask` returned; to retract an answer, also its id as listed in `votes`."""
    left: Side | None = None
    """What was on the left. If left and right are sent, they must match the ticket."""
    right: Side | None = None
    """What was on the right."""


class Told(TicketSent, kw_only=True):
    """Which side of a duel was preferred."""

    examples: ClassVar = [{"ticket": "q1Zb…", "outcome": "left"}]
    outcome: Literal["left", "right", "tie"] | Annotated[float, Meta(ge=0.0, le=1.0)]
    """The preferred side, or a number from 0 (right wins) to 1 (left wins)."""


class NameSent(Sent):
    """An arm by its name."""

    examples: ClassVar = [{"name": "a"}]
    name: Annotated[str, Meta(min_length=1, max_length=1_000)]
    """The arm's name."""


class NothingSent(Sent):
    """No fields: {}, or an empty body, but with the Content-Type of JSON."""

    examples: ClassVar = [{}]


class LearnerChange(Sent):
    """The learner to continue with."""

    examples: ClassVar = [{"learner": {"name": "RUCB", "alpha": 0.51}}]
    learner: LearnerSent
    """The new learner."""
    context: Vector | None = None
    """Example context for a contextual learner, such as zeros."""
    features: Table | None = None
    """Example features for a contextual learner of arms with features, one row per arm."""


class ContextSent(Sent):
    """The context, for a contextual learner."""

    examples: ClassVar = [{}, {"context": [0.0, 1.0]}]
    context: Vector | None = None
    """The context."""
    features: Table | None = None
    """Features of the arms, one row per arm."""


class VotesSent(Sent):
    """Votes that were recorded elsewhere."""

    examples: ClassVar = [{"votes": [{"left": "a", "right": "b", "outcome": "left", "voter": "visitor-17"}]}]
    votes: list[dict[str, Any]]
    """Each with left, right and outcome, and optionally voter, item, time and ticket."""


class InterleaveSent(TicketSent):
    """The two rankings of a duel, to be interleaved into one list."""

    examples: ClassVar = [
        {"ticket": "q1Zb…", "rankings": {"a": ["d1", "d2"], "c": ["d2", "d3"]}, "length": 10, "page": 1}
    ]
    rankings: dict[str, Ranking] | None = None
    """The ranking of each arm, the best document first. Omit it with the ticket of a list."""
    length: Annotated[int, Meta(ge=1, le=MOST_DOCUMENTS)] = 10
    """Number of documents on a page."""
    page: Annotated[int, Meta(ge=1, le=MOST_DOCUMENTS)] = 1
    """Page number, from 1."""


class ClicksSent(Sent):
    """Documents of a list that were clicked."""

    examples: ClassVar = [{"ticket": "q1Zb…", "clicked": ["d2"]}]
    ticket: Ticket
    """The ticket of the list, as `interleave` returned it."""
    clicked: Ranking
    """The documents, in any order. Clicks that were sent earlier may be omitted."""
    final: bool = False
    """Whether no more clicks will come, which credits them at once as one answer."""


class Margins(Struct):
    """The query of a verdict."""

    delta: Annotated[float, Meta(gt=0.0, lt=1.0)] = DELTA
    """Probability of a wrong verdict."""
    within: Annotated[float, Meta(ge=0.0, le=0.25)] = 0.0
    """Margin that does not matter."""


class Delta(Struct):
    """The query of a report."""

    delta: Annotated[float, Meta(gt=0.0, lt=1.0)] = DELTA
    """Probability of a wrong verdict."""


class VotesQuery(Struct):
    """The query of votes."""

    all: bool = False
    """Whether to include retracted and skipped votes."""
    format: Literal["jsonl", "csv"] = "jsonl"
    """Output format: JSON lines or CSV."""
    arms: bool = False
    """Whether to begin with a line for each arm that has no votes, was added later or is retired."""


class DuelAnswer(Answer):
    """Two choices to show, and the ticket to send back with the answer."""

    left: str | dict[str, int | float]
    """What to show on the left: an arm's name, or a value for each parameter."""
    right: str | dict[str, int | float]
    """What to show on the right."""
    ticket: str
    """Sealed token to send back with the answer; it does not reveal the arms."""
    propensity: tuple[float, float] | None = None
    """Probability with which each side was drawn, if known."""
    item: str | None = None
    """Item on which to compare the two sides, if the request had items."""


class DuelsAnswer(Answer):
    """Several duels."""

    duels: list[DuelAnswer]
    """As many as requested."""


class RecordedAnswer(Answer):
    """Confirmation that what was sent is on record."""

    recorded: Literal[True]
    """Always true: a failure to record is answered with an error."""
    late: bool = False
    """Whether the answer came after the study's answer timeout."""


class ErrorAnswer(Answer):
    """An error: what was wrong, and what to do."""

    error: str
    """Error class, as in the Python package: ConflictError, TicketError and so on."""
    detail: str
    """What was wrong and what to do, in one sentence."""


class BestAnswer(Answer):
    """The arm or setting believed to be the best."""

    best: str | dict[str, int | float]
    """An arm's name, or a value for each parameter."""


class StudiesAnswer(Answer):
    """The names of all studies."""

    studies: list[str]
    """In alphabetical order."""


class ExhaustedAnswer(Answer):
    """Whether there is nothing new to ask a voter."""

    exhausted: bool
    """Whether the voter has seen every pair of arms, on every item."""


class ImportedAnswer(Answer):
    """The result of an import."""

    new: int
    """Number of votes that were not on record before."""


class ListAnswer(Answer):
    """One page of an interleaved list, and the ticket to send back with its clicks."""

    documents: list[str | int]
    """The documents of the page, from top to bottom."""
    ticket: str
    """Sealed token to send back with the clicks, or to request the next page."""


class ArmAnswer(Answer):
    """An arm, and what to show for it."""

    name: str
    """The arm's name."""
    text: str | None = None
    """Plain text to show."""
    link: str | None = None
    """URL of a page to show; begins with https:// or http://."""
    image: str | None = None
    """URL of an image, or the image itself, as data:image/png;base64,…."""
    retired: bool = False
    """Whether it is no longer shown."""


class StudyAnswer(Answer, kw_only=True, rename=STUDY_FIELDS):
    """The settings of a study, and its progress."""

    name: str
    """The study's name."""
    learner: dict[str, Any]
    """The learner's name and its hyperparameters."""
    arms: list[ArmAnswer]
    """All arms, including retired ones; empty for a study of parameters."""
    parameters: dict[str, Any] | None = None
    """The parameters with their ranges, by name; null for a study of arms."""
    answers: int
    """The number of answers that count."""
    leader: str | dict[str, float] | None
    """The arm with the most evidence, or the best setting of the parameters; null for a contextual study."""
    done: bool
    """Whether there are enough votes: a winner is proven, or that there is none."""
    confidence: float | None = None
    """Confidence that the leader is the winner, valid however often you look."""
    verdict: str | None = None
    """What is proven, in one sentence."""
    closed: bool
    """Whether the study is closed."""
    answer_timeout: float
    """Seconds after which a duel is no longer open, and its answer counts as late."""
    interleaving: str
    """Method that interleaves two rankings and credits the clicks."""


class VerdictAnswer(Answer):
    """What the votes have proven."""

    finding: str
    """One of winner, no winner and undecided."""
    winner: str | None
    """The arm that is proven to beat all others, or to lose to none by more than the margin."""
    circle: list[str]
    """If there is no winner: a cycle of arms, each of which beats the next."""
    leader: str
    """The arm with the most evidence."""
    unproven: list[str]
    """Arms that the leader is not proven to beat, the one with the least evidence first."""
    confidence: float
    """Confidence that the leader is the winner: 1 minus the smallest delta at which that is proven."""
    delta: float
    """Probability of a wrong verdict."""
    within: float
    """Margin that does not matter."""
    rivals: list[str]
    """All arms except the leader."""
    repeats: int
    """Number of votes that do not count, because their voter had already voted on the pair."""
    text: str
    """The verdict in one sentence."""


class VotesLeftAnswer(Answer):
    """An estimate of how many more votes are needed for a verdict."""

    low: int | None
    """Optimistic estimate; null if the simulation did not end."""
    high: int | None
    """Pessimistic estimate; null if the simulation did not end."""


class TrafficAnswer(Answer):
    """How often an arm was shown, its share of the traffic, and the share of its duels that it won."""

    arm: str
    """The arm's name."""
    shown: int
    """Number of answered duels in which it was shown."""
    share: float
    """Its share of all sides of those duels."""
    won: float | None
    """Share of its votes that it won: a tie counts as half, repeats do not count; null without votes."""


class ReportAnswer(Answer):
    """Everything that the votes of a study say."""

    answers: int
    """The number of answers on record."""
    repeats: int
    """Number of answers that do not count, because their voter had already answered the same pair and
    item."""
    verdict: VerdictAnswer | None
    """What is proven; null for a contextual study or a study of parameters."""
    votes_left: VotesLeftAnswer | None
    """Estimate of how many more votes are needed; null without a verdict, or with many arms."""
    arms: list[str]
    """All arms, including retired ones; empty for a study of parameters."""
    wins: list[list[float]]
    """How often the arm of a row beat that of a column; a tie counts as half a win for each."""
    traffic: list[TrafficAnswer]
    """How often each arm was shown."""
    findings: dict[str, Any] | None
    """Winners by every definition, pairs with intervals, ratings; null without votes, or with many arms."""


class Health(Answer):
    """Confirmation that the process runs."""

    status: str = "ok"
    """Always ok."""


class Readiness(Answer):
    """Whether the service runs at full speed."""

    ready: bool
    """Whether all of the following are true."""
    journal: bool
    """Whether the database can be reached, and its last write succeeded."""
    studies: bool
    """Whether all studies have been opened."""
    kernels: bool
    """Whether the learners are compiled; until then they are interpreted."""
