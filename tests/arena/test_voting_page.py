"""The voting page in a real browser: by mouse and by keys, without scripts, through crashes."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Literal

import httpx
import msgspec
import pytest
from browsing import Opened, Started, violations_on, write_answers
from playwright.sync_api import Page, expect
from sockets import Served, on_socket

from duelist import Study
from duelist.arena.app import create_app
from duelist.arena.content.reading import read_material
from duelist.arena.running import open_study, votes_path
from duelist.arena.site import Arena
from duelist.database import Database
from duelist.service.settings import Settings
from duelist.votes.formats import ABOUT_ARMS

SCREENS: tuple[tuple[int, Literal["dark", "light"]], ...] = ((320, "dark"), (1280, "light"))


def served_arena(file: Path) -> AbstractContextManager[Served]:
    """Serve an arena for the block, in the tests' own process."""
    material, place = read_material(file), votes_path(file)
    with Database(place) as database:
        open_study(database, material)
    settings = Settings(database=str(place), is_open=True, logs=False)
    return on_socket(create_app(settings, Arena(material=material)))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An arena for all tests that only add votes: each browser is a voter of its own."""
    with served_arena(write_answers(tmp_path_factory.mktemp("arena") / "answers.jsonl")) as served:
        yield served


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Return what serves an arena without votes, which ends with the test."""
    with ExitStack() as running:

        def serve(**sizes: int) -> Served:
            return running.enter_context(served_arena(write_answers(tmp_path / "answers.jsonl", **sizes)))

        yield serve


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


def push(page: Page, name: str) -> None:
    """Push a button; on a page behind another one it would take seconds."""
    page.bring_to_front()
    page.get_by_role("button", name=re.compile(name)).click()


def click(page: Page, name: str) -> None:
    """Vote by a button, and wait for the next duel."""
    before = ticket_on(page)
    push(page, name)
    expect(page.locator(".duel input[name=ticket]")).not_to_have_value(before)


def voters_in(file: Path) -> set[str | None]:
    """Return the names of all who voted, read past the service."""
    with Database(f"{file}.votes.db") as database:
        return {vote.voter for vote in Study.open(database.journal("arena")).votes()}


def said_in(url: str) -> list[str]:
    """Return what everybody has said, as the export has it: outcomes and statuses."""
    rows = map(msgspec.json.decode, httpx.get(f"{url}/votes.jsonl").text.splitlines())
    return [f"{row['outcome']} {row['status']}" for row in rows if row["status"] not in ABOUT_ARMS]


def test_by_mouse_and_by_keys(fresh: Callable[..., Served], opened: Opened) -> None:
    service = fresh()
    page = opened(service.url)
    expect(page.locator(".progress")).to_contain_text("first vote")
    for name in ("Left is better", "Right is better", "Tie", "Skip"):
        click(page, name)
    for key in ("ArrowLeft", "ArrowRight", "t", "S"):
        press(page, key)
    said = ["left counted", "right counted", "tie counted", "None skipped"]
    assert said_in(service.url) == said + said
    expect(page.locator(".progress")).to_contain_text(re.compile("6 votes .*yours"))
    # keys with others pressed are the browser's
    before = ticket_on(page)
    page.keyboard.press("Control+ArrowLeft")
    page.reload()
    assert ticket_on(page) == before


def test_without_scripts(shared: Served, opened: Opened) -> None:
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


def test_undo_shows_the_same_duel_again(shared: Served, opened: Opened) -> None:
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


def test_two_browsers_reload_and_back(shared: Served, opened: Opened) -> None:
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


def test_an_old_form_says_the_first_answer_stands(shared: Served, opened: Opened) -> None:
    page = opened(shared.url, java_script_enabled=False, faults=True)
    old = page.context.new_page()
    old.goto(shared.url)
    assert ticket_on(old) == ticket_on(page)
    click(page, "Left is better")
    push(old, "Left is better")  # the same again: it counts once
    assert ticket_on(old) == ticket_on(page)
    again = page.context.new_page()
    again.goto(shared.url)
    click(page, "Left is better")
    push(again, "Right is better")
    expect(again.locator(".duel")).to_have_count(0)
    again.locator("main").get_by_role("link").click()
    assert ticket_on(again) == ticket_on(page)


def test_a_crash_and_an_end_in_order(tmp_path: Path, arenas: Started, opened: Opened) -> None:
    file = write_answers(tmp_path / "answers.jsonl")
    service = arenas(file)
    pages = [opened(service.url, faults=True, java_script_enabled=scripts) for scripts in (True, False)]
    for page in pages:
        click(page, "Left is better")
    shown = [shown_on(page) for page in pages]
    service.kill()
    pages[0].keyboard.press("ArrowLeft")
    expect(pages[0].locator(".fault")).to_contain_text("Vote again")
    again = arenas(file, port=service.port)
    # the pages that were open vote on, as the same voters, on the duels that they show
    for page in pages:
        click(page, "Right is better")
    assert said_in(again.url) == ["left counted"] * 2 + ["right counted"] * 2
    assert all(shown_on(page) != before for page, before in zip(pages, shown, strict=True))
    assert len(voters_in(file)) == 2
    expect(pages[1].locator(".progress")).to_contain_text(re.compile("4 votes .*2 .*yours"))
    with httpx.stream("GET", f"{again.url}/events", timeout=60.0) as stream:
        lines = stream.iter_lines()
        while not next(lines).startswith("data:"):
            pass
        # told to stop, a service ends its streams, for which it would wait otherwise
        assert again.stop() == 0
        assert list(lines) == [""]


def test_who_has_seen_everything_is_thanked(fresh: Callable[..., Served], opened: Opened) -> None:
    service = fresh(arms=2, items=3)
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


def test_pages_are_accessible_and_narrow(shared: Served, opened: Opened) -> None:
    page = opened(shared.url)
    press(page, "ArrowLeft")
    for path in ("/", "/leaderboard", "/dashboard"):
        page.goto(shared.url + path)
        for width, scheme in SCREENS:
            page.set_viewport_size({"width": width, "height": 640})
            page.emulate_media(color_scheme=scheme)
            assert violations_on(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_everything_can_be_reached_by_the_keyboard(shared: Served, opened: Opened) -> None:
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


def test_results_are_live(fresh: Callable[..., Served], opened: Opened) -> None:
    service = fresh()
    board, voter = opened(f"{service.url}/leaderboard"), opened(service.url)
    expect(board.locator("main")).to_contain_text("0 votes")
    press(voter, "ArrowLeft")
    expect(board.locator("main")).to_contain_text("1 vote by 1 person", timeout=15_000)
