"""The documentation's code blocks and the examples run against a real service."""

import inspect
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from refusals import names
from sockets import Served

from duelist.client import AsyncClient, Client

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "client.md").read_text(), re.DOTALL)
NAMED = "http://127.0.0.1:8321"


def run(code: str, service: Served) -> None:
    assert NAMED in code
    exec(code.replace(NAMED, service.url), {})


def run_example(
    name: str, answer: Callable[[str], str], service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run an example as a program, with somebody who answers what it asks."""
    monkeypatch.setattr(sys, "argv", [name, service.url])
    runpy.run_path(str(ROOT / "examples" / name), {"input": answer})


def test_the_vote(
    service: Served, client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def prefer_circles(question: str) -> str:
        return "left" if "circle (left)" in question else "right" if "circle (right)" in question else "tie"

    run_example("vote.py", prefer_circles, service, monkeypatch)
    verdict = client.study("logos").verdict()
    assert capsys.readouterr().out == f"{verdict}\n"
    assert verdict.winner == client.study("logos").best() == "circle"


def test_the_search_page(
    service: Served, client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_example("search_page.py", lambda question: "egret", service, monkeypatch)
    documents, best = capsys.readouterr().out.splitlines()
    assert sorted(documents.split()) == ["crane", "egret", "heron", "stork"]
    assert names(best, "dense")
    [vote] = client.study("search").votes()
    assert (vote.voter, vote.outcome) == ("visitor-17", "left" if vote.left == "dense" else "right")


def test_the_page_about_the_client(service: Served, client: Client) -> None:
    first, vote, search, tasks = BLOCKS
    run(first, service)
    home = client.study("home")
    before = home.answers
    assert before >= 1
    run(tasks, service)
    assert home.answers == before + 20
    for block, name in ((vote, "vote.py"), (search, "search_page.py")):
        assert (ROOT / "examples" / name).read_text().endswith(f'"""\n\n{block}')


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_examples_of_docstrings(kind: type[object], service: Served, client: Client) -> None:
    _, _, example = (inspect.getdoc(kind) or "").partition("::\n")
    run(dedent(example), service)
    assert {row.voter for row in client.study("home").votes()} >= {"visitor-17"}


def test_without_its_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['httpx'] = None; import duelist; duelist.Client('http://x')"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert names(failed.stderr.splitlines()[-1], "duelist.client", 'pip install "duelist[client]"')
