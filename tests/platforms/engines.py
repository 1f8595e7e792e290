"""The built pages in Firefox or WebKit, from the folder and from a server: what is moved, entered and looked for works.

    make pages && python -m tests.platforms.engines firefox
    make pages && xvfb-run -a python -m tests.platforms.engines webkit        # without xvfb-run where there is a screen

`firefox file` or `firefox http` takes one of the two ways. Needs, for firefox, firefox or firefox-esr; for webkit,
WebKitWebDriver (Debian: webkit2gtk-driver).
Prints what was compared, how often, and what differed; the errors of the pages' scripts are among it. Chromium's tests are
tests/pages; here are the same properties, by keyboard and by pointer.
"""

import functools
import http.server
import shutil
import sys
import tempfile
import threading
from pathlib import Path

from tests.benchmarks.pages import Quiet
from tests.notebooks.reading import PATHS, read
from tests.pages.test_search import ASKED
from tests.pages.test_tries import SLOW, cells_with_tries, sentence
from tests.pages.test_tries_pressed import IN_VIEW
from tests.platforms.moving import BOX, BUTTONS, FOCUS, IDS, SHOWN, TEXT, Pages
from tests.platforms.webdriver import Driven, Firefox, WebKit
from tools.course import ROOT
from tools.pages.playable import collect_playable, playable_cells
from tools.pages.tries import tries

ENGINES = {"firefox": Firefox, "webkit": WebKit}
# In the head of each page of a copy: neither protocol tells what stood in the console.
RECORD = """<script>window.failed = []; console.error = (...words) => failed.push(words.join(" "));
addEventListener("error", e => failed.push(e.message ?? `not loaded: ${e.target.src ?? e.target.href}`), true);
addEventListener("unhandledrejection", e => failed.push(`${e.reason}`));</script>"""


class Course(Pages):
    """Further: tasks, predictions, the search, words of the glossary."""

    def tries(self, path: Path) -> None:
        """Every button of a page that sets a state: the sentence is Python's, and the picture in view."""
        asked = [one for text in cells_with_tries(path).values() for one in tries(text)]
        self.expect("try: as many buttons as tasks", len(self.js(BUTTONS, "button.try")) == len(asked))
        for k, one in enumerate(asked):
            if k % 2:  # by keyboard, by pointer, in turn
                self.js(FOCUS, "button.try", k)
                self.browser.press("Enter")
            else:
                x, y, width, height = self.js(BOX, "button.try", k)
                self.browser.drag((x + min(width / 2, 9), y + min(height / 2, 9)))
            self.js("async () => { for (let k = 0; k < 5; k++) await new Promise(requestAnimationFrame); }")
            says = self.js(TEXT, f"#at-{one.cell} [role=status]")[0]
            self.expect("try: sentence", path.name[:2] in SLOW or says == sentence(path, one), f"{one}: {says}")
            self.expect("try: picture in view", self.js(IN_VIEW, one.cell), one)

    def predict(self) -> None:
        """03's questions: an entry opens its answer and no other, a choice by keys, and both are there after a reload."""
        self.visit("notebooks/03_sinusoidal", seen=False)
        form, part = "form.predict[data-id=puzzle-guess]", "#puzzle-guess-answer"
        opened = ".unseen:not([hidden])"
        self.expect("predict: all is shut at first", not self.js(IDS, opened))
        self.js(FOCUS, f"{form} input")
        self.browser.press(" 2,500 ", "Enter")
        self.expect("predict: an entry opens its answer", any(self.js(TEXT, f"{part} pre")))
        self.expect("predict: and no other", len(self.js(IDS, opened)) == 1)
        self.expect("predict: what was entered", self.js(TEXT, f"{part} .you")[0].strip() == "you: 2,500")
        form, part = "form.predict[data-id=what-is-i-guess]", "#what-is-i-guess-answer"
        self.js("css => document.querySelector(css).focus()", f"{form} [type=radio]")
        self.browser.press("ArrowRight")
        self.click(f"{form} button")
        self.expect("predict: a choice", self.js(TEXT, f"{part} .you")[0].strip() == "you: sin(1/100)")
        self.leave()
        self.visit("notebooks/03_sinusoidal", seen=False)
        self.expect("predict: kept", len(self.js(IDS, opened)) == 2)
        self.click("form.forget button")
        self.expect("predict: forgotten", not self.js(IDS, opened))
        self.leave()
        self.visit("notebooks/03_sinusoidal", seen=False)
        self.browser.go(f"{self.base}/notebooks/03_sinusoidal.html#why-both-run")
        self.expect("predict: a link opens an answer", any(self.js(TEXT, "#why-both-guess-answer pre")))
        self.click("form.forget button")
        self.leave()

    def search(self) -> None:
        self.visit("search")
        for query, (page, heading) in ASKED.items():
            found = self.js("query => findSections(query).map(found => [found.page, found.heading])", query)
            self.expect("search: a question finds its section", [f"{page}.html", heading] in found[:3], found[:3])
        self.leave()
        self.visit("notebooks/01_why_order_matters")
        self.js(FOCUS, ".sidebar-search")
        self.browser.press("going deeper norms factor", "Enter")
        self.arrive("search.html", "document.querySelector('.results a')")
        self.js(FOCUS, ".results a", 0)
        self.browser.press("Enter")
        self.arrive("02_naive_encodings.html", "location.hash")
        opened = "() => !document.querySelector(location.hash).closest('details:not([open])')"
        self.expect("search: by keyboard to an open fold", self.js(opened))
        self.leave()

    def arrive(self, page: str, condition: str) -> None:
        there = (
            f"() => Boolean(document.readyState === 'complete' && location.pathname.endsWith('/{page}') && {condition})"
        )
        self.expect("search: arrives", self.later(lambda: self.js(there)), page)

    def terms(self) -> None:
        """Words of the glossary explain themselves to focus and pointer; Escape closes."""
        for k in self.js(SHOWN, "article a.term")[:5]:
            means = self.js("k => document.querySelectorAll('article a.term')[k].dataset.means", k)
            self.js("() => document.activeElement.blur()")
            self.browser.drag((9, 500), (3, 500), hold=False)  # from the word before, which may scroll under it
            self.browser.press("Escape")
            self.js("k => document.querySelectorAll('article a.term')[k].focus()", k)
            self.expect("glossary: focus", self.js(TEXT, ".means") == [means])
            self.browser.press("Escape")
            self.expect("glossary: Escape", self.js(TEXT, ".means") == [""])
            self.js("() => document.activeElement.blur()")
            x, y, width, height = self.js(BOX, "article a.term", k)
            self.browser.drag((3, 500), (x + min(width, 20) / 2, y + min(height, 20) / 2), hold=False)
            self.expect("glossary: pointer", self.js(TEXT, ".means") == [means])


def check(browser: Driven, base: str) -> Course:
    pages, pictures = Course(browser, base), {}
    for path in PATHS:
        pages.visit(f"notebooks/{path.stem}")
        for cell in playable_cells(read(path)):
            pictures[cell] = collect_playable(read(path), cell)
            pages.picture(pictures[cell], cell)
        if path.name.startswith("08"):
            pages.bet()
        for box in pages.js(IDS, ".explorer"):
            pages.explorer(box)
        pages.tries(path)
        pages.terms()
        pages.leave()
        print(f"  {path.name[:2]}", flush=True)
    pages.visit("index")
    for box in pages.js(IDS, ".playable"):
        pages.picture(pictures[box.removeprefix("at-")], box.removeprefix("at-"))
    pages.leave()
    pages.predict()
    pages.search()
    return pages


def main(name: str = "", *ways: str) -> int:
    if name not in ENGINES:
        sys.exit(f"engine={name!r} is not known; allowed: {', '.join(ENGINES)}")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="posenc-pages-") as folder:
        copy = Path(folder) / "pages"
        shutil.copytree(ROOT / "build" / "pages", copy, ignore=shutil.ignore_patterns("downloads"))
        for page in copy.rglob("*.html"):
            page.write_text(page.read_text(encoding="utf-8").replace("<head>", f"<head>{RECORD}", 1), encoding="utf-8")
        handler = functools.partial(Quiet, directory=str(copy))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            bases = {"file": copy.as_uri(), "http": f"http://127.0.0.1:{server.server_port}"}
            for base in [bases[way] for way in ways or bases]:
                with ENGINES[name]() as browser:
                    print(f"{browser.version}, {base.split(':')[0]}://", flush=True)
                    pages = check(browser, base)
                for what, count in sorted(pages.counts.items()):
                    print(f"{count:6} {what}")
                print(f"{len(pages.wrong)} wrong")
                wrong += len(pages.wrong)
            server.shutdown()
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
