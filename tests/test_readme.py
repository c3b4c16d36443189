"""What the README and the pages show is true: examples run, links lead somewhere."""

import json
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from documents import DOCS, FENCE, PAGES, ROOT, fences
from typer.testing import CliRunner

import duelist
from docs.gallery import CHOICE, with_table
from docs.gallery import KEPT as RESULTS
from docs.votes_needed import FIGURE, KEPT, PAGE, figure
from docs.votes_needed import with_table as with_votes
from duelist import RUCB
from duelist.checks import yield_learner_checks
from duelist.cli.main import app
from duelist.journal.codec import KINDS
from duelist.journal.events import FORMAT
from duelist.registry import learners_for

README = (ROOT / "README.md").read_text("utf-8")
ELSEWHERE = {"client.md": 4, "plugins.md": 1}
"""Pages whose examples are run by other tests or are about code of the reader's, and how many they are."""


def blocks(path: Path) -> list[str]:
    return [one.code for one in fences(path.read_text("utf-8")) if one.language == "python"]


def run(folder: Path, *examples: str) -> tuple[dict[str, Any], set[str]]:
    """Return the names that examples define, and the files that they leave in a folder."""
    names: dict[str, Any] = {}
    for example in examples:
        exec(example, names)
    # beside a journal lie its key and its index
    return names, {path.name for path in folder.iterdir() if ".jsonl." not in path.name}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_example_is_run_by_a_test() -> None:
    here = {"README.md", "contexts.md", "from-your-data.md", "laboratory.md", "rankings.md"}
    here |= {"journals.md", "ratings.md", "replay.md", "stopping.md", "studies.md"}
    assert {path.name for path in PAGES if blocks(path)} == here | ELSEWHERE.keys()
    assert {name: len(blocks(DOCS / name)) for name in ELSEWHERE} == ELSEWHERE


def test_the_readme_is_short_and_its_example_ends_with_a_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(README.splitlines()) <= 120
    [block] = blocks(ROOT / "README.md")
    names, written = run(folder, block)
    assert {name for name in written if not name.startswith("votes.db-")} == {"votes.db"}
    assert names["study"].best() == "dense"
    assert capsys.readouterr().out.startswith("dense is the winner: it beats every other arm. ")


@pytest.mark.parametrize(
    ("page", "place", "written"),
    [
        ("from-your-data", 0, set()),
        ("rankings", 0, set()),
        ("contexts", 1, {"duels.csv", "policy.json"}),
        ("laboratory", 0, {"regret.svg", "result.npz"}),
        ("laboratory", 1, set()),
    ],
)
def test_each_example_of_a_page_runs_alone(page: str, place: int, written: set[str], folder: Path) -> None:
    assert run(folder, blocks(DOCS / f"{page}.md")[place])[1] == written


def test_the_page_about_contexts_finds_the_best_option_by_its_features(folder: Path) -> None:
    names, written = run(folder, blocks(DOCS / "contexts.md")[0])
    study, features = names["layouts"], names["features"]
    assert study.best(context=[], features=features) == "teaser"
    assert study.best(context=[], features=features[[1, 0, 2]]) == "essay"
    assert written == set()


def test_the_page_about_votes_imports_as_many_as_it_says(folder: Path) -> None:
    names, _ = run(folder, *blocks(DOCS / "from-your-data.md"))
    assert names["study"].answers == 60
    assert names["study"].import_votes(names["votes"]) == 0


def test_the_page_about_votes_shows_what_is_printed_and_written(folder: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need an extra")
    page = fences((DOCS / "from-your-data.md").read_text("utf-8"))
    (votes,) = (one.code for one in page if one.language == "csv")
    (shown,) = (one.code for one in page if one.language == "text")
    (command,) = (one.code for one in page if one.code.startswith("duelist analyze votes.csv"))
    Path("votes.csv").write_text(votes)
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    outcome = runner.invoke(app, command.split()[1:])
    assert outcome.exit_code == 0, outcome.output
    printed = [line.rstrip() for line in outcome.stdout.splitlines()]
    assert printed[: len(shown.splitlines())] == shown.splitlines()
    assert sorted(path.name for path in Path("report").iterdir()) == [
        "leaderboard.csv",
        "leaderboard.svg",
        "report.html",
    ]


def test_the_page_about_studies_runs(folder: Path) -> None:
    first, state, items, lists, ranking = blocks(DOCS / "studies.md")
    names, _ = run(folder, first, state)
    assert names["study"].arms == ("a", "b", "d")
    assert names["study"].best() == "b"
    assert (names["state"].shown, names["state"].retired) == (("a", "b", "d"), ("c",))
    exec(items, names)
    assert names["duel"].item in names["questions"]
    assert names["study"].votes()[0].item == names["duel"].item
    exec(lists, names)
    assert {*names["shown"].documents, *names["more"].documents} == {"d1", "d2", "d3", "d4"}
    assert names["study"].answers == 1
    exec(ranking, names)
    assert {*names["shown"].documents} <= {*names["names"]}
    assert names["study"].answers == 1
    assert names["study"].best().d == 46


def test_the_page_about_journals_runs(folder: Path) -> None:
    journal, database, checks = blocks(DOCS / "journals.md")
    names, written = run(folder, journal, database)
    assert "studies.db" in written
    assert [recorded.event.ticket for recorded in names["journal"].read(keys=["q7Zb"])] == ["q7Zb"]
    assert "MyJournal(...)" in checks, "of the reader's"


def test_the_page_about_ratings_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, _ = run(folder, *blocks(DOCS / "ratings.md"))
    assert names["found"].arms == ("bm25", "dense", "splade")
    assert capsys.readouterr().out == f"{names['found'].table()}\n"


def test_the_page_about_stopping_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [block] = blocks(DOCS / "stopping.md")
    names, _ = run(folder, block)
    assert names["study"].best() == names["verdict"].winner == "a"
    undecided, *_, verdict = capsys.readouterr().out.splitlines()
    assert undecided.startswith("Undecided")
    assert verdict == str(names["verdict"])
    assert verdict in block


def test_the_page_about_replays_runs(folder: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need an extra")
    names, written = run(folder, *blocks(DOCS / "replay.md"))
    assert names["result"].winner == "a"
    assert written == {"replay.svg"}


def test_the_table_of_learners_has_every_learner() -> None:
    page = CHOICE.read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(learners_for("arms"))
    assert with_table(page) == page, "run make derived"


def rows_below(page: str, head: str) -> list[list[str]]:
    """Return the cells of the table whose first line begins like that, without its head."""
    lines = page[page.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def in_code(cell: str) -> list[str]:
    """Return the inline code of a cell."""
    return re.findall(r"`([^`]+)`", cell)


def test_the_page_about_journals_names_every_event_and_every_field_as_it_is_written() -> None:
    rows = rows_below((DOCS / "journals.md").read_text("utf-8"), "| event | what happened |")
    written = {
        kind.__struct_config__.tag: [one.encode_name for one in msgspec.structs.fields(kind)][1:]
        for kind in KINDS
    }
    assert {in_code(row[0])[0]: in_code(row[2]) for row in rows} == written


def test_the_page_about_learners_of_ones_own_names_every_check() -> None:
    rows = rows_below((DOCS / "plugins.md").read_text("utf-8"), "| check | requires |")
    assert [in_code(row[0])[0] for row in rows] == [name for name, _ in yield_learner_checks(RUCB())]


def test_the_page_about_stability_names_modules_with_public_names() -> None:
    page = (DOCS / "stability.md").read_text("utf-8")
    rows = {row[0]: in_code(row[1]) for row in rows_below(page, "| part | public is |")}
    named = [name for name in rows["modules"] if name.startswith("duelist.")]
    assert named == sorted(named)
    assert all(import_module(name).__all__ for name in named)
    exported = [name for name in duelist.__all__ if isinstance(getattr(duelist, name), ModuleType)]
    assert {f"duelist.{name}" for name in exported} <= {*named, *rows["modules without `__all__`"]}
    formats = rows_below(page, "| format | written by |")
    assert [int(row[0]) for row in formats] == [*range(1, FORMAT + 1)]


def anchors(page: str) -> set[str]:
    """Return what links may point to in a page: its headings, as they are turned into addresses."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


LINKING = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / "reproductions").rglob("README.md"))]


@pytest.mark.parametrize("path", LINKING, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
        if not link.startswith(("http://", "https://")):
            file, _, anchor = link.partition("#")
            target = path.parent / file if file else path
            assert target.exists(), link
            assert not anchor or anchor in anchors(target.read_text("utf-8")), link


def test_the_figure_and_the_table_of_votes_needed_are_what_was_measured() -> None:
    kept = json.loads(KEPT.read_text("utf-8"))
    assert FIGURE.read_text("utf-8") == figure(kept), "run docs/votes_needed.py"
    page = PAGE.read_text("utf-8")
    assert with_votes(page, kept) == page, "run docs/votes_needed.py"
    sure = {one["file"]: {line["learner"]: line["until_sure"] for line in one["learners"]} for one in kept}
    picture = re.search(r"!\[(.*?)\]\(docs/images/votes-needed.svg\)", README)
    assert picture is not None
    assert re.findall(r"[\d,]+\d", picture[1]) == [
        f"{one[learner]:,}" for learner in ("Auto", "Uniform") for one in sure.values()
    ]
    assert [round(one["Uniform"] / one["Auto"]) for one in sure.values()] == [17, 12]


def test_the_readme_counts_the_claims_as_they_came_out() -> None:
    items = json.loads(RESULTS.read_text("utf-8"))["items"]
    holds = [verdict["holds"] for item in items for verdict in item["verdicts"]]
    [line] = re.findall(r"^- \*\*The learners.*?(?=^-)", README, re.MULTILINE | re.DOTALL)
    assert re.findall(r"\d+", line) == [str(len(holds)), str(holds.count(True)), str(holds.count(False))]


def test_the_figure_is_legible_in_light_and_dark() -> None:
    drawing = FIGURE.read_text("utf-8")
    assert "@media (prefers-color-scheme: dark)" in drawing
    assert drawing.count("<circle") == 18
    assert "<title>" in drawing
    assert "<desc>" in drawing
    assert "http" not in drawing.replace("http://www.w3.org/2000/svg", "")
