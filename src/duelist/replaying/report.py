"""Reports of replays: a verdict, a table of all learners, and figures of the shares of runs over votes."""

from typing import TYPE_CHECKING, TypeAlias

from duelist.figures import new_figure
from duelist.replaying.result import SHARE, ReplayResult, ReplaySummary
from duelist.simulation.figures import add_legend, draw_lines, label
from duelist.text import align, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Ends: TypeAlias = tuple[int | None, int | None]

BASELINE = "Uniform()"
"""The description of the learner with random pairs, the baseline of all others."""

COLUMNS = (
    "learner",
    f"votes until {SHARE:.0%} right",
    "votes until sure",
    "10% to 90% sure",
    "stopped right",
    "stopped wrong",
    "not stopped",
)
"""The column headings of `rows`."""

REMARK = "Replayed votes are drawn with replacement; votes of one ranking are not independent."
READING = (
    f"Right: votes until {SHARE:.0%} of runs name the winner and stay right. Sure: the median number of "
    "votes at which runs stop. In parentheses: 95% confidence intervals for infinitely many runs."
)
"""The legend of the table."""


def verdict(result: ReplayResult) -> str:
    """Return the learner that is sure first, after how many votes, and how many more random pairs need."""
    lines = result.summary()
    first = lines[0]
    other = next((one for one in lines if result[one.learner].description == BASELINE), first)
    more = "" if other is first else f"; {compared(result, first, other)}"
    return f"{reached(result, first)}{more}."


def reached(result: ReplayResult, line: ReplaySummary) -> str:
    """Return when a learner is right and when it is sure, as the beginning of a sentence."""
    within = f"within {result.limit:,} votes"
    if result.winner is None:
        if line.until_sure is None:
            return f"{line.learner} is not sure {within} (median)"
        found = f"finds in {line.stopped_right:.0%} of runs that there is no winner"
        return f"{line.learner} {found}, and is sure after {line.until_sure:,} votes (median)"
    if line.until_right is None and line.until_sure is None:
        return f"{line.learner} is neither right in {SHARE:.0%} of runs nor sure (median) {within}"
    if line.until_right is None:
        votes = f"{line.until_sure:,} votes (median)"
        return f"{line.learner} is sure after {votes}, but not right in {SHARE:.0%} of runs"
    right = f"right after {line.until_right:,} votes in {SHARE:.0%} of runs"
    if line.until_sure is None:
        return f"{line.learner} is {right}, but not sure {within} (median)"
    return f"{line.learner} is {right} and sure after {line.until_sure:,} (median)"


def compared(result: ReplayResult, line: ReplaySummary, other: ReplaySummary) -> str:
    """Return how many times as many votes random pairs need, as the end of a sentence."""
    times = {
        "right": ratio(line.until_right, other.until_right),
        "sure": ratio(line.until_sure, other.until_sure),
    }
    known = {aim: many for aim, many in times.items() if many}
    wanted = ["sure"] if result.winner is None else ["right", "sure"]
    missed = [aim for aim in wanted if aim not in known]
    if not missed:
        return f"random pairs need {' and '.join(known[aim] for aim in wanted)} times as many"
    late = f"random pairs are not {' and not '.join(missed)} within {result.limit:,} votes"
    needed = [f"need {many} times as many to be {aim}" for aim, many in known.items()]
    return ", but ".join([late, *needed])


def ratio(fewer: int | None, more: int | None) -> str:
    """Return the ratio with the digits people read; empty if it is unknown."""
    if fewer is None or more is None:
        return ""
    times = more / fewer
    return f"{times:,.0f}" if times >= 10.0 else f"{times:.1f}"


def truth(result: ReplayResult) -> str:
    """Return the true winner, in a sentence."""
    total = f"all {counted(result.votes, 'recorded vote')}"
    if result.winner is not None:
        return f"The winner of {total} is {result.winner}: it beats every other arm."
    return (
        f"{total.capitalize()} together have no winner: no arm beats every other. The right answer is that "
        "there is no winner; naming an arm is wrong."
    )


def rows(result: ReplayResult) -> list[tuple[str, ...]]:
    """Return the rows of the summary as texts."""
    never, beyond = "never" if result.winner else "-", f">{result.limit:,}"
    return [
        (
            line.learner,
            estimate(line.until_right, line.until_right_interval, never),
            estimate(line.until_sure, line.until_sure_interval, beyond),
            " to ".join(number(end, beyond) for end in line.sure_range),
            f"{line.stopped_right:.1%}",
            f"{line.stopped_wrong:.1%}",
            f"{line.not_stopped:.1%}",
        )
        for line in result.summary()
    ]


def number(votes: int | None, none: str) -> str:
    return none if votes is None else f"{votes:,}"


def estimate(votes: int | None, ends: Ends, none: str) -> str:
    """Format a number of votes with its interval, which is open above if there are too few runs."""
    low, high = ends
    if low is None:
        return none
    interval = f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
    return f"{number(votes, none)} ({interval})"


def size(result: ReplayResult) -> str:
    """Return the size of the replay, in a sentence."""
    runs, arms = counted(len(next(iter(result.values()))), "run"), counted(len(result.arms), "arm")
    most = f"at most {counted(result.limit, 'vote')}"
    return f"{runs} of {most}, {arms}, delta {result.delta:g}, seed {result.seed}."


def tell(result: ReplayResult) -> str:
    summary = align(COLUMNS, rows(result))
    return "\n".join([result.verdict, truth(result), size(result), "", summary, "", READING, REMARK])


def draw_replay(result: ReplayResult) -> "Figure":
    """Draw the shares of runs that are right and, next to it, of runs that are sure."""
    figure = new_figure(11.0, 5.0)
    left, right = figure.subplots(1, 2, sharey=True)
    draw_into(left, right, result)
    add_legend(left)
    return figure


def draw_replay_panels(result: ReplayResult) -> tuple["Figure", "Figure"]:
    """Draw the two panels as separate figures, for pages that stack them on narrow screens."""
    first, second = (new_figure(4.0, 4.4) for _ in range(2))
    draw_into(first.subplots(), second.subplots(), result)
    for figure in (first, second):
        add_legend(figure.axes[0])
    return first, second


def draw_into(left: "Axes", right: "Axes", result: ReplayResult) -> None:
    runs = counted(len(next(iter(result.values()))), "run")
    named = "that name the winner and stay right" if result.winner else "that found that there is no winner"
    sure = f"that are sure: wrong in at most {100.0 * result.delta:.3g}%"
    titles = {"right": f"Runs {named}", "sure": f"Runs {sure}"}
    for axes, (measure, title) in zip((left, right), titles.items(), strict=True):
        draw_lines(axes, result, measure)
        label(axes, f"{title}\nshare of {runs}", xlabel="votes", ylabel="share of runs", ylim=(-0.02, 1.02))
