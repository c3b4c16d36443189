"""Runs of a judge, which votes on the pairs that a study asks for until the verdict or the budget ends."""

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
"""Number of duels in a row without an answer after which the run ends."""
LOOK_EVERY = 0.1
"""Seconds between checks whether the run was stopped."""


class JudgeRun:
    """One run of a judge.

    Parameters
    ----------
    study, material, delta, until_sure, side_by_side, progress
        See `judge_arena`.
    voter : str
        The judge's name.
    caller : Caller
        Makes the calls.
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
        self._failed: list[Duel] = []  # without an answer since the last vote
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
                    self._collect(LOOK_EVERY)
                    if stop.is_set():
                        self._ended = "interrupted"
            except KeyboardInterrupt:
                self._ended = "interrupted"
            finally:
                self._caller.end()
            while self._under_way:
                self._collect(None)
        if self._votes and self._ended != "failures":
            self._skip_failed()
        return self.report(self._exhausted())

    def report(self, exhausted: tuple[tuple[str, str], ...] = ()) -> JudgeReport:
        """Return the report so far."""
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
        """Start judging as many duels as may be under way, or end the run if there is a reason."""
        free = self._side_by_side - len(self._under_way)
        if free == 0:
            return
        if self._until_sure and self._study.done(self._delta):
            self._end("done")
            return
        wanted = min(free, self._unseen())
        if wanted == 0 or self._study.exhausted(self._voter, self._items):
            # without any answer, the judge has failed rather than run out of pairs
            self._end("failures" if self._failed and not self._votes else "exhausted")
            return
        held = {duel.ticket for duel in (*self._under_way.values(), *self._failed)}
        asked = self._study.ask(voter=self._voter, items=self._items, n=len(held) + wanted)
        for duel in [duel for duel in asked if duel.ticket not in held][:wanted]:
            shown = self._shown(duel)
            if shown.left == shown.right:
                self._tell(duel, Comparison("tie", "tie"))
                self._report_progress()
                continue
            orders = self._caller.unanswered(shown)
            if not self._caller.budget.reserve(len(orders)):
                # without any answer, the judge has failed rather than used up its budget
                self._end("failures" if 0 < self._caller.calls == self._caller.failures else "budget")
                return
            self._cached += 2 - len(orders)
            self._under_way[pool.submit(self._caller.compare, shown, orders)] = duel

    def _end(self, reason: Ended) -> None:
        """End the run, unless a duel is under way, whose answer may be a reason to continue."""
        if not self._under_way:
            self._ended = reason

    def _collect(self, timeout: float | None) -> None:
        """Wait for answers, for at most `timeout` seconds, and record them."""
        done, _ = wait(self._under_way, timeout, FIRST_COMPLETED)
        for future in done:
            self._take(future, self._under_way[future])
            # not earlier: after Ctrl-C during the recording, the answer is recorded again
            del self._under_way[future]
            self._report_progress()

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

    def _report_progress(self) -> None:
        if self._progress is not None:
            self._progress(self.report())

    def _skip_failed(self) -> None:
        """Skip the duels that failed while others succeeded; an endpoint that is down costs no duel."""
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
        """Return how many pairs, each on one item, the judge has not been shown."""
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
    """Let a judge vote in a study until the verdict or the end of the budget, and return a report.

    Every pair is shown in both orders; a side wins only if both answers are for it. Votes are recorded like
    those of people. Ctrl-C ends the run cleanly: calls under way are awaited, and answers are kept.

    Parameters
    ----------
    study : Study
        The study, which chooses the pairs and learns from the answers.
    material : Material
        The outputs of the study's arms.
    judge : Judge
        A `CommandJudge` or an `EndpointJudge`.
    budget : int
        Maximum number of calls, including failed ones and retries; a vote takes two calls.
    delta : float, default 0.05
        Probability of a wrong verdict.
    until_sure : bool, default True
        Whether to end once the votes prove a winner; a leaderboard of all arms benefits from more votes.
    side_by_side : int, default 4
        Maximum number of parallel calls.
    retries : int, default 2
        Maximum number of retries of a failed call. A duel whose calls fail permanently is skipped.
    cache : path, optional
        File for all answers, which saves further runs from paying for them again. By default, answers are
        kept in memory until the run ends.
    progress : callable, optional
        Callback that receives the report so far after every duel.
    stop : threading.Event, optional
        Setting it in another thread ends the run like Ctrl-C.

    Returns
    -------
    JudgeReport
        The numbers of calls and votes, and the verdict.

    Raises
    ------
    ParameterError
        An arm of the study has no outputs, or the judge does not accept their type.

    Examples
    --------
    >>> from duelist.judging.command import CommandJudge
    >>> from duelist.judging.material import Output
    >>> outputs = {f"question {n}": (Output(f"{n}."), Output(f"{n}!")) for n in range(3)}
    >>> study, judge = Study(arms=["a", "b"]), CommandJudge("echo tie")
    >>> print(judge_arena(study, Material("Example", ("a", "b"), outputs), judge, budget=4))
    judge: echo tie gave 2 votes, 2 of them ties, in 4 calls.
    The budget is used up.
    Undecided: no winner is proven yet.
    """
    require_whole("budget", budget, 1)
    require_whole("side_by_side", side_by_side, 1)
    require_whole("retries", retries, 0)
    require_fit(study, material, judge)
    caller = Caller(judge, AnswerCache(cache), budget, retries)
    run = JudgeRun(study, material, judge.name, caller, delta, until_sure, side_by_side, progress)
    return run.play(Event() if stop is None else stop)


def require_fit(study: Study, material: Material, judge: Judge) -> None:
    """Check that material has all arms of the study, and that the judge accepts its media."""
    lacking = [arm for arm in study.arms if arm not in material.arms]
    if lacking:
        raise ParameterError(f"there are no outputs of {arms(lacking)}; add them, or retire the arm.")
    if judge.sees_media:
        return
    shown = [output for outputs in material.outputs.values() for output in outputs]
    if any(output.path is not None for output in [*shown, *material.prompts.values()]):
        raise ParameterError(
            f"{judge.name} reads only text, but {material.title} has images or sounds; use a program as the "
            "judge, which gets the paths of the files."
        )
