"""Vote formats as data: the names of columns and the spellings of outcomes.

To support a new format, add a line to one of these tables.
"""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE
from duelist.errors import PreferenceError
from duelist.tables.table import fold
from duelist.text import enumeration

SIDES = (
    ("left", "right"),
    ("model_a", "model_b"),
    ("player_a", "player_b"),
    ("arm_a", "arm_b"),
    ("option_a", "option_b"),
    ("team_a", "team_b"),
    ("a", "b"),
    ("home_team", "away_team"),
    ("hometeam", "awayteam"),
    ("home", "away"),
    ("white", "black"),
    ("model_1", "model_2"),
    ("player_1", "player_2"),
    ("team_1", "team_2"),
    ("team1", "team2"),
    ("player1", "player2"),
)
"""Names of the columns of the two arms."""
DECIDED = (("winner", "loser"), ("chosen_model", "rejected_model"), ("chosen", "rejected"))
"""Names of those columns in tables where the first arm always won."""
OUTCOMES = ("outcome", "result", "ftr", "preference", "choice", "judgment", "judgement", "label", "vote")
"""Names of columns that hold the outcome as a side, a word or a number."""
WINNER = "winner"
FLAGS = (("winner_model_a", "winner_model_b", "winner_tie"), ("winner_a", "winner_b", "winner_tie"))
"""One-hot columns, one for each outcome; the column of ties is optional."""
SCORES = (
    ("home_score", "away_score"),
    ("fthg", "ftag"),
    ("score_a", "score_b"),
    ("score_1", "score_2"),
    ("left_score", "right_score"),
)
"""Scores of the two arms; the higher score wins."""
PAIRED = (("_left", "_right"), ("_a", "_b"))
"""Suffixes of column pairs that describe the left and the right arm, such as length_a and length_b."""
RANKING, RANK = "ranking", "rank:"
"""The column of rankings, and the prefix of columns of ranks, which an arm's name follows."""
ALSO = {
    "voter": (
        *("voter", "voter_id", "judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id"),
        *("worker", "worker_id", "user", "user_id"),
    ),
    "item": ("item", "item_id", "question_id", "prompt_id"),
    "count": ("count",),
    "time": ("time", "timestamp", "tstamp", "date", "datetime", "created_at"),
    "category": ("category",),
    "weight": ("weight",),
    "ticket": ("ticket",),
    "status": ("status",),
    "ranking_id": ("ranking_id",),
}
"""Optional roles and their usual column names; the first column found is used."""
ROLES = ("left", "right", "outcome", "winner", "loser", "ranking", *ALSO)
"""All roles that a column can have."""
LISTED, ADDED, RETIRED, CHANGED = "listed", "added", "retired", "changed"
ABOUT_ARMS = (LISTED, ADDED, RETIRED, CHANGED)
"""Statuses of rows about a single arm, the left one: it has no votes, was added later or is retired; or
(changed) arms were retired and all of them have returned."""

TIES = frozenset(
    {
        *("tie", "tied", "draw", "drawn", "equal", "equals", "same", "both", "neither", "="),
        *("tie(bothbad)", "bothbad", "both_bad", "tie(bothgood)", "bothgood", "nopreference"),
    }
)
"""Words for a tie, compared without case and spaces."""
LEFTS = frozenset({"left", "model_a", "player_a", "arm_a", "option_a", "team_a", "first"})
RIGHTS = frozenset({"right", "model_b", "player_b", "arm_b", "option_b", "team_b", "second"})
WORDS: Mapping[str, float] = MappingProxyType(
    {**dict.fromkeys(TIES, TIE), **dict.fromkeys(LEFTS, LEFT_WINS), **dict.fromkeys(RIGHTS, RIGHT_WINS)}
)
"""Words with the same meaning in every table."""


class Spelling(NamedTuple):
    """How a kind of table spells the three outcomes; one spelling applies to a whole column."""

    sides: str
    """A regular expression for the name of the left column in such tables."""
    words: Mapping[str, float]


def spelled(sides: str, left: str, tie: str, right: str) -> Spelling:
    """Return a spelling; each argument holds the words of one outcome, separated by spaces."""
    spellings = zip((left, tie, right), (LEFT_WINS, TIE, RIGHT_WINS), strict=True)
    return Spelling(sides, {word: outcome for words, outcome in spellings for word in words.split()})


SPELLINGS = (
    spelled("home.*", "h home", "d x", "a away"),
    spelled("(.*_)?a", "a", "c d t x", "b"),
    spelled("left.*", "l", "d t", "r"),
    spelled("white.*", "w white", "d", "b black"),
    spelled("", "w win won", "d t", "l loss lost lose"),
    spelled("", "1-0", "1/2-1/2 ½-½ 0.5-0.5", "0-1"),
    spelled(
        "", "a>b a>>b [[a]] [[a>b]] [[a>>b]]", "a=b [[c]] [[a=b]]", "b>a b>>a a<b a<<b [[b]] [[b>a]] [[b>>a]]"
    ),
    spelled(".*1", "1", "x", "2"),
)
"""If two spellings disagree on a word, the one whose `sides` match the left column applies, else neither."""


def find_spelling(words: Set[str], left: str) -> Mapping[str, float]:
    """Return the spelling that knows most of a column's words.

    Raises
    ------
    PreferenceError
        If a word is ambiguous.

    Examples
    --------
    >>> find_spelling({"h", "a"}, "home_team")["a"], find_spelling({"a", "d"}, "model_a")["a"]
    (0.0, 1.0)
    """
    most = max(len(words & one.words.keys()) for one in SPELLINGS)
    if not most:
        return {}
    fitting = [one for one in SPELLINGS if len(words & one.words.keys()) == most]
    suited = [one for one in SPELLINGS if re.fullmatch(one.sides, fold(left))]
    found = next((one for one in fitting if one in suited), fitting[0])
    for other in suited if found in suited else [*fitting, *suited]:
        for word in sorted(words & found.words.keys() & other.words.keys()):
            if found.words[word] != other.words[word]:
                raise PreferenceError(
                    f"{word!r} is ambiguous: it can mean either side; write left, right or tie."
                )
    return found.words


@dataclass(frozen=True)
class Format:
    """The role of each column of a table."""

    left: str = ""
    right: str = ""
    outcome: str = ""
    """Empty if the left arm always won."""
    by_name: bool = False
    """Whether names of arms take precedence over words, as in a column named winner."""
    by_degree: bool = False
    """Whether numbers are degrees from 0 (right won) to 1 (left won), as in a column named outcome."""
    flags: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    ranking: str = ""
    ranks: Mapping[str, str] = field(default_factory=dict)
    """The column of ranks of each arm."""
    also: Mapping[str, str] = field(default_factory=dict)
    """The column of each optional role."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Extra columns to keep, by requested name."""

    @property
    def used(self) -> dict[str, str]:
        """The column of each role."""
        decided = not (self.outcome or self.flags or self.scores)
        sides = ("winner", "loser") if decided else ("left", "right")
        own = {sides[0]: self.left, sides[1]: self.right, "ranking": self.ranking}
        own |= {"winner" if self.by_name else "outcome": self.outcome} if self.outcome else {}
        return {role: name for role, name in own.items() if name} | dict(self.also)

    @property
    def columns(self) -> set[str]:
        """All columns that are read."""
        return {*self.used.values(), *self.flags, *self.scores, *self.ranks.values(), *self.extras.values()}


def find_format(
    names: Iterable[str], columns: Mapping[str, str] | None = None, extras: Iterable[str] = ()
) -> Format | None:
    """Return the role of each column, or None if the table does not hold votes.

    Parameters
    ----------
    names : iterable of str
        The column names of the table.
    columns : mapping of str to str, optional
        The columns of roles that have unusual names.
    extras : iterable of str
        Extra columns to keep; NAME also stands for a pair of columns, NAME_left and NAME_right or NAME_a and
        NAME_b.
    """
    header, wanted = Header(names), tuple(extras)
    named = {}
    for role, name in dict(columns or {}).items():
        if role not in ROLES:
            close = get_close_matches(role, ROLES, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise PreferenceError(
                f"unknown role {role!r:.60}{hint}; write --columns ROLE=COLUMN, where ROLE is one of "
                f"{enumeration(ROLES, 20)}."
            )
        named[role] = header.find(name, f"; write --columns {role}=COLUMN with one of them")
    _check_compatible(named)
    # a requested extra column does not hold the outcome, whatever its name
    asked = {fold(name) for name in wanted} & {WINNER, *OUTCOMES, *chain(*FLAGS)}
    others = header.without(name for name in header.names if fold(name) in asked)
    made = _votes_of(others, named) or _rankings_of(header, named)
    if made is None:
        return None
    also = {}
    left = header.without({*made.columns, *named.values()})
    for role, usual in ALSO.items():
        found = named.get(role) or left.first(usual)
        if found is not None:
            also[role] = found
    kept = dict[str, str]()
    for name in wanted:
        kept |= header.find_extra(name)
    return replace(made, also=also, extras=kept)


class Header:
    """The column names of a table, found regardless of case."""

    def __init__(self, names: Iterable[str], every: Iterable[str] = ()) -> None:
        self.names = tuple(names)
        self.every = tuple(every) or self.names
        """The names that error messages list."""
        self.folded: dict[str, list[str]] = {}
        for name in self.names:
            self.folded.setdefault(fold(name), []).append(name)

    def find(self, name: str, remedy: str = "") -> str:
        """Return the column with a name; case is ignored unless it distinguishes columns."""
        found = [name] if self.names.count(name) == 1 else self.folded.get(fold(name), [])
        if len(found) != 1:
            fault = f"{len(found)} columns are named" if found else "no column is named"
            close = [] if found else get_close_matches(fold(name), self.folded, n=1)
            hint = f" (did you mean {self.folded[close[0]][0]!r}?)" if close else ""
            raise PreferenceError(
                f"{fault} {name!r:.60}{hint}; the columns are {self}{'; rename one' if found else remedy}."
            )
        return found[0]

    def __str__(self) -> str:
        """Return the names as error messages list them."""
        return enumeration([f"{name!r:.60}" for name in self.every], 20)

    def without(self, names: Iterable[str]) -> "Header":
        left_out = set(names)
        return Header((name for name in self.names if name not in left_out), self.every)

    def find_extra(self, name: str) -> dict[str, str]:
        """Return the column with a name, or its pair of columns for left and right, by requested name."""
        if not self.has(fold(name)):
            for left, right in PAIRED:
                if self.has(fold(name + left), fold(name + right)):
                    return {name + side: self.find(name + side) for side in (left, right)}
        return {name: self.find(name)}

    def has(self, *names: str) -> bool:
        return all(name in self.folded for name in names)

    def first(self, names: Iterable[str]) -> str | None:
        """Return the first of these columns that exists."""
        return next((self.find(name) for name in names if name in self.folded), None)


def _votes_of(header: Header, named: Mapping[str, str]) -> Format | None:
    """Return the format of a table of pairwise votes, or None."""
    if "ranking" in named:
        return None
    found = next((pair for pair in SIDES if header.has(*pair)), None)
    usual = ("", "") if found is None else (header.find(found[0]), header.find(found[1]))
    sides = (named.get("left") or usual[0], named.get("right") or usual[1])
    outcome, winner = named.get("outcome"), named.get("winner")
    if named.get("loser") or (found is None and not any(sides)):
        pair = next((pair for pair in DECIDED if header.has(*pair)), ("", ""))
        first = winner or (header.find(pair[0]) if pair[0] else "")
        second = named.get("loser") or (header.find(pair[1]) if pair[1] else "")
        if not (first and second):
            _check_complete(header, named)
            return None
        _check_no_ties(header, named)
        return Format(first, second)
    if not all(sides):
        _check_complete(header, named)
        return None
    if outcome or winner:
        return Format(*sides, outcome=outcome or winner or "", by_name=bool(winner), by_degree=bool(outcome))
    flags = next((flags for flags in FLAGS if header.has(*flags[:2])), ())
    present = [name for name in (WINNER, *OUTCOMES) if header.has(name)]
    if WINNER in present and "outcome" not in present:
        present = [WINNER]
    if "outcome" in present and WINNER not in present:
        present = ["outcome"]
    if len(present) + bool(flags) > 1:
        raise PreferenceError(
            f"several columns hold the outcome: {enumeration([*flags[:1], *present])}; remove all but one, "
            f"or choose one: --columns {WINNER if present[0] == WINNER else 'outcome'}={present[0]}."
        )
    if flags:
        return Format(*sides, flags=tuple(header.find(flag) for flag in flags if header.has(flag)))
    if present:
        name = present[0]
        return Format(*sides, header.find(name), by_name=name == WINNER, by_degree=name == "outcome")
    scores = next((pair for pair in SCORES if header.has(*pair)), None)
    if scores is None:
        _check_complete(header, named)
        return None
    return Format(*sides, scores=tuple(map(header.find, scores)))


def _check_compatible(named: Mapping[str, str]) -> None:
    """Check that no table gets roles that exclude each other."""
    groups = ({"left", "right"}, {"outcome"}, {"winner"}, {"loser"}, {"ranking"})
    together = ((0, 1), (0, 2), (2, 3))
    given = [number for number, roles in enumerate(groups) if roles & named.keys()]
    if len(given) > 1 and tuple(given) not in together:
        roles = [role for role in named if any(role in group for group in groups)]
        raise PreferenceError(
            f"--columns names {enumeration(roles)}, which cannot be combined; name left, right and outcome; "
            "left, right and winner; winner and loser; or ranking."
        )


def _check_complete(header: Header, named: Mapping[str, str]) -> None:
    """Check that the named columns suffice for votes."""
    given = [role for role in ("left", "right", "outcome", "winner", "loser") if role in named]
    if given:
        raise PreferenceError(
            f"--columns names only {enumeration(given)}; name left, right and outcome (or winner). The "
            f"columns are {header}."
        )


def _check_no_ties(header: Header, named: Mapping[str, str]) -> None:
    """Check that a table of winners and losers has no column that contradicts the win."""
    for name in ("tie", "draw", "outcome", "result"):
        if header.has(name) and name not in map(fold, named.values()):
            raise PreferenceError(
                f'a table of winners and losers must not have a column "{name}"; remove it, and write a tie '
                "as half a win each way: a,b,0.5 and b,a,0.5 under winner,loser,count."
            )


def _rankings_of(header: Header, named: Mapping[str, str]) -> Format | None:
    """Return the format of a table of rankings, or None."""
    ranked = [name for name in header.names if name.strip().casefold().startswith(RANK)]
    if "ranking" in named:
        return Format(ranking=named["ranking"])
    if not ranked:
        return Format(ranking=header.find(RANKING)) if RANKING in header.folded else None
    if RANKING in header.folded:
        raise PreferenceError(f'columns "{RANKING}" and "{ranked[0]}" both hold rankings; keep one of them.')
    arms = [name.strip()[len(RANK) :].strip() for name in ranked]
    if len(set(arms)) < max(len(arms), 2) or "" in arms:
        raise PreferenceError(
            f"the columns of ranks are {Header(ranked)}; give at least two, each named {RANK} followed by "
            "the name of a different arm."
        )
    return Format(ranks=dict(zip(arms, ranked, strict=True)))
