"""How the tests read a page of HTML."""

from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Tags(HTMLParser):
    """The tags of a page in order, each with its attributes and the texts behind it; `crossed` are those closed too late."""

    def __init__(self, page: str):
        super().__init__()
        self.found, self.open, self.crossed = [], [], []
        self.feed(page)
        self.crossed += self.open

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), []))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID and self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data):
        if self.found:
            self.found[-1][2].append(data)

    def all(self, tag) -> list[tuple[dict, str]]:
        return [(attributes, "".join(texts).strip()) for name, attributes, texts in self.found if name == tag]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes, _ in self.found if "id" in attributes]
