"""The index of the search page: every section of every page, its headings and its text, with anchors on the way.

What stands in a fold, or waits for a prediction, is marked: the search finds it, and does not show it.
"""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from tools.pages.glossary import terms

HEADINGS = ("h1", "h2", "h3")
WITHIN = {"a", "b", "code", "em", "i", "span", "strong", "sub", "sup"}  # tags that do not part words
LEFT_OUT = {"script", "style", "math", "form", "svg", "nav"}
TERMS = {term.anchor: term.name for term in terms()}  # each is a section of the glossary
SHOWN = {"deeper", "hide", "how"}  # folds that hold no answer
WITHOUT = re.compile(r"(genindex|search|quizzes|quiz/.+)\.html$")  # a quiz's answers are no place to look things up


class Sections(HTMLParser):
    """The sections of a page: [heading, [[anchor, text], ...]]; what stands before its first section is not one.

    What may answer something is [anchor, text, 1].
    """

    def __init__(self, text: str):
        super().__init__()
        self.found: list[list] = []
        self._heading, self._left_out, self._section, self._words = None, [], "", []
        self._within: list[tuple[str, str | None]] = []  # tag, and of what may answer something the anchor before
        self._folded_code = False  # code that only draws or sets up: its title is enough
        self.feed(text[text.index('<article role="main"') : text.index("</article>")])
        self._close()
        for section in self.found:
            section[1] = [part for part in section[1] if part[1]] or section[1][:1]

    def _close(self):
        if self.found and (words := " ".join("".join(self._words).split())):
            self.found[-1][1][-1][1] += words
        self._words = []

    def _anchor(self, name: str):
        self._close()
        if self.found:
            if not self.found[-1][1][-1][1]:  # the last anchor had no text
                self.found[-1][1].pop()
            self.found[-1][1].append([name, "", *[1] * any(before is not None for _, before in self._within)])

    def _enter(self, tag: str, attributes: dict[str, str]):
        kinds = {*attributes.get("class", "").split()}
        shut = not kinds & SHOWN if tag == "details" else "unseen" in kinds
        self._within.append((tag, self.found[-1][1][-1][0] if shut and self.found else None))
        if shut or (tag == "details" and "hide" not in kinds):
            self._anchor(attributes["id"])
        self._folded_code |= "hide" in kinds

    def _leave(self, tag: str):
        while self._within and (left := self._within.pop())[0] != tag:
            pass
        if left[1] is not None:
            self._anchor(left[1])

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("details", "div"):
            self._words.append(" ")
            self._enter(tag, attributes)
        elif tag in LEFT_OUT or (tag == "pre" and self._folded_code):
            self._left_out.append(tag)
        elif tag in HEADINGS:
            self._close()
            self._heading = ""
        elif tag == "section":
            self._section = attributes["id"]
        elif tag == "span" and "id" in attributes:
            name = attributes["id"]
            if name in TERMS:
                self._close()
                self.found.append([TERMS[name], [[name, ""]]])
            else:
                self._anchor(name)
        elif tag not in WITHIN:
            self._words.append(" ")

    def handle_endtag(self, tag):
        if self._left_out and tag == self._left_out[-1]:
            self._left_out.pop()
        elif tag in ("details", "div"):
            self._folded_code &= tag == "div"
            self._words.append(" ")
            self._leave(tag)
        elif tag in HEADINGS and self._heading is not None:
            self.found.append([" ".join(self._heading.rstrip("¶#").split()), [[self._section, ""]]])
            self._heading = None
        elif tag not in WITHIN:
            self._words.append(" ")

    def handle_data(self, data):
        if self._left_out:
            return
        if self._heading is not None:
            self._heading += data
        else:
            self._words.append(data)


def write_index(site: Path) -> None:
    """Write site/_static/sections.js: a script and no JSON, which a page opened as a file could not load."""
    pages = []
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if not WITHOUT.match(name):
            pages.append([name, Sections(path.read_text(encoding="utf-8")).found])
    text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    (site / "_static" / "sections.js").write_text(f"window.SECTIONS = {text};\n", encoding="utf-8")
