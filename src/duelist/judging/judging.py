"""Judges at work: the pairs that a study asks about are judged until it is sure, or the budget is used up."""

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import combinations
from threading import Event

from duelist.defaults import DELTA
from duelist.duel import Duel
from duelist.errors import ParameterError, require_whole
from duelist.judging.calling import AnswerCache, Caller, Comparison, UnfinishedError
from duelist.judging.judge import Judge, JudgeError, JudgeRefusalError, Showing
from duelist.judging.material import Material
from duelist.judging.report import Ended, JudgeReport
from duelist.study import Study
from duelist.text import arms

MOST_FAILURES = 10
"""Duels in a row without an answer after which a judge is not asked any more."""
LOOK_EVERY = 0.1
"""Seconds between two looks at whether the run is to stop."""


class JudgeRun:
    """One run of a judge.

    Parameters
    ----------
    study, material, delta, until_sure, side_by_side, progress
        See `judge_arena`.
    voter : str
        The judge's name.
    caller : Caller
        Asks the judge.
    """

    def __init__(
        self,
        study: Study,
        material: Material,
        voter: str,
        caller: Caller,
        delta: float,
        until_sure: bool,
        side_by_side: int,
        progress: Callable[[JudgeReport], None] | None,
    ) -> None:
        self._study, self._material, self._voter, self._caller = study, material, voter, caller
        self._delta, self._until_sure = delta, until_sure
        self._side_by_side, self._progress = side_by_side, progress
        self._items = material.items or None
        self._under_way: dict[Future[Comparison], Duel] = {}
        self._failed: list[Duel] = []  # those without an answer since the last vote
        self._seen = {
            comparison_of(vote.left, vote.right, vote.item)
            for vote in study.votes(all=True)
            if vote.voter == voter and vote.status != "retracted"
        }
        self._ended: Ended = "running"
        self._failure = ""
        self._cached = self._votes = self._ties = self._skipped = 0
        self._flips = {"left": 0, "right": 0}

    def play(self, stop: Event) -> JudgeReport:
        """Judge until there is a reason to end, and return the report."""
        with ThreadPoolExecutor(self._side_by_side) as pool:
            try:
                while self._ended == "running":
                    self._begin(pool)
                    self._settle(LOOK_EVERY)
                    if stop.is_set():
                        self._ended = "interrupted"
            except KeyboardInterrupt:
                self._ended = "interrupted"
            finally:
                self._caller.end()
            while self._under_way:
                self._settle(None)
        if self._votes and self._ended != "failures":
            self._skip_failed()
        return self.report(self._exhausted())

    def report(self, exhausted: tuple[tuple[str, str], ...] = ()) -> JudgeReport:
        """Return the numbers so far."""
        return JudgeReport(
            judge=self._voter,
            calls=self._caller.calls,
            cached=self._cached,
            votes=self._votes,
            ties=self._ties,
            flips_left=self._flips["left"],
            flips_right=self._flips["right"],
            failures=self._caller.failures,
            skipped=self._skipped,
            exhausted=exhausted,
            verdict=self._study.verdict(self._delta),
            ended=self._ended,
            failure=self._failure,
        )

    def _begin(self, pool: ThreadPoolExecutor) -> None:
        """Show the judge as many duels as may be under way, or find that there is a reason to end."""
        free = self._side_by_side - len(self._under_way)
        if free == 0:
            return
        if self._until_sure and self._study.done(self._delta):
            self._end("done")
            return
        wanted = min(free, self._unseen())
        if wanted == 0 or self._study.exhausted(self._voter, self._items):
            # without a single answer it is the judge that fails, and not its questions that ran out
            self._end("failures" if self._failed and not self._votes else "exhausted")
            return
        held = {duel.ticket for duel in (*self._under_way.values(), *self._failed)}
        asked = self._study.ask(voter=self._voter, items=self._items, n=len(held) + wanted)
        for duel in [duel for duel in asked if duel.ticket not in held][:wanted]:
            shown = self._shown(duel)
            if shown.left == shown.right:
                self._tell(duel, Comparison("tie", "tie"))
                self._look()
                continue
            orders = self._caller.unanswered(shown)
            if not self._caller.budget.reserve(len(orders)):
                # without a single answer it is the judge that fails, and not its budget that is too small
                self._end("failures" if 0 < self._caller.calls == self._caller.failures else "budget")
                return
            self._cached += 2 - len(orders)
            self._under_way[pool.submit(self._caller.compare, shown, orders)] = duel

    def _end(self, reason: Ended) -> None:
        """Note why the run ends, unless a duel is under way, after which there may be a reason to go on."""
        if not self._under_way:
            self._ended = reason

    def _settle(self, timeout: float | None) -> None:
        """Wait for answers, at most as many seconds, and tell them."""
        done, _ = wait(self._under_way, timeout, FIRST_COMPLETED)
        for future in done:
            self._take(future, self._under_way[future])
            # not before: an answer is told again if Ctrl-C came while it was told
            del self._under_way[future]
            self._look()

    def _take(self, future: "Future[Comparison]", duel: Duel) -> None:
        try:
            comparison = future.result()
        except UnfinishedError as error:
            if error.__cause__ is not None:
                self._failure = str(error.__cause__)
            return
        except (JudgeError, JudgeRefusalError) as error:
            self._failure = str(error)
            self._failed.append(duel)
            refused = isinstance(error, JudgeRefusalError)
            if self._ended == "running" and (refused or len(self._failed) >= MOST_FAILURES):
                self._ended = "failures"
            return
        self._tell(duel, comparison)

    def _tell(self, duel: Duel, comparison: Comparison) -> None:
        self._study.tell(duel, comparison.outcome)
        self._seen.add(comparison_of(duel.left, duel.right, duel.item))
        self._votes += 1
        if comparison.favoured is not None:
            self._flips[comparison.favoured] += 1
        elif comparison.outcome == "tie":
            self._ties += 1
        self._skip_failed()

    def _look(self) -> None:
        if self._progress is not None:
            self._progress(self.report())

    def _skip_failed(self) -> None:
        """Skip the duels that failed while others did not: an endpoint that is down costs no duel."""
        for duel in self._failed:
            self._study.skip(duel)
            self._seen.add(comparison_of(duel.left, duel.right, duel.item))
        self._skipped += len(self._failed)
        self._failed.clear()

    def _shown(self, duel: Duel) -> Showing:
        output = self._material.output
        return Showing(
            self._material.prompt(duel.item), output(duel.left, duel.item), output(duel.right, duel.item)
        )

    def _unseen(self) -> int:
        """Return how many pairs the judge could still be shown, each on one item."""
        active, items = {*self._study.arms}, {*(self._items or (None,))}
        seen = sum(1 for one, other, item in self._seen if {one, other} <= active and item in items)
        total = len(active) * (len(active) - 1) // 2 * len(items)
        return max(total - seen - len(self._under_way) - len(self._failed), 0)

    def _exhausted(self) -> tuple[tuple[str, str], ...]:
        items = self._items or (None,)
        return tuple(
            pair
            for pair in combinations(self._study.arms, 2)
            if all(comparison_of(*pair, item) in self._seen for item in items)
        )


def comparison_of(one: str, other: str, item: str | None) -> tuple[str, str, str | None]:
    """Return two arms, whichever side they were on, and the item that they were shown on."""
    return (one, other, item) if one < other else (other, one, item)


def judge_arena(
    study: Study,
    material: Material,
    judge: Judge,
    *,
    budget: int,
    delta: float = DELTA,
    until_sure: bool = True,
    side_by_side: int = 4,
    retries: int = 2,
    cache: str | os.PathLike[str] | None = None,
    progress: Callable[[JudgeReport], None] | None = None,
    stop: Event | None = None,
) -> JudgeReport:
    """Let a judge vote in a study until that is sure, and return what came of it.

    Every pair is shown in both orders, and counts for one side only if both answers are for it. Votes are
    told as those of people are. Ctrl-C ends the run in order: calls under way are awaited, and what was
    answered is kept.

    Parameters
    ----------
    study : Study
        Chooses the pairs, and learns from the answers.
    material : Material
        The outputs of the study's arms.
    judge : Judge
        A `CommandJudge` or an `EndpointJudge`.
    budget : int
        How many calls may be made, with those that fail and are made again; two are needed for a vote.
    delta : float, default 0.05
        The share of studies in which the verdict may be wrong.
    until_sure : bool, default True
        Whether to end once the votes prove a winner; for a leaderboard of all arms, more votes are of use.
    side_by_side : int, default 4
        How many calls may be under way at once.
    retries : int, default 2
        How often a call that fails is made again. A duel whose calls fail for good is skipped.
    cache : path, optional
        A file that keeps all answers, so that another run does not pay for them again. Without it they are
        kept in memory until the run ends.
    progress : callable, optional
        Called with the report so far after every duel.
    stop : threading.Event, optional
        Set by another thread, it ends the run as Ctrl-C does.

    Examples
    --------
    >>> from duelist.judging.command import CommandJudge
    >>> from duelist.judging.material import Output
    >>> outputs = {f"question {n}": (Output(f"{n}."), Output(f"{n}!")) for n in range(3)}
    >>> study, judge = Study(arms=["a", "b"]), CommandJudge("echo tie")
    >>> print(judge_arena(study, Material("Example", ("a", "b"), outputs), judge, budget=4))
    judge: echo tie gave 2 votes, 2 of them ties, in 4 calls.
    The budget is used up.
    Undecided: who wins is not proven yet.
    """
    require_whole("budget", budget, 1)
    require_whole("side_by_side", side_by_side, 1)
    require_whole("retries", retries, 0)
    require_fit(study, material, judge)
    caller = Caller(judge, AnswerCache(cache), budget, retries)
    run = JudgeRun(study, material, judge.name, caller, delta, until_sure, side_by_side, progress)
    return run.play(Event() if stop is None else stop)


def require_fit(study: Study, material: Material, judge: Judge) -> None:
    """Refuse material that lacks an arm of the study, or that the judge cannot look at."""
    lacking = [arm for arm in study.arms if arm not in material.arms]
    if lacking:
        raise ParameterError(f"there are no outputs of {arms(lacking)}; add them, or retire the arm.")
    if judge.sees_media:
        return
    shown = [output for outputs in material.outputs.values() for output in outputs]
    if any(output.path is not None for output in [*shown, *material.prompts.values()]):
        raise ParameterError(
            f"{judge.name} reads texts alone, but {material.title} has images or sounds; let a program be "
            "the judge, which gets the paths of their files."
        )
