"""Calls of a judge while the run ends."""

from threading import Thread

import pytest
from judging.world import MemoryJudge, best_of
from refusals import refused

from duelist.judging.calling import AnswerCache, Caller, UnfinishedError
from duelist.judging.judge import Answer, JudgeError, Showing
from duelist.judging.material import Output

SHOWN = Showing(None, Output("answer 1"), Output("answer 2"))


def test_no_call_begins_once_a_run_ends_and_the_answer_under_way_is_kept() -> None:
    def end_meanwhile(shown: Showing) -> Answer:
        caller.end()
        return best_of(shown)

    cache, judge = AnswerCache(), MemoryJudge(end_meanwhile)
    caller = Caller(judge, cache, budget=10, retries=2)
    with pytest.raises(UnfinishedError):
        caller.compare(SHOWN, caller.unanswered(SHOWN))
    assert judge.calls == [SHOWN]
    later = Caller(MemoryJudge(), cache, budget=10, retries=2)
    assert later.unanswered(SHOWN) == [SHOWN.swapped()]
    assert later.compare(SHOWN, [SHOWN.swapped()]) == ("right", "left")
    assert later.calls == 1


def test_a_run_that_ends_does_not_wait_for_a_busy_judge() -> None:
    def busy(shown: Showing) -> Answer:
        Thread(target=caller.end).start()
        raise JudgeError("busy.", wait=50.0)

    judge = MemoryJudge(busy)
    caller = Caller(judge, AnswerCache(), budget=10, retries=2)
    with pytest.raises(UnfinishedError):
        caller.compare(SHOWN, [SHOWN, SHOWN.swapped()])
    assert len(judge.calls) == caller.failures == 1


def test_waits_double(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(shown: Showing) -> Answer:
        raise JudgeError("busy.", wait=25.0)

    caller, waits = Caller(MemoryJudge(busy), AnswerCache(), budget=10, retries=3), list[float]()
    monkeypatch.setattr(caller._ending, "wait", waits.append)
    with refused(JudgeError, "busy"):
        caller.compare(SHOWN, [SHOWN])
    assert waits == [25.0, 50.0, 60.0]
