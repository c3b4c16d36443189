"""What an HTML page is made of, for tests of pages."""

from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "link", "input"}


class Outline(HTMLParser):
    """Checks that every element is closed, and collects texts, ids and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str | None] = Counter()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.ids.update(value for key, value in attrs if key == "id")
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def check(self, tables: int, figures: int) -> None:
        """Check that a page is well-formed and accessible, with one title and so many tables and figures."""
        assert self.open == []
        assert (self.tags["h1"], self.tags["table"], self.tags["svg"]) == (1, tables, figures)
        assert set(self.ids.values()) == {1}
        self.check_tables()
        self.check_style()
        self.check_scrolling()

    def check_tables(self) -> None:
        """Check that every table has a caption, and every header cell says what it heads."""
        assert self.tags["caption"] == self.tags["table"]
        scopes = [attributes.get("scope") for tag, attributes in self.elements if tag == "th"]
        assert set(scopes) == {"col", "row"}

    def check_style(self) -> None:
        """Check that the one style sheet is all there is of style, and that there is no script."""
        assert self.tags["style"] == 1
        assert self.tags["script"] == 0
        for tag, attributes in self.elements:
            assert not [name for name in attributes if name == "style" or name.startswith("on")], tag

    def check_scrolling(self) -> None:
        """Check that what scrolls can be reached by keyboard, and has a name."""
        for _, attributes in self.elements:
            if attributes.get("class") == "scroll":
                assert attributes["tabindex"] == "0"
                assert attributes["aria-label"]
