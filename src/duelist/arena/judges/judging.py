"""Judges at work: the pairs that a study asks about are judged until it is sure, or the budget is used up."""

import os
from collections.abc import Callable
from threading import Event

from duelist.arena.content.material import Material
from duelist.arena.judges.cache import AnswerCache
from duelist.arena.judges.calling import Caller
from duelist.arena.judges.judge import Judge
from duelist.arena.judges.report import JudgeReport
from duelist.arena.judges.run import Run
from duelist.errors import ParameterError, require_whole
from duelist.study import Study
from duelist.text import arms


def judge_arena(
    study: Study,
    material: Material,
    judge: Judge,
    *,
    budget: int,
    delta: float = 0.05,
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
    >>> from duelist.arena.judges.command import CommandJudge
    >>> from duelist.arena.content.material import Output
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
    run = Run(study, material, judge.name, caller, delta, until_sure, side_by_side, progress)
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
