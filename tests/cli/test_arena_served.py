"""`duelist arena` as a process that serves: its links, its end, and what the terminal says."""

import re
import signal
from pathlib import Path
from time import monotonic, sleep

import httpx
from arena.visitor import Forms
from browsing import Started
from cli.arena_command import invoke, refused, votes_on, write
from refusals import names

from benchmarks.processes import TIMEOUT, Service


def client(service: Service) -> httpx.Client:
    return httpx.Client(base_url=service.url, follow_redirects=True, trust_env=False, timeout=TIMEOUT)


def vote(browser: httpx.Client, outcome: str = "left") -> httpx.Response:
    """Vote on the duel that is shown; return the next page."""
    [fields] = [fields for action, fields in Forms(browser.get("/").text).found if action == "/vote"]
    return browser.post("/vote", data={**fields, "outcome": outcome})


def links_of(service: Service, many: int) -> list[str]:
    """Return the links that were printed, once there are as many."""
    deadline = monotonic() + TIMEOUT
    while monotonic() < deadline:
        links = re.findall(r"http://\S+/enter\?link=\S+", "\n".join(service.log.copy()))
        if len(links) == many:
            return links
        sleep(0.01)
    raise TimeoutError("\n".join(service.log))


def interrupt(service: Service) -> int:
    service.process.send_signal(signal.SIGINT)
    return service.process.wait(TIMEOUT)


def test_ctrl_c_keeps_votes_and_another_command_goes_on(tmp_path: Path, arenas: Started) -> None:
    file = write(tmp_path / "answers.jsonl")
    service = arenas(file)
    with client(service) as browser:
        vote(browser)
        vote(browser, "tie")
        # a second arena on the same file is refused, and changes nothing for those who vote
        served = f"{file}.votes.db is already being served"
        assert served in refused(file, "--port", "0")
        other = write(tmp_path / "other.jsonl")
        assert names(refused(other, "--port", service.port), "--port")
        write(file, ("good", "fair", "poor", "new"))
        assert served in refused(file, "--port", "0")
        assert "Left is better" in vote(browser).text
    assert interrupt(service) == 130
    before = votes_on(file)
    assert [one.outcome for one in before] == ["left", "tie", "left"]
    write(file, ("good", "poor", "new"))
    said = invoke(file, "--judge", "echo tie", "--budget", "2")
    assert names(said.splitlines()[0], "3 votes")
    assert names(said.splitlines()[1], "new")
    after = votes_on(file)
    assert (after[:3], len(after)) == (list(before), 4)
    assert "fair" not in {after[3].left, after[3].right}
    write(file, ("other", "another"))
    assert names(refused(file), "good, poor, new")


def test_links_of_a_shared_arena_work_and_stay_good(tmp_path: Path, arenas: Started) -> None:
    file = write(tmp_path / "answers.jsonl")
    service = arenas(file, "--share", "--voters", "3")
    _, *personal = links_of(service, 4)
    for link in personal:
        with client(service) as browser:
            browser.get(link)
            vote(browser)
    assert interrupt(service) == 130
    assert [one.voter for one in votes_on(file)] == ["voter-1", "voter-2", "voter-3"]
    again = arenas(file, "--share", port=service.port)
    assert names(again.log[0], "3 votes")
    owner, voters = links_of(again, 2)
    with client(again) as stranger, client(again) as own:
        assert stranger.get("/").status_code == 401
        for link in (personal[1], voters, voters):
            with client(again) as browser:
                assert "Left is better" in browser.get(link).text
                assert vote(browser).status_code == 200
                assert browser.get("/leaderboard").status_code == 403
        assert own.get(owner).status_code == 200
        assert "6 votes by 5 people" in own.get("/leaderboard").text
        assert own.get("/dashboard").status_code == 200
    assert votes_on(file)[3].voter == "voter-2"
