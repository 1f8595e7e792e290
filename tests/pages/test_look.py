"""What a reader sees before anything is touched: no bars that nothing needs, pictures in the dark, paper."""

import gzip
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pypdf import PdfReader

from tests.browser import needs_browser, nightly_unless
from tests.notebooks.reading import PATHS
from tools.course import ROOT

pytestmark = needs_browser
FEW = [nightly_unless(path, "03", "06") for path in PATHS]


@pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)
def test_nothing_scrolls_that_fits(site, quiet_page, path):
    """Neither a formula up and down, nor an output by the few pixels of its own margin."""
    quiet_page.goto(f"{(site / 'notebooks' / path.stem).as_uri()}.html")
    quiet_page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    high = """[...document.querySelectorAll('.formula')].filter(e => e.scrollHeight > e.clientHeight)
        .map(e => e.textContent)"""
    assert quiet_page.evaluate(high) == []
    wide = """[...document.querySelectorAll('.cell_output, .table-wrapper')]
        .map(e => [e.scrollWidth - e.clientWidth, e.innerText]).filter(([over]) => over > 0 && over < 20)"""
    assert quiet_page.evaluate(wide) == []


def test_pictures_do_not_glare_in_the_dark(site, browser):
    filters = []
    for scheme in ("light", "dark"):
        with browser.new_context(color_scheme=scheme) as context:
            page = context.new_page()
            page.goto(f"{(site / 'notebooks' / '06_rope').as_uri()}.html")
            look = "[...document.querySelectorAll('.picture img, .frame img')].map(image => getComputedStyle(image).filter)"
            filters.append({*page.evaluate(look)})
    assert filters == [{"none"}, {"brightness(0.84)"}]


@pytest.mark.parametrize("system", ["light", "dark"])
def test_radios_and_boxes_have_the_colours_of_the_page(site, browser, system):
    """Those of the system, until a reader chooses others for the page."""
    with browser.new_context(color_scheme=system) as context:
        page = context.new_page()
        page.goto(f"{(site / 'index').as_uri()}.html")
        page.wait_for_function("document.querySelector('.playable').model")
        for chosen in ("auto", "light", "dark"):
            page.evaluate("chosen => { document.body.dataset.theme = chosen; }", chosen)
            boxes = page.locator("input[type=radio], input[type=checkbox]")
            found = boxes.evaluate_all("all => all.map(box => getComputedStyle(box).colorScheme)")
            assert {*found} == {system if chosen == "auto" else chosen}


@pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)
def test_on_paper_an_explorer_stands_on_one_sheet_and_nothing_lies_over_the_text(site, browser, path, tmp_path):
    """The picture, all of it, and its sentence; no "skip to content"; in the colours of paper, also from a dark screen."""
    with browser.new_context(color_scheme="dark") as context:
        page = context.new_page()
        page.goto(f"{(site / 'notebooks' / path.stem).as_uri()}.html")
        page.pdf(path=tmp_path / "printed.pdf", format="A4")
        sentences = page.locator(".explorer .says").all_text_contents()
        page.emulate_media(media="print")
        cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 80))"
        page.set_viewport_size({"width": 680, "height": 900})  # as wide as a sheet without its margins
        page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
        assert page.locator(".highlight pre").evaluate_all(cut) == []
        for frame in page.locator(".explorer .frame").all():
            assert frame.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight")
            assert frame.locator("img").evaluate("e => getComputedStyle(e).filter") == "none"
    sheets = PdfReader(tmp_path / "printed.pdf").pages
    texts = ["".join(sheet.extract_text().split()) for sheet in sheets]
    assert not any("skiptocontent" in text.lower() for text in texts)
    for sentence in sentences:
        (sheet,) = [sheet for sheet, text in zip(sheets, texts, strict=True) if "".join(sentence.split()) in text]
        assert len(sheet.images) > 0, sentence


@pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)
def test_at_1280_the_contents_are_in_sight_and_code_of_88_columns_is_whole(site, quiet_page, path):
    quiet_page.goto(f"{(site / 'notebooks' / path.stem).as_uri()}.html")
    place = quiet_page.locator(".toc-tree a").nth(1).bounding_box()
    assert place["x"] > 900 and place["x"] + place["width"] <= 1280
    assert quiet_page.locator(".content").bounding_box()["width"] > 700
    quiet_page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    cut = """[...document.querySelectorAll('pre')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)
        .filter(code => Math.max(...code.split('\\n').map(line => line.length)) <= 88)"""
    assert quiet_page.evaluate(cut) == []


def test_what_was_read_is_marked_stays_and_can_be_forgotten(site, browser):
    """A section is read when its head and its end were in sight; marks are words, too, and outlast the page."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(f"{(site / 'notebooks' / '06_rope').as_uri()}.html")
        puzzle, later = page.locator(".toc-tree a[href='#a-puzzle']"), page.locator(".toc-tree a[href='#summary']")
        assert "read" not in puzzle.text_content()
        page.locator("#a-puzzle h2").scroll_into_view_if_needed()
        page.locator("#by-hand-quarter-turns h2").scroll_into_view_if_needed()
        puzzle.locator(".read").wait_for()
        assert puzzle.text_content().split() == ["A", "puzzle", "✓", "(read)"] and "read" not in later.text_content()
        page.goto(f"{(site / 'notebooks' / '03_sinusoidal').as_uri()}.html")
        other = page.locator(".sidebar-tree a", has_text="06 Rotary")
        assert "per cent read" in other.text_content()
        page.locator(".how summary").click()
        page.locator(".how button").click()
        assert "read" not in other.text_content() and not page.locator(".how button").is_visible()
        assert page.locator(".how summary").evaluate("e => e === document.activeElement")
        page.reload()
        assert "read" not in other.text_content()


WEIGHT = 900_000  # of a page before anything is touched, with all that it loads
SCRIPTS = 60_000  # of ours, compressed


@pytest.mark.parametrize("path", [*FEW, Path("index.ipynb")], ids=lambda path: path.stem)
def test_a_page_is_light(site, browser, path):
    page_file = site / ("" if path.stem == "index" else "notebooks") / f"{path.stem}.html"
    loaded = {page_file}
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.on(
            "request",
            lambda request: (
                loaded.add(Path(unquote(urlsplit(request.url).path))) if request.url[:5] == "file:" else None
            ),
        )
        page.goto(page_file.as_uri())
        page.wait_for_load_state("networkidle")
    assert len(loaded) > 5 and sum(file.stat().st_size for file in loaded) < WEIGHT


def test_our_scripts_are_small():
    ours = sorted((ROOT / "tools").rglob("static/*.js"))
    assert len(ours) > 5 and sum(len(gzip.compress(file.read_bytes())) for file in ours) < SCRIPTS
