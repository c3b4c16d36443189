"""Rankings of several arms at once, taken apart into votes: one for every two arms that a ranking holds."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

from duelist.duel import LEFT_WINS, TIE
from duelist.errors import PreferenceError
from duelist.votes.columns import OUTCOME, as_number, place_of
from duelist.votes.gathering import Batch, require_as_many

RANKING = "ranking"  # what a table calls the column of rankings, in upper or lower case
RANK = "rank:"  # how columns of ranks begin; the name of an arm follows
MOST_VOTES = 10_000_000  # the most votes that the rankings of a table may be taken apart into
REMEDY = "give the arms best first, as in a > b = c, where b and c are equal; in JSON lines a list will do."

Levels = Sequence[Sequence[Any]]  # a ranking, best first: on each level the arms that are equal


class RankingColumns(NamedTuple):
    """Where a table has rankings, or the ranks of arms, and what else it says."""

    ranking: int | None
    ranks: dict[str, int]
    """The column of every arm's ranks, by the arm."""
    times: int | None
    voter: int | None
    item: int | None
    time: int | None


def find_rankings(
    header: Iterable[Any], voter: str | None = None, item: str | None = None
) -> RankingColumns | None:
    """Return where a table has rankings, None if it has none; `voter` and `item` may name their columns."""
    names = tuple(str(name).strip() for name in header)
    folded = [name.casefold() for name in names]
    ranked = [number for number, name in enumerate(folded) if name.startswith(RANK)]
    arms = [names[number][len(RANK) :].strip() for number in ranked]
    if RANKING not in folded and not ranked:
        return None
    if RANKING in folded and ranked:
        raise PreferenceError(
            f'a column is called "{RANKING}" and another "{names[ranked[0]]}"; give one or the other.'
        )
    if ranked and (len(set(arms)) < max(len(arms), 2) or "" in arms):
        raise PreferenceError(
            f"the columns of ranks are {[names[number] for number in ranked]}; give at least two, "
            f"each called {RANK} and the name of another arm."
        )

    def usual(named: str | None, name: str) -> int | None:
        return place_of(names, named or name) if named or name in folded else None

    return RankingColumns(
        place_of(names, RANKING) if not ranked else None,
        dict(zip(arms, ranked, strict=True)),
        usual(None, "count"),
        usual(voter, "voter"),
        usual(item, "item"),
        usual(None, "time"),
    )


def take_rankings(
    columns: RankingColumns,
    column: Callable[[int], Sequence[Any]],
    where: Callable[[int], str],
    start: int = 0,
    most: int = MOST_VOTES,
) -> Batch:
    """Return rows of rankings as a batch of votes, `most` at most; the better arm of a pair is the first.

    Votes of one ranking share its voter, item and time, and a number of their own, counted from `start`.
    """
    others = [
        None if place is None else column(place) for place in (columns.voter, columns.item, columns.time)
    ]
    rankings = list(_rankings(columns, column, where))
    counts = _counts(columns, column, where, len(rankings))
    require_as_many(rankings, counts, *others)
    sizes = [comb(sum(map(len, one)), 2) * count for one, count in zip(rankings, counts, strict=True)]
    if sum(sizes) > most:
        raise PreferenceError(
            f"the rankings hold more than {MOST_VOTES:,} votes between two arms; rank fewer arms, or give "
            "counts of wins under winner, loser and count."
        )
    rows, numbers = list[int](), list[str]()
    first, second, outcomes = list[Any](), list[Any](), list[float]()
    for row, (levels, count) in enumerate(zip(rankings, counts, strict=True)):
        pairs = list(_pairs(levels))
        # a ranking of one arm holds no votes, and its count may be large
        for again in range(count if pairs else 0):
            rows += [row] * len(pairs)
            numbers += [f"{start + row + 1}.{again + 1}"] * len(pairs)
            first += [one for one, _, _ in pairs]
            second += [other for _, other, _ in pairs]
            outcomes += [outcome for *_, outcome in pairs]

    voters, items, times = (None if fields is None else [fields[row] for row in rows] for fields in others)
    return Batch(
        (RANKING, RANKING, OUTCOME),
        lambda place: where(rows[place]),
        first,
        second,
        outcomes,
        voters=voters,
        items=items,
        times=times,
        rankings=numbers,
    )


def _rankings(
    columns: RankingColumns, column: Callable[[int], Sequence[Any]], where: Callable[[int], str]
) -> Iterator[Levels]:
    """Yield the ranking of every row."""
    if columns.ranking is not None:
        for row, field in enumerate(column(columns.ranking)):
            try:
                yield as_levels(field)
            except PreferenceError as error:
                raise PreferenceError(f'{where(row)}, column "{RANKING}": {error}') from None
        return
    fields_of_arms = [column(place) for place in columns.ranks.values()]
    require_as_many(*fields_of_arms)
    for row, ranks in enumerate(zip(*fields_of_arms, strict=True)):
        levels: dict[float, list[str]] = {}
        for arm, field in zip(columns.ranks, ranks, strict=True):
            if field is None or field != field or (isinstance(field, str) and not field.strip()):
                continue
            rank = as_number(field)
            if rank is None or rank < 1.0:
                raise PreferenceError(
                    f'{where(row)}, column "{RANK}{arm}": {field!r} is no rank; give 1 for the best, 2 for '
                    "the next and so on, and leave empty what was not ranked."
                )
            levels.setdefault(rank, []).append(arm)
        yield [levels[rank] for rank in sorted(levels)]


def as_levels(field: Any) -> Levels:
    """Return a ranking as it is written: best first, arms that are equal together.

    Examples
    --------
    >>> as_levels("a > b = c > d"), as_levels("a, b"), as_levels(["a", ["b", "c"]])
    ([['a'], ['b', 'c'], ['d']], [['a'], ['b']], [['a'], ['b', 'c']])
    """
    if isinstance(field, list | tuple):
        levels = [list(level) if isinstance(level, list | tuple) else [level] for level in field]
    else:
        text = field if isinstance(field, str) else ""
        ordered, commas = ">" in text or "=" in text, "," in text
        # b, c between two signs may be equal or not, and what begins with a bracket is the text of a list
        if (ordered and commas) or "<" in text or text.lstrip().startswith("["):
            raise PreferenceError(f"{field!r:.80} can be read in more than one way; {REMEDY}")
        parts = text.split(">" if ordered else ",")
        levels = [[name.strip() for name in part.split("=")] for part in parts]
    arms = [arm for level in levels for arm in level]
    if len(arms) < 2 or any(arm is None or arm == "" for arm in arms):
        raise PreferenceError(f"{field!r:.80} is no ranking of two arms or more; {REMEDY}")
    for arm, times in Counter(map(repr, arms)).most_common(1):
        if times > 1:
            raise PreferenceError(f"{arm:.80} stands {times} times in one ranking; name every arm once.")
    return levels


def _pairs(levels: Levels) -> Iterator[tuple[Any, Any, float]]:
    """Yield every two arms of a ranking, the better one first, and the outcome."""
    placed = [(place, arm) for place, level in enumerate(levels) for arm in level]
    for (place, one), (other_place, other) in combinations(placed, 2):
        yield one, other, TIE if place == other_place else LEFT_WINS


def _counts(
    columns: RankingColumns, column: Callable[[int], Sequence[Any]], where: Callable[[int], str], rows: int
) -> list[int]:
    """Return how many times every ranking was given."""
    if columns.times is None:
        return [1] * rows
    counts = []
    for row, field in enumerate(column(columns.times)):
        count = as_number(field, decimal_commas=False)
        if count is None or count < 0.0 or count % 1.0:
            raise PreferenceError(
                f'{where(row)}, column "count": {field!r} is not a number of rankings; give a whole number.'
            )
        counts.append(int(count))
    return counts
