"""What an HTML page is made of, for tests of pages."""

from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr"}


class Outline(HTMLParser):
    """Checks that every element is closed, and collects texts and ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str | None] = Counter()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.ids.update(value for key, value in attrs if key == "id")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.ids.update(value for key, value in attrs if key == "id")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
