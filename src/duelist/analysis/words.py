"""An analysis in words and tables of text, for the terminal and for pages alike."""

from collections.abc import Iterable
from math import isnan

from duelist.analysis.leaderboard import Leaderboard
from duelist.analysis.result import Analysis
from duelist.ratings import Contrast, Effect
from duelist.text import arms, count, counted, enumeration

EFFECT_HEADINGS = ("Effect", "Value", "Interval")
EFFECT_NOTE = (
    "Added to the rating of the left arm: by a covariate, for one standard deviation of its difference, left "
    "less right."
)
CONTRAST_HEADINGS = ("Contrast", "Difference", "Interval", "Chance")
CONTRAST_NOTE = "Chance: how often the first of the two is predicted to win."
PAIR_HEADINGS = ("Ahead", "Behind", "Won", "Of", "Share", "Interval")
MOST_LIKELY = 5
"""Arms that may be first, which a sentence names."""


def effect_rows(found: Iterable[Effect], digits: int) -> list[list[str]]:
    """Return the effects of covariates and of the side, with their intervals."""
    return [[one.name, _points(one.value, digits), _interval(one.low, one.high, digits)] for one in found]


def contrast_rows(found: Iterable[Contrast], digits: int) -> list[list[str]]:
    """Return differences of ratings, with their intervals and predicted chances."""
    return [
        [
            f"{one.one} minus {one.other}",
            _points(one.difference, digits),
            _interval(one.low, one.high, digits),
            f"{one.chance:.1%}",
        ]
        for one in found
    ]


def pair_rows(found: Analysis, limit: int) -> list[list[str]]:
    """Return the pairs that matter most to who wins, with their intervals."""
    return [
        [
            pair.better,
            pair.worse,
            count(pair.wins),
            count(pair.votes),
            f"{pair.wins / pair.votes:.1%}",
            f"{pair.lower:.1%} to {pair.upper:.1%}",
        ]
        for pair in found.pairs[:limit]
    ]


def pair_notes(found: Analysis, limit: int) -> list[str]:
    """Return how to read a table of pairs, and what it does not show."""
    told = [
        f"Each interval by itself holds the pair's chance with {100.0 * found.confidence:g}% confidence, if "
        "votes are independent."
    ]
    if (more := len(found.pairs) - limit) > 0:
        are = "is" if more == 1 else "are"
        told.append(f"{counted(more, 'more pair')} {are} not shown; --format json has all.")
    if found.unseen:
        some = [f"{one} and {other}" for one, other in found.some_unseen()]
        rest = f" and {count(found.unseen - len(some))} more" if found.unseen > len(some) else ""
        told.append(f"{counted(found.unseen, 'pair')} never compared: {', '.join(some)}{rest}.")
    return told


def likely_first(board: Leaderboard) -> str:
    """Return which arms may well be first, with their chances; empty without intervals."""
    likely = [row for row in board.listed if row.first is not None and row.first >= 0.005]
    likely.sort(key=lambda row: -(row.first or 0.0))
    return enumeration([f"{row.arm} ({row.first:.0%})" for row in likely], MOST_LIKELY)


def category_boards(found: Analysis, limit: int) -> tuple[list[tuple[str, Leaderboard]], str]:
    """Return the titles and leaderboards of the categories with the most votes, and what is not shown."""
    names = list(found.categories)
    shown = {*sorted(names, key=lambda name: -found.categories[name].answers)[:limit]}
    boards = [
        (f"{found.titled(name)} ({counted(board.answers, 'vote')})", board)
        for name, board in found.categories.items()
        if name in shown
    ]
    more = len(names) - len(boards)
    are = "value of" if more == 1 else "values of"
    return boards, f"{count(more)} more {are} {found.by} not shown; --format json has all." if more else ""


def winner_texts(found: Analysis) -> dict[str, str]:
    """Return the winners by every definition, and how well they do by it."""
    named = {concept: arms(list(scores)) for concept, scores in found.winners.items()}
    score = {concept: max(scores.values(), default=0.0) for concept, scores in found.winners.items()}
    mixture = [f"{share:.1%} arm {name}" for name, share in found.winners["von_neumann"].items()]
    others = "" if found.one_mixture else "; it is the centre of several that none beats"
    told = {
        "Condorcet": named["condorcet"] if found.winners["condorcet"] else "none: no arm beats all others",
        "Copeland": f"{named['copeland']} ({_beaten(found, score['copeland'])})",
        "Borda": f"{named['borda']} ({score['borda']:.1%} won against another arm at random)",
        "Schulze": named["schulze"],
        "ranked pairs": named["ranked_pairs"],
        "Kemeny": named.get("kemeny", ""),
        "random walk": f"{named['random_walk']} (visited {score['random_walk']:.1%} of the time)",
        "von Neumann": f"{enumeration(mixture)} (no arm beats this mixture{others})",
    }
    if found.unseen:
        told["never compared"] = f"{counted(found.unseen, 'pair')}, taken as ties"
    return {definition: text for definition, text in told.items() if text}


def _beaten(found: Analysis, score: float) -> str:
    """Return what the largest Copeland score says: how many arms are beaten, or points where arms tie."""
    others = len(found.arms) - 1
    if score == others or found.description.tied_pairs == 0:
        return f"{score:.0f} of {others} beaten"
    half = "a tie or a pair never compared" if found.unseen else "a tie"
    return f"{score:g} of {counted(others, 'point')}: 1 for an arm beaten, 1/2 for {half}"


def _points(value: float, digits: int) -> str:
    # adding 0.0 turns -0.00 into 0.00
    return f"{round(value, digits) + 0.0:+,.{digits}f}"


def _interval(low: float, high: float, digits: int) -> str:
    return "" if isnan(low) else f"{_points(low, digits)} to {_points(high, digits)}"
