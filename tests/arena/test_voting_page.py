"""The voting page in a real browser: by mouse and by keys, without scripts, through crashes."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest
from browsing import Opened, Started, violations_on, write_answers
from playwright.sync_api import Page, expect

from benchmarks.processes import Service, start_arena
from duelist import Study
from duelist.database import Database


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """An arena for all tests that only add votes: each browser is a voter of its own."""
    service = start_arena(write_answers(tmp_path_factory.mktemp("arena") / "answers.jsonl"))
    yield service
    service.kill()


def ticket_on(page: Page) -> str:
    return page.locator(".duel input[name=ticket]").get_attribute("value") or ""


def shown_on(page: Page) -> tuple[str, str, str]:
    left, right = (page.locator(f"section[aria-labelledby={side}] .output") for side in ("left", "right"))
    return page.locator(".item").inner_text(), left.inner_text(), right.inner_text()


def press(page: Page, key: str) -> None:
    """Vote by a key, and wait for the next duel."""
    before = ticket_on(page)
    page.keyboard.press(key)
    expect(page.locator(".duel input[name=ticket]")).not_to_have_value(before)


def click(page: Page, name: str) -> None:
    """Vote by a button, and wait for the next duel."""
    before = ticket_on(page)
    page.get_by_role("button", name=re.compile(name)).click()
    expect(page.locator(".duel input[name=ticket]")).not_to_have_value(before)


def voters_in(file: Path) -> set[str | None]:
    """Return the names of all who voted, read past the service."""
    with Database(f"{file}.votes.db") as database:
        return {vote.voter for vote in Study.open(database.journal("arena")).votes()}


def voters_events(service: Service, page: Page) -> list[str]:
    """Return what the voter of a page has said, as the export has it: outcomes and statuses."""
    lines = page.request.get(f"{service.url}/votes.jsonl").text().splitlines()
    return [f"{msgspec.json.decode(line)['outcome']} {msgspec.json.decode(line)['status']}" for line in lines]


def test_by_mouse_and_by_keys(tmp_path: Path, arenas: Started, opened: Opened) -> None:
    service = arenas(write_answers(tmp_path / "answers.jsonl"))
    page = opened(service.url)
    expect(page.locator(".progress")).to_have_text("Yours will be the first vote.")
    for name in ("Left is better", "Right is better", "Tie", "Skip"):
        click(page, name)
    for key in ("ArrowLeft", "ArrowRight", "t", "S"):
        press(page, key)
    said = ["left counted", "right counted", "tie counted", "None skipped"]
    assert voters_events(service, page) == said + said
    expect(page.locator(".progress")).to_contain_text("6 votes so far, all of them yours")
    # keys with others pressed are the browser's
    before = ticket_on(page)
    page.keyboard.press("Control+ArrowLeft")
    page.reload()
    assert ticket_on(page) == before


def test_without_scripts(shared: Service, opened: Opened) -> None:
    page = opened(shared.url, java_script_enabled=False)
    seen = [shown_on(page)]
    for name in ("Left is better", "Tie", "Skip", "Right is better"):
        click(page, name)
        seen.append(shown_on(page))
    assert len(set(seen)) == len(seen)
    expect(page.locator(".progress")).to_contain_text("yours")
    page.get_by_role("button", name="Undo my last vote").click()
    assert shown_on(page) == seen[-2]
    expect(page.locator(".undo")).to_have_count(0)


def test_undo_shows_the_same_duel_again(shared: Service, opened: Opened) -> None:
    page = opened(shared.url)
    first = shown_on(page)
    press(page, "ArrowLeft")
    second = shown_on(page)
    assert second != first
    press(page, "u")
    assert shown_on(page) == first
    press(page, "ArrowRight")
    assert shown_on(page) == second
    # a skip is no vote, and what came before it is not undone by mistake
    press(page, "s")
    expect(page.locator(".undo")).to_have_count(0)


def test_two_browsers_reload_and_back(shared: Service, opened: Opened) -> None:
    one, other = opened(shared.url), opened(shared.url)
    assert ticket_on(one) != ticket_on(other)
    before = ticket_on(one)
    press(other, "ArrowLeft")
    one.reload()
    assert ticket_on(one) == before
    expect(one.locator(".progress")).not_to_contain_text("yours")
    # who goes back is shown what is open now, and cannot vote twice on one duel
    one.goto(f"{shared.url}/leaderboard")
    one.go_back()
    assert ticket_on(one) == before
    press(one, "ArrowRight")
    after = ticket_on(one)
    one.reload()
    assert ticket_on(one) == after


def test_an_old_form_says_the_first_answer_stands(shared: Service, opened: Opened) -> None:
    page = opened(shared.url, java_script_enabled=False, faults=True)
    old = page.context.new_page()
    old.goto(shared.url)
    assert ticket_on(old) == ticket_on(page)
    click(page, "Left is better")
    old.get_by_role("button", name=re.compile("Left")).click()  # the same again: it counts once
    assert ticket_on(old) == ticket_on(page)
    again = page.context.new_page()
    again.goto(shared.url)
    click(page, "Left is better")
    again.get_by_role("button", name=re.compile("Right")).click()
    expect(again.locator("main")).to_contain_text("your first answer stands")
    again.get_by_role("link", name="Go on").click()
    assert ticket_on(again) == ticket_on(page)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_crash_in_the_middle(tmp_path: Path, arenas: Started, opened: Opened, scripts: bool) -> None:
    file = write_answers(tmp_path / "answers.jsonl")
    service = arenas(file)
    page = opened(service.url, faults=True, java_script_enabled=scripts)
    click(page, "Left is better")
    shown = shown_on(page)
    service.kill()
    if scripts:
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".fault")).to_contain_text("Vote again: it counts once")
    again = arenas(file, port=service.port)
    # the page that was open votes on, as the same voter, on the duel that it shows
    click(page, "Right is better")
    assert voters_events(again, page) == ["left counted", "right counted"]
    assert shown_on(page) != shown
    assert len(voters_in(file)) == 1
    expect(page.locator(".progress")).to_contain_text("2 votes so far, all of them yours")


def test_who_has_seen_everything_is_thanked(tmp_path: Path, arenas: Started, opened: Opened) -> None:
    service = arenas(write_answers(tmp_path / "answers.jsonl", arms=2, items=3))
    page = opened(service.url)
    seen = [shown_on(page)]
    for _ in range(2):
        press(page, "ArrowLeft")
        seen.append(shown_on(page))
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert {item for item, _, _ in seen} == {"Question 0?", "Question 1?", "Question 2?"}
    page.keyboard.press("u")
    expect(page.locator(".duel")).to_be_visible()
    assert shown_on(page) == seen[-1]


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1280, "light")])
def test_pages_are_accessible_and_narrow(shared: Service, opened: Opened, width: int, scheme: str) -> None:
    page = opened(shared.url, viewport={"width": width, "height": 640}, color_scheme=scheme)
    press(page, "ArrowLeft")
    for path in ("/", "/leaderboard", "/dashboard"):
        page.goto(shared.url + path)
        assert violations_on(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_everything_can_be_reached_by_the_keyboard(shared: Service, opened: Opened) -> None:
    page = opened(shared.url)
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText.split(' ').slice(0, 2).join(' ')"))
    looked_for = ["Skip to", "Vote", "Left is", "Right is"]
    assert [name for name in dict.fromkeys(reached) if name in looked_for] == looked_for
    before = ticket_on(page)
    page.get_by_role("button", name=re.compile("Tie")).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".duel input[name=ticket]")).not_to_have_value(before)


def test_results_are_live_and_end_with_the_service(tmp_path: Path, arenas: Started, opened: Opened) -> None:
    service = arenas(write_answers(tmp_path / "answers.jsonl"))
    board, voter = opened(f"{service.url}/leaderboard", faults=True), opened(service.url)
    expect(board.locator("main")).to_contain_text("0 votes")
    press(voter, "ArrowLeft")
    expect(board.locator("main")).to_contain_text("1 vote by 1 person", timeout=15_000)
    with httpx.stream("GET", f"{service.url}/events", timeout=60.0) as stream:
        lines = stream.iter_lines()
        while not next(lines).startswith("data:"):
            pass
        # told to stop, a service ends its streams, for which it would wait otherwise
        assert service.stop() == 0
        assert list(lines) == [""]
