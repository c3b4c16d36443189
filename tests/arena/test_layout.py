"""What pages look like in a browser: words stay whole, and what one can do is in comparison."""

from importlib import resources

from arena.standing.cases import hostile
from arena.standing.crowd import crowd_study
from playwright.sync_api import Browser, Page

from duelist.arena.content.showing import as_html
from duelist.arena.pages import dashboard_page, leaderboard_page
from duelist.arena.standing import standing_of
from duelist.web.page import Viewer

SHEETS = ("style.css", "arena.css", "voting.css")
LINES = "one => { const all = new Range(); all.selectNodeContents(one); return all.getClientRects().length; }"
"""On how many lines the text of an element stands."""
TABLE = """
| Column | Another column | A third one | Fourth | Fifth |
| --- | --- | --- | --- | --- |
| a | something longer | b | 12.5 | yes |
"""


def shown(browser: Browser, content: str, width: int) -> Page:
    """Open a page with the style sheets of an arena."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(content)
    for name in SHEETS:
        page.add_style_tag(content=resources.files("duelist.web").joinpath("static", name).read_text("utf-8"))
    return page


def test_words_in_tables_stay_whole_on_a_phone(browser: Browser) -> None:
    output = as_html(f"{TABLE}\n\n{200 * 'x'}")
    page = shown(browser, f'<body class="live"><main><div class="output">{output}</div></main>', 320)
    for text in ("Column", "12.5", "yes"):
        assert page.get_by_text(text, exact=True).evaluate(LINES) == 1, text
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.close()


def test_votes_can_be_taken_back_without_scrolling_sideways(browser: Browser) -> None:
    urls = {name: f"/{name}" for name in ("export_csv", "export_jsonl", "import_votes", "add_arm")}
    urls |= {name: f"/{name}" for name in ("retire_arm", "retract", "close")}
    page = shown(browser, dashboard_page("Poems", standing_of(hostile()), Viewer(urls, admin=True)), 1280)
    buttons = page.get_by_role("button", name="Retract vote")
    assert buttons.count() > 0
    button = buttons.first.bounding_box()
    table = page.locator(".scroll", has=page.locator(".last")).bounding_box()
    assert button is not None
    assert table is not None
    assert button["x"] + button["width"] <= table["x"] + table["width"]
    page.close()


def test_no_name_is_cut_beside_who_beats_whom(browser: Browser) -> None:
    study, *_ = crowd_study(1, k=4)
    for arm in range(4):
        study.add_arm(f"mistralai/Mixtral-8x22B-{arm}")
    page = shown(browser, leaderboard_page("Models", standing_of(study), Viewer({})), 390)
    names = page.locator(".matrix tbody th")
    assert names.count() == 8
    assert names.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
    page.close()
