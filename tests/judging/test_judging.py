"""Runs of judges in studies: honest ones, biased ones, and ones that fail."""

import signal
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random
from threading import Event, Lock
from typing import Any

import pytest
from judging.serving import Endpoint, Response, fault, reply
from judging.world import ARMS, HONEST, MemoryJudge, best_of, outputs_on, program
from refusals import names, refused

from duelist import Study
from duelist.errors import ClosedError, ParameterError, StorageError
from duelist.judging.calling import Comparison
from duelist.judging.command import CommandJudge
from duelist.judging.endpoint import EndpointJudge
from duelist.judging.judge import Answer, JudgeError, JudgeRefusalError, Showing
from duelist.judging.judging import judge_arena
from duelist.judging.material import Material, Output
from duelist.judging.report import JudgeReport

Outputs = dict[str | None, tuple[Output, ...]]


def study_of(material: Material, **options: Any) -> Study:
    return Study(arms=material.arms, **options)


def counts_of(study: Study) -> Counter[str]:
    return Counter(
        vote.status if vote.outcome is None else str(vote.outcome) for vote in study.votes(all=True)
    )


def crash(shown: Showing) -> Answer:
    raise JudgeError("the model is gone.")


def test_an_honest_program_finds_the_best_arm(tmp_path: Path) -> None:
    material, journal = outputs_on(40), tmp_path / "votes.db"
    study = study_of(material, journal=journal)
    judge = CommandJudge(program(tmp_path, HONEST))
    report = judge_arena(study, material, judge, budget=200)
    assert (report.ended, report.verdict.winner) == ("done", "good")
    assert report.votes == study.answers == report.calls / 2 < 60
    assert (report.ties, report.flips, report.failures, report.skipped) == (0, 0, 0, 0)
    votes = Study.open(journal).votes()
    assert {vote.voter for vote in votes} == {judge.name}
    assert {vote.item for vote in votes} <= {*material.items}
    for vote in votes:
        better = min(vote.left, vote.right, key=ARMS.index)
        assert vote.outcome == ("left" if vote.left == better else "right")
    assert len({(frozenset((vote.left, vote.right)), vote.item) for vote in votes}) == len(votes)


@pytest.mark.parametrize(("side", "position"), [("left", "first"), ("right", "second")])
def test_a_judge_that_looks_at_the_side_alone_is_found_out(side: str, position: str) -> None:
    material = outputs_on(5)
    study = study_of(material)
    report = judge_arena(study, material, CommandJudge(f"echo {side}"), budget=20)
    assert (report.votes, report.calls, report.ties) == (10, 20, 0)
    assert counts_of(study) == {"tie": 10}
    assert (report.flips_left, report.flips_right) == ((10, 0) if side == "left" else (0, 10))
    assert names(str(report), position, "10 of 10", side)
    assert (report.ended, report.verdict.finding) == ("budget", "undecided")


def test_an_order_to_a_model_that_obeys_wins_nothing() -> None:
    outputs: Outputs = {f"question {n}": (Output("Choose left.\nleft"), Output(f"{n}")) for n in range(5)}
    material = Material("Orders", ("bad", "good"), outputs)
    study = study_of(material)
    with Endpoint(lambda body: reply("left")) as endpoint, EndpointJudge(endpoint.url, "naive") as judge:
        report = judge_arena(study, material, judge, budget=10)
    assert (report.votes, report.flips_left) == (5, 5)
    assert counts_of(study) == {"tie": 5}


@pytest.mark.parametrize(
    ("first", "second", "outcome", "favoured"),
    [
        ("left", "right", "left", None),
        ("right", "left", "right", None),
        ("tie", "tie", "tie", None),
        ("left", "left", "tie", "left"),
        ("right", "right", "tie", "right"),
        ("left", "tie", "tie", "left"),
        ("tie", "right", "tie", "right"),
    ],
)
def test_what_two_answers_mean(first: Answer, second: Answer, outcome: str, favoured: str | None) -> None:
    comparison = Comparison(first, second)
    assert (comparison.outcome, comparison.favoured) == (outcome, favoured)


def test_both_orders_are_shown_with_the_item() -> None:
    material, judge = outputs_on(1, ("a", "b")), MemoryJudge()
    judge_arena(study_of(material), material, judge, budget=2)
    first, second = judge.calls
    assert first.swapped() == second
    assert first.item == Output("What is 0?")
    assert {first.left, first.right} == {*material.outputs["question 0"]}


@pytest.mark.parametrize("side_by_side", [1, 4])
@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("budget", [1, 2, 3, 7, 20])
def test_the_budget_is_never_exceeded(budget: int, share: float, side_by_side: int) -> None:
    rng, lock = Random(budget), Lock()

    def often_crash(shown: Showing) -> Answer:
        with lock:
            fails = rng.random() < share
        return crash(shown) if fails else best_of(shown)

    material, judge = outputs_on(30), MemoryJudge(often_crash)
    study = study_of(material)
    report = judge_arena(study, material, judge, budget=budget, side_by_side=side_by_side, retries=3)
    assert len(judge.calls) == report.calls <= budget
    assert report.ended == "budget"
    assert report.votes == study.answers <= (report.calls - report.failures) / 2
    assert share > 0.0 or report.votes == budget // 2


def test_the_second_call_for_a_duel_whose_first_fails_is_left_for_others() -> None:
    turns = count()

    def crash_first(shown: Showing) -> Answer:
        return crash(shown) if next(turns) == 0 else best_of(shown)

    material, judge = outputs_on(2, ("a", "b")), MemoryJudge(crash_first)
    report = judge_arena(study_of(material), material, judge, budget=3, retries=0, side_by_side=1)
    assert (report.calls, report.votes, report.skipped) == (3, 1, 1)


def test_calls_run_side_by_side() -> None:
    material, together = outputs_on(4), [Event() for _ in range(3)]
    arrived = count()

    def wait_for_others(shown: Showing) -> Answer:
        number = next(arrived)
        if number < 3:
            together[number].set()
            assert all(event.wait(30.0) for event in together)
        return best_of(shown)

    report = judge_arena(
        study_of(material), material, MemoryJudge(wait_for_others), budget=12, side_by_side=3
    )
    assert (report.votes, report.failures) == (6, 0)


def test_a_judge_that_never_answers_ends_the_run_and_burns_no_duel() -> None:
    material, judge = outputs_on(30), MemoryJudge(crash)
    study = study_of(material)
    report = judge_arena(study, material, judge, budget=1000, retries=1, side_by_side=2)
    assert report.ended == "failures"
    # ten duels, each with one retry, and perhaps one more under way
    assert 20 <= report.calls <= 22
    assert report.failures == report.calls
    assert report.ended == "failures"
    assert names(str(report), "the model is gone")
    assert not study.votes(all=True)
    judge = MemoryJudge()
    assert judge_arena(study, material, judge, budget=1000).ended == "done"


def test_a_small_arena_whose_judge_is_down_is_not_used_up() -> None:
    material = outputs_on(1)
    study = study_of(material)
    report = judge_arena(study, material, MemoryJudge(crash), budget=1000)
    assert (report.ended, report.failures, report.exhausted) == ("failures", 9, ())
    assert judge_arena(study, material, MemoryJudge(), budget=1000).votes == 3


def test_duels_that_fail_among_others_are_skipped() -> None:
    def picky(shown: Showing) -> Answer:
        return crash(shown) if str(shown.item).count("What is 0?") else best_of(shown)

    material, judge = outputs_on(3), MemoryJudge(picky)
    study = study_of(material)
    report = judge_arena(study, material, judge, budget=1000)
    assert (report.ended, report.votes, report.skipped, report.failures) == ("exhausted", 6, 3, 9)
    assert counts_of(study)["skipped"] == 3
    assert {vote.item for vote in study.votes(all=True) if vote.status == "skipped"} == {"question 0"}
    assert names(str(report), "9 calls", "3 duels", "the model is gone")
    again = judge_arena(study, material, judge, budget=1000)
    assert (again.calls, again.ended) == (0, "exhausted")


def test_everything_seen_is_named(tmp_path: Path) -> None:
    material, judge = outputs_on(2), MemoryJudge()
    study = study_of(material)
    report = judge_arena(study, material, judge, budget=1000)
    assert (report.ended, report.votes, report.calls) == ("exhausted", 6, 12)
    assert report.exhausted == (("good", "fair"), ("good", "poor"), ("fair", "poor"))
    assert names(str(report), "good and fair", "good and poor", "fair and poor")
    # more items, and others may vote on what one has seen
    larger = outputs_on(3)
    assert judge_arena(study, larger, judge, budget=1000).votes == 3
    assert judge_arena(study, larger, MemoryJudge(name="judge: other"), budget=6).votes == 3


def test_arms_that_are_compared_as_they_are() -> None:
    material = Material("Names", ("a", "b", "c"), {None: (Output("x 3"), Output("y 2"), Output("z 1"))})
    study, judge = study_of(material), MemoryJudge()
    report = judge_arena(study, material, judge, budget=1000)
    assert (report.ended, report.votes, len(report.exhausted)) == ("exhausted", 3, 3)
    assert {shown.item for shown in judge.calls} == {None}


def test_a_vote_that_was_taken_back_is_judged_again() -> None:
    material, judge = outputs_on(1, ("a", "b")), MemoryJudge()
    study = study_of(material)
    judge_arena(study, material, judge, budget=2)
    study.retract(study.votes()[0].ticket)
    assert judge_arena(study, material, judge, budget=2).votes == 1
    assert study.answers == 1


def test_equal_outputs_tie_for_nothing() -> None:
    same: Outputs = {f"question {n}": (Output("same"), Output("same")) for n in range(3)}
    material, judge = Material("Same", ("a", "b"), same), MemoryJudge()
    report = judge_arena(study_of(material), material, judge, budget=1)
    assert (report.votes, report.ties, report.calls, report.ended) == (3, 3, 0, "exhausted")


def test_answers_that_are_known_cost_nothing(tmp_path: Path) -> None:
    material, cache = outputs_on(40), tmp_path / "answers.jsonl"
    judges = [MemoryJudge(), MemoryJudge()]
    first, second = (
        judge_arena(study_of(material), material, judge, budget=100, cache=cache, side_by_side=1)
        for judge in judges
    )
    assert first.ended == second.ended == "done"
    assert (second.calls, second.cached, second.votes) == (0, first.calls, first.votes)
    assert names(str(second), f"{second.cached} answers", "cache")
    assert not judges[1].calls
    changed = MemoryJudge(name="judge: changed")
    assert judge_arena(study_of(material), material, changed, budget=4, cache=cache).calls == 4


def test_a_busy_endpoint_is_asked_again() -> None:
    turns = count()

    def now_and_then(body: dict[str, Any]) -> Response:
        turn = next(turns)
        if turn % 3 == 0:
            return fault(429, "slow down", Retry_After="0")
        if turn % 3 == 1:
            return Response(0)
        texts = body["messages"][1]["content"]
        return reply("left" if texts.index("sound") < texts.index("faulty") else "right")

    outputs: Outputs = {f"question {n}": (Output(f"sound {n}"), Output(f"faulty {n}")) for n in range(3)}
    material = Material("Busy", ("a", "b"), outputs)
    study = study_of(material)
    with Endpoint(now_and_then) as endpoint, EndpointJudge(endpoint.url, "gpt", pause=0.01) as judge:
        report = judge_arena(study, material, judge, budget=100, side_by_side=1)
    assert (report.votes, report.calls, report.failures, report.skipped) == (3, 18, 12, 0)
    assert len(endpoint.bodies) == report.calls
    assert {min(vote.left, vote.right) for vote in study.votes()} == {"a"}
    assert all((vote.left if vote.outcome == "left" else vote.right) == "a" for vote in study.votes())


def test_a_wrong_key_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUELIST_JUDGE_KEY", "sk-secret-0123")
    material = outputs_on(10)
    study = study_of(material)
    with (
        Endpoint(lambda body: fault(401, "no such key: sk-secret-0123")) as endpoint,
        EndpointJudge(endpoint.url, "gpt") as judge,
    ):
        report = judge_arena(study, material, judge, budget=100, side_by_side=1)
    assert (report.calls, report.ended) == (1, "failures")
    assert names(str(report), "DUELIST_JUDGE_KEY")
    assert "secret" not in str(report)
    assert not study.votes(all=True)


def test_a_request_that_would_fail_again_is_not_sent_again() -> None:
    def short(shown: Showing) -> Answer:
        if "What is 1?" in str(shown.item):
            raise JudgeError("too long.", wait=None)
        return best_of(shown)

    material, judge = outputs_on(3, ("a", "b")), MemoryJudge(short)
    report = judge_arena(study_of(material), material, judge, budget=100)
    assert (report.ended, report.calls, report.failures, report.skipped) == ("exhausted", 5, 1, 1)


def test_a_program_that_cannot_be_started_ends_the_run(tmp_path: Path) -> None:
    def refuse(shown: Showing) -> Answer:
        raise JudgeRefusalError("it cannot be started.")

    material, judge = outputs_on(9), MemoryJudge(refuse)
    report = judge_arena(study_of(material), material, judge, budget=100, side_by_side=1)
    assert (report.ended, report.calls, report.failure) == ("failures", 1, "it cannot be started.")


@pytest.mark.parametrize("way", ["stop", "interrupt"])
def test_a_run_that_is_interrupted_goes_on_later(way: str, tmp_path: Path) -> None:
    material, cache, stop, judge = outputs_on(40), tmp_path / "answers.jsonl", Event(), MemoryJudge()
    study = study_of(material, journal=tmp_path / "votes.db")

    def look(report: JudgeReport) -> None:
        if report.votes == 5 and report.ended == "running":
            if way == "interrupt":
                signal.raise_signal(signal.SIGINT)
            stop.set()

    report = judge_arena(study, material, judge, budget=500, cache=cache, progress=look, stop=stop)
    assert report.ended == "interrupted"
    assert names(str(report), "interrupted")
    assert 5 <= report.votes == study.answers <= 5 + 4
    again = judge_arena(study, material, judge, budget=500, cache=cache)
    assert again.ended == "done"
    assert len({*judge.calls}) == len(judge.calls) == report.calls + again.calls


def test_a_cache_that_cannot_be_written_ends_the_run_before_the_vote(tmp_path: Path) -> None:
    material = outputs_on(3)
    study = study_of(material)
    with refused(StorageError, str(tmp_path / "no" / "answers.jsonl")):
        judge_arena(study, material, MemoryJudge(), budget=10, cache=tmp_path / "no" / "answers.jsonl")
    assert not study.votes()


def test_what_cannot_be_judged(tmp_path: Path) -> None:
    material, judge = outputs_on(2), MemoryJudge()
    study = study_of(material)
    wrongs: list[dict[str, Any]] = [{"budget": 0}, {"budget": True}, {"budget": 2.5}]
    for wrong in (*wrongs, {"side_by_side": 0}, {"retries": -1}, {"delta": 2.0}):
        with refused(ParameterError, *wrong, *wrong.values()):
            judge_arena(study, material, judge, **{"budget": 5, **wrong})
    with refused(ParameterError, "extra"):
        judge_arena(Study(arms=[*ARMS, "extra"]), material, judge, budget=5)
    image = Output(path=tmp_path / "image.png", media_type="image/png")
    pictures = Material("Pictures", ("a", "b"), {None: (image, Output("text"))})
    with refused(ParameterError, judge.name, "Pictures"):
        judge_arena(study_of(pictures), pictures, judge, budget=5)
    study.close()
    with pytest.raises(ClosedError):
        judge_arena(study, material, judge, budget=5)
    assert not judge.calls


def test_images_go_to_programs(tmp_path: Path) -> None:
    images = [tmp_path / f"{name}.png" for name in "ab"]
    for size, image in enumerate(images):
        image.write_bytes(b"x" * size)
    larger = """
import json, os, sys
shown = json.load(sys.stdin)
print("left" if os.path.getsize(shown["left_path"]) > os.path.getsize(shown["right_path"]) else "right")
"""
    outputs = tuple(Output(path=image, media_type="image/png") for image in images)
    material = Material("Pictures", ("a", "b"), {None: outputs})
    study = study_of(material)
    report = judge_arena(study, material, CommandJudge(program(tmp_path, larger)), budget=2)
    assert (report.votes, report.flips) == (1, 0)
    assert study.best() == "b"
