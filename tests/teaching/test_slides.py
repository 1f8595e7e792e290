"""The slides: what is chosen from the notebooks, and the decks in a real Chromium, opened as files.

Where no Chromium is found the tests in it are skipped; POSENC_NEED_BROWSER=1 makes them fail instead.
"""

import html
import re
import shutil
from pathlib import Path

import pytest

import tools.slides.__main__ as command
from tests.browser import needs_browser
from tests.notebooks.reading import NAMES, PATHS, read
from tools.notebooks import SOLUTION
from tools.pages.collect import explorer_cells
from tools.slides.__main__ import build
from tools.slides.choose import choose, read_choices
from tools.slides.render import CLAIM, pictured, printed
from tools.slides.words import as_html, count

MOST_WORDS = 40  # of prose on a slide
PAIRS = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
MEASURE = """() => {
    const slide = Reveal.getCurrentSlide(), sizes = { text: [], code: [] };
    const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || parent.closest(".notes, math, script, style, svg")) continue;
        if (!parent.getClientRects().length) continue;
        sizes[parent.closest("pre") ? "code" : "text"].push(parseFloat(getComputedStyle(parent).fontSize));
    }
    const prose = slide.cloneNode(true);
    const other = ".notes, script, .results, pre, table, .explorer, .playable, h1, h2, math, figure";
    prose.querySelectorAll(other).forEach(e => e.remove());
    const boxes = "pre, form, table, figure, figcaption, .explorer, .playable, .predict";
    return {
        id: slide.id, kind: slide.dataset.kind,
        text: Math.min(...sizes.text), code: Math.min(...sizes.code, 99),
        over: [slide, ...slide.querySelectorAll(boxes)].filter(e =>
            !e.closest(".notes") && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
        ).map(e => e.outerHTML.slice(0, 80)),
        bottom: Math.max(...[...slide.children].map(e => e.getBoundingClientRect().bottom)),
        scales: [...slide.querySelectorAll("img")].map(e => { const box = e.getBoundingClientRect();
            const scale = Math.min(box.width / e.getAttribute("width"), box.height / e.getAttribute("height"));
            return [scale, scale * (e.dataset.letters ?? NaN)]; }).filter(([scale]) => scale),
        words: prose.textContent.split(/\\s+/).filter(word => /\\w/.test(word)).length,
    };
}"""


@pytest.fixture(scope="session")
def decks(built) -> Path:
    """Return the folder of all decks; with few frames, which the tests of the pages use too."""
    return built("slides", build)


@pytest.fixture
def page(quiet_page):
    quiet_page.set_viewport_size({"width": 1280, "height": 720})
    return quiet_page


def sections(decks: Path, name: str) -> list[str]:
    """Return the slides of a deck as HTML, with their notes."""
    text = (decks / f"{name}.html").read_text(encoding="utf-8")
    return re.findall(r"^<section.*?^</section>", text, flags=re.M | re.S)


def plain(markup: str) -> str:
    """Return the text of HTML, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def slides_of(path: Path):
    return choose(read(path), path.stem, read_choices())


@PAIRS
def test_each_notebook_has_all_parts_on_15_to_25_slides(path):
    kinds = [slide.kind for slide in slides_of(path)]
    assert 15 <= len(kinds) <= 25
    assert kinds[0] == "title" and kinds[-1] == "summary"
    assert {"predict", "result", "explorer", "bug", "bug-answer", "exercises"} <= set(kinds)
    assert kinds.index("bug-answer") == max(k for k, kind in enumerate(kinds) if kind == "bug") + 1


@PAIRS
def test_the_answer_of_a_prediction_stands_on_the_next_slide(decks, path):
    slides, made = slides_of(path), sections(decks, path.stem)
    assert len(slides) == len(made)
    for k, slide in enumerate(slides):
        if slide.kind != "predict":
            continue
        after = [cell for cell in slides[k + 1].part() if cell.cell_type == "code"]
        claims = [m.groups() for cell in after for line in printed(cell) if (m := CLAIM.match(line)) and m[1] == "=>"]
        assert slides[k + 1].kind == "result" and claims, f"{slide.lead.id}: no answer follows"
        told = re.findall(r"<figcaption>(.+?)</figcaption>", made[k + 1])
        assert not [caption for caption in told if plain(caption) in plain(made[k])]
        assert "<img" not in made[k] and 'class="code"' not in made[k]
        for _, words, value in claims:
            assert f"{words}: {value}" in plain(made[k + 1])
            assert f"{words}: " not in plain(made[k])
            assert len(value) < 3 or value not in plain(made[k])


def code_lines(markdown: str) -> set[str]:
    """Return the lines of fenced code that are too long to be written by chance."""
    blocks = re.findall(r"^```python\n(.*?)^```", markdown, flags=re.M | re.S)
    return {line.strip() for block in blocks for line in block.splitlines() if len(line.strip()) > 24}


@PAIRS
def test_nothing_gives_an_answer_away(decks, path):
    """No solution of an exercise stands in a deck, and no answer to "spot the bug" before its slide, in notes neither."""
    cells = read(path).cells
    solved = set().union(*(code_lines(cell.source) for cell in cells if SOLUTION in cell.metadata.get("tags", [])))
    given = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    made = sections(decks, path.stem)
    deck = html.unescape(re.sub(r"<[^>]+>", "", "\n".join(made)))
    assert len(solved) >= 2 and not [line for line in solved if line not in given and line in deck]
    (answer,) = [cell.source for cell in cells if "bugs-answer" in cell.id]
    folded = re.search(r"<details>.*?</summary>(.*?)</details>", answer, re.S)[1]
    said = [plain(as_html(sentence)) for sentence in re.split(r"\n|(?<=[.:]) ", folded) if count(sentence) > 4]
    place = next(k for k, section in enumerate(made) if 'data-kind="bug-answer"' in section)
    assert said and not [words for words in said if words in plain(" ".join(made[:place]))]
    assert any(words in plain(made[place]) for words in said), "the test does not find answers where they stand"


@PAIRS
def test_every_picture_is_described_and_there(decks, path):
    text = (decks / f"{path.stem}.html").read_text(encoding="utf-8")
    images = re.findall(r"<img[^>]*>", text)
    assert len(images) >= 3
    for image in images:
        assert re.search(r' alt="[^"]{20,}"', image), image
        assert (decks / re.search(r' src="([^"]+)"', image)[1]).is_file()


def test_one_deck_made_again_leaves_the_others(decks, shared, tmp_path):
    out, (other, _, again) = tmp_path / "slides", NAMES[:3]
    shutil.copytree(decks, out)
    (out / f"{other}.html").write_text("an untouched deck", encoding="utf-8")
    (out / f"{again}.html").unlink()
    build(out, shared / "pages-work", only=[again[:2]], few=True)
    assert (out / f"{other}.html").read_text(encoding="utf-8") == "an untouched deck"
    kept = {path.relative_to(decks) for path in decks.rglob("*")}
    assert {path.relative_to(out) for path in out.rglob("*")} == kept
    assert "an untouched deck" not in (out / f"{again}.html").read_text(encoding="utf-8")


@needs_browser
@PAIRS
def test_slides_by_keyboard(decks, page, path):
    walk(decks, page, path)


def walk(decks, page, path):
    """Every slide is reached by the arrow key; nothing overflows or is too small; explorers keep their keys."""
    page.goto((decks / f"{path.stem}.html").as_uri())
    page.evaluate("Promise.all([...document.images].map(image => image.decode()))")
    total, seen, drawn = page.evaluate("Reveal.getTotalSlides()"), [], []
    for number in range(total):
        found = page.evaluate(MEASURE)
        seen.append(found["id"])
        assert not found["over"] and found["bottom"] <= 690, found
        assert found["text"] >= 24 and found["code"] >= 20, found
        assert found["words"] <= MOST_WORDS + 8, found
        for scale, letters in found["scales"]:  # the words in a picture that was drawn for the slide, in pixels
            assert scale >= 0.78 and not letters < 23.9, (found["id"], found["scales"])
            drawn.append(found["id"]) if letters >= 23.9 else None
        if found["kind"] == "explorer":
            check_explorer(page, number)
        page.keyboard.press("ArrowRight")
    assert seen == [slide.lead.id for slide in slides_of(path)]
    for slide in slides_of(path):
        explores = slide.kind == "explorer" and slide.lead.id in explorer_cells(read(path))
        shown = pictured(slide) if path.name.startswith(command.QUICK) else None
        needs = explores or (shown is not None and (path.stem, shown.id) not in command.AS_SAVED)
        assert not needs or slide.lead.id in drawn, f"{slide.lead.id} shows the picture of the notebook"
    page.keyboard.press("Home")
    assert page.evaluate("Reveal.getIndices().h") == 0


def check_explorer(page, number):
    """The controls of the explorer on slide `number` move by arrow keys and the slide stays, until Page Up or Page Down."""
    box = page.locator("section.present :is(.explorer, .playable)")
    says, reset = box.locator("[role=status]"), box.get_by_role("button", name="reset")
    start, heard = says.text_content(), set()
    for control in box.locator("[type=range], [type=radio]:checked, [type=checkbox]").all():
        other = "Home" if control.input_value() != "0" else "End"
        slides = control.get_attribute("type") == "range"
        for key in ("ArrowLeft", "ArrowRight", other) if slides else ("ArrowRight", " "):
            control.press(key)
            heard.add(says.text_content())
        reset.press("Space")
        page.wait_for_function("([says, start]) => says.textContent === start", arg=[says.element_handle(), start])
        assert page.evaluate("Reveal.getIndices().h") == number
    assert heard - {start}, "the sentence does not follow the controls"
    page.keyboard.press("PageDown")
    assert page.evaluate("Reveal.getIndices().h") == number + 1
    page.keyboard.press("PageUp")
    assert page.evaluate("Reveal.getIndices().h") == number


@needs_browser
@pytest.mark.nightly
def test_words_in_all_pictures_reach_the_back_row(shared, tmp_path, monkeypatch, page):
    """With every notebook run, some four minutes: `make test` draws those of QUICK anew."""
    monkeypatch.setattr(command, "QUICK", ("",))
    build(tmp_path / "slides", shared / "pages-work", few=True)
    for path in PATHS:
        walk(tmp_path / "slides", page, path)


@needs_browser
def test_addresses_name_a_slide_or_the_state_of_an_explorer(decks, page):
    url = (decks / "03_sinusoidal.html").as_uri()
    page.goto(f"{url}#/flat")
    assert page.evaluate("Reveal.getCurrentSlide().id") == "flat"
    page.goto("about:blank")
    page.goto(f"{url}#at=clocks-run&p=127")
    page.wait_for_function("Reveal.getCurrentSlide().id === 'clocks-run'")
    assert page.locator("#at-clocks-run [data-name=p]").get_attribute("aria-valuetext") == "127"


@needs_browser
def test_speaker_view_shows_the_notes(decks, page):
    page.goto((decks / f"{NAMES[0]}.html").as_uri())
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    page.bring_to_front()
    page.keyboard.press("ArrowRight")
    opened.value.get_by_text("lets every word look at every word").first.wait_for()


@needs_browser
def test_printed_each_slide_fills_a_page(decks, page):
    page.goto(f"{(decks / '06_rope.html').as_uri()}?print-pdf")
    page.wait_for_selector(".pdf-page")
    heights = page.evaluate("[...document.querySelectorAll('.pdf-page > section')].map(slide => slide.offsetHeight)")
    assert heights == [720] * len(sections(decks, "06_rope"))
