"""A real browser for tests of pages, and real arenas in processes that are stopped after the test."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from browser_path import MISSING, find_browser
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.processes import Service, start_arena

REQUIRED = "DUELIST_REQUIRE_BROWSER"
"""The environment variable by which tests of pages fail without a browser instead of being skipped."""
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
Started = Callable[..., Service]
Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return the system's browser; while it is open, no other test can run an event loop."""
    found = find_browser()
    if found is None:
        leave_out = pytest.fail if os.environ.get(REQUIRED) else pytest.skip
        leave_out(MISSING)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=OPTIONS)
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Return a function that opens a page in a separate context and checks for blocked or failed requests.

    With `faults=True` the page may fail, as where a server is killed.
    """
    contexts: list[tuple[BrowserContext, list[str], bool]] = []

    def open_page(address: str, faults: bool = False, **options: Any) -> Page:
        context = browser.new_context(**options)
        said: list[str] = []
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        contexts.append((context, said, faults))
        page.goto(address)
        return page

    yield open_page
    for context, said, faults in contexts:
        context.close()
        assert faults or not said, said


@pytest.fixture
def arenas() -> Iterator[Started]:
    """Return a function that starts arenas, which are stopped after the test."""
    with ExitStack() as running:

        def start(file: Path, *options: str, port: int = 0) -> Service:
            service = start_arena(file, *options, port=port)
            running.callback(service.kill)
            return service

        yield start


def violations_on(page: Page) -> list[str]:
    """Return the accessibility violations that axe finds on a page."""
    # evaluated by the driver, to which the page's content security policy does not apply
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    # passed checks are omitted, because their list is long
    run = "async () => (await axe.run({resultTypes: ['violations']})).violations"
    found = page.evaluate(run)
    return [f"{one['id']}: {one['help']} {[node['html'] for node in one['nodes']]}" for one in found]


def write_answers(path: Path, arms: int = 4, items: int = 5) -> Path:
    """Write a file of outputs in which only a field names the arm."""
    lines = [
        {"item": f"Question {item}?", "arm": f"secret-{arm}", "output": f"Text {item * 7 + arm * 3}"}
        for item in range(items)
        for arm in range(arms)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
