"""The pages of a standing: whole and accessible whatever the study is like, and light."""

import re
from collections.abc import Callable
from importlib import resources

import pytest
from arena.standing.cases import HOSTILE, STUDIES, changed, closed, hostile, hundred, no_votes
from arena.standing.crowd import crowd_study, vote
from contrast import contrast
from page_outline import Outline
from refusals import names

from duelist import Duel, Study
from duelist.arena.pages import MOST_VOTERS, StudyLine, dashboard_page, leaderboard_page, studies_page
from duelist.arena.standing import standing_of
from duelist.learners import Uniform
from duelist.web.page import Viewer

FORMS = ("add_arm", "retire_arm", "retract", "import_votes", "close")
PAGES = ("vote", "leaderboard", "dashboard")
OWNER = Viewer(
    {name: f"/{name}" for name in (*PAGES, "events", "export_csv", "export_jsonl", *FORMS)},
    {name: name.title() for name in PAGES},
    admin=True,
    token="se<cret",
    scripts=("live.js",),
)
LIMIT = 100_000


def check(page: str) -> Outline:
    """Check that a page is whole, accessible, light, and has nothing that a strict policy forbids."""
    outline = Outline(page)
    assert outline.open == []
    assert outline.tags["h1"] == outline.tags["main"] == 1
    assert set(outline.ids.values()) <= {1}
    if outline.tags["table"]:
        outline.check_tables()
    outline.check_scrolling()
    assert outline.tags["style"] == 0
    for tag, attributes in outline.elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")], tag
        assert tag != "script" or attributes == {"type": "module", "src": "/static/live.js"}
        if tag == "svg" and "viewbox" not in attributes:
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in outline.ids
    assert "\u202e" not in page
    assert len(page.encode()) <= LIMIT
    return outline


@pytest.mark.parametrize("make", STUDIES)
def test_pages_are_whole_whatever_the_study_is_like(make: Callable[[], Study]) -> None:
    study = make()
    standing = standing_of(study, votes_left=(60.0, 200.0))
    for write in (leaderboard_page, dashboard_page):
        outline = check(write(study.arms[0], standing, OWNER))
        texts = "".join(outline.texts)
        assert standing.verdict in texts
        (main,) = (attributes for tag, attributes in outline.elements if tag == "main")
        assert main["data-live"] == "/events"
        assert main["data-seq"] == str(standing.seq)
        assert ("about 60 to 200 more" in texts) == (not standing.done and not standing.closed)
        assert "49{%" not in texts


def test_the_leaderboard_says_everything() -> None:
    standing = standing_of(changed())
    outline = check(leaderboard_page("Poems", standing, OWNER))
    texts = "".join(outline.texts)
    for arm in standing.leaderboard.rows[:3]:
        assert arm.rating is not None
        assert arm.low is not None
        assert arm.high is not None
        assert f"{arm.rating:,.0f}" in outline.texts
        assert f"{arm.low:,.0f} to {arm.high:,.0f}" in outline.texts
    for row in standing.pairs:
        for pair in row:
            if pair is not None and pair.votes:
                tied = f"+{pair.ties:g}" if pair.ties else ""
                assert f"{pair.wins:g}{tied}/{pair.votes:g}" in outline.texts
    assert "1,080 votes by 18 people" in outline.texts
    assert texts.count("retired") == 1
    assert "no votes" in outline.texts
    assert (outline.tags["table"], outline.tags["circle"]) == (2, 6)


def test_of_very_many_arms_the_best_are_compared_and_it_says_so() -> None:
    standing = standing_of(hundred())
    outline = check(leaderboard_page("Poems", standing, OWNER))
    assert "30 best of 100 arms" in "".join(outline.texts)
    assert outline.tags["tr"] == 1 + 100 + 1 + 30
    assert outline.tags["circle"] == 30
    assert {arm.arm for arm in standing.leaderboard.rows} <= set(outline.texts)


def test_the_dashboard_shows_marks_and_judges() -> None:
    study, person, rng = crowd_study(1)
    vote(study, "hasty", person, 30, rng, pause=0.3)
    vote(study, "judge: exact", person, 30, rng)
    outline = check(dashboard_page("Poems", standing_of(study), OWNER, ["Item 3 was left out."]))
    assert any(names(text, "10 votes", "10 seconds") for text in outline.texts)
    assert "Item 3 was left out." in outline.texts
    assert (
        outline.texts.index("hasty") < outline.texts.index("person 0") < outline.texts.index("judge: exact")
    )
    assert "1,140 votes by 19 people and 1 judge" in outline.texts


def test_of_many_voters_those_with_the_most_votes_are_listed() -> None:
    study, person, rng = crowd_study(1, people=60, votes=3)
    vote(study, "busy", person, 20, rng)
    page = dashboard_page("Poems", standing_of(study), OWNER)
    assert "11 more" in page
    assert page.count('<td class="marks">') == MOST_VOTERS
    assert "busy" in page


def test_forms_carry_the_token_and_are_for_admins() -> None:
    standing = standing_of(changed())
    outline = check(dashboard_page("Poems", standing, OWNER))
    forms = [attributes for tag, attributes in outline.elements if tag == "form"]
    assert {form["action"] for form in forms} == {f"/{name}" for name in FORMS}
    assert {form["method"] for form in forms} == {"post"}
    tokens = [one for tag, one in outline.elements if tag == "input" and one["name"] == "token"]
    assert len(tokens) == len(forms) == 4 + 20 + 1
    assert {one["value"] for one in tokens} == {"se<cret"}
    shown = [one["value"] for tag, one in outline.elements if tag == "option"]
    assert shown == ["", *(str(arm.number) for arm in standing.leaderboard.rows if not arm.retired)]
    tickets = [
        one["value"]
        for tag, one in outline.elements
        if tag == "input" and one["name"] == "ticket" and "value" in one
    ]
    assert tickets == [one.ticket for one in standing.last]
    reader = Viewer({"leaderboard": "/l", "dashboard": "/d"}, {"leaderboard": "L", "dashboard": "D"})
    plain = check(dashboard_page("Poems", standing, reader))
    assert plain.tags["form"] == plain.tags["input"] == plain.tags["script"] == 0
    assert [one["href"] for tag, one in plain.elements if tag == "a"] == ["#content", "/l", "/d"]


def test_a_closed_study_has_no_forms_but_exports() -> None:
    outline = check(dashboard_page("Poems", standing_of(closed()), OWNER))
    assert outline.tags["form"] == 0
    links = [one["href"] for tag, one in outline.elements if tag == "a"]
    assert {"/export_csv", "/export_jsonl"} <= set(links)


def test_the_page_one_is_on_is_marked() -> None:
    for write, page in ((leaderboard_page, "/leaderboard"), (dashboard_page, "/dashboard")):
        outline = Outline(write("Poems", standing_of(no_votes()), OWNER))
        assert [one["href"] for _, one in outline.elements if one.get("aria-current") == "page"] == [page]


def test_studies_are_listed() -> None:
    lines = [
        StudyLine("Poems", "/poems", "haiku", 0.87654, 412, "voting"),
        StudyLine(HOSTILE[0], "/odd", HOSTILE[3], None, 7, "closed"),
        StudyLine("New", "/new", None, 0.0, 0, "voting"),
    ]
    outline = check(studies_page("Studies", lines, OWNER))
    assert {"Poems", "haiku", "87.6%", "412"} <= set(outline.texts)
    assert Outline(studies_page("Studies", [], OWNER)).tags["table"] == 0


def test_hostile_names_are_texts() -> None:
    standing = standing_of(hostile())
    for write in (leaderboard_page, dashboard_page):
        page = write(HOSTILE[0], standing, OWNER)
        assert "<script>alert" not in page
        assert '<b>"' not in page
        assert "<i>" not in page
        assert "{{ 7 * 7 }}{% raw %}" in "".join(Outline(page).texts)


def test_cells_of_the_heat_map_can_be_read() -> None:
    sheets = resources.files("duelist.web").joinpath("static")
    style, arena = (sheets.joinpath(name).read_text(encoding="utf-8") for name in ("style.css", "arena.css"))
    screens = []
    for sheet in (style, arena):
        blocks = re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)
        screens.append([dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in blocks])
    mixes = re.findall(r"\.heat-\d+ \{ background: color-mix\(in srgb, var\(--(\w+)\) (\d+)%", style)
    assert len(mixes) == 10
    light = screens[0][0] | screens[1][0]
    for colours in (light, light | screens[0][1] | screens[1][1]):
        for name, percent in mixes:
            whole, paper = (bytes.fromhex(colours[one][1:]) for one in (name, "paper"))
            part = int(percent) / 100.0
            mixed = [
                round(part * one + (1.0 - part) * other) for one, other in zip(whole, paper, strict=True)
            ]
            assert contrast(colours["ink"], "#" + bytes(mixed).hex()) >= 4.5, (name, percent)
        assert contrast(colours["on-accent"], colours["accent"]) >= 4.5


def test_arms_whose_names_begin_and_end_alike_are_told_apart_everywhere() -> None:
    names = [
        f"You are a poet. {'Be kind. ' * 8}Use {form}. {'Be brief. ' * 8}" for form in ("haiku", "prose")
    ]
    study = Study(Uniform(), arms=names)
    for number in range(30):
        study.tell(Duel(names[0], names[1]), "left" if number % 10 else "right", voter=f"voter {number}")
    standing = standing_of(study)
    for page in (leaderboard_page("Poems", standing, OWNER), dashboard_page("Poems", standing, OWNER)):
        texts = Outline(page).texts
        shown = [text for text in texts if text.startswith("You are") and text != standing.verdict]
        # in the chart or its legend, in tables, and in the list of arms to retire
        assert len(shown) >= 6
        assert {("haiku" in text) + ("prose" in text) for text in shown} == {1}
        assert sum("haiku" in text for text in shown) == len(shown) / 2
    assert standing.leader == names[0]
    assert "haiku" in standing.verdict
