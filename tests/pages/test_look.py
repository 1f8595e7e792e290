"""What a reader sees before anything is touched: no bars that nothing needs, pictures in the dark, paper."""

import gzip
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pypdf import PdfReader

from tests.browser import needs_browser, nightly_unless
from tests.notebooks.reading import PATHS
from tests.pages.conftest import FOLDS_OPEN, address
from tools.course import ROOT

pytestmark = needs_browser
FEW = [nightly_unless(path, "03", "06") for path in PATHS]
EVERY = pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)


@EVERY
def test_nothing_scrolls_that_fits_code_of_88_columns_is_whole_and_the_contents_are_in_sight(visit, path):
    """Neither a formula up and down, nor an output by the few pixels of its own margin."""
    page = visit(path, folds=True, seen=False)
    high = """[...document.querySelectorAll('.formula')].filter(e => e.scrollHeight > e.clientHeight)
        .map(e => e.textContent)"""
    assert page.evaluate(high) == []
    wide = """[...document.querySelectorAll('.cell_output, .table-wrapper')]
        .map(e => [e.scrollWidth - e.clientWidth, e.innerText]).filter(([over]) => over > 0 && over < 20)"""
    assert page.evaluate(wide) == []
    cut = """[...document.querySelectorAll('pre')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)
        .filter(code => Math.max(...code.split('\\n').map(line => line.length)) <= 88)"""
    assert page.evaluate(cut) == []
    place = page.locator(".toc-tree a").nth(1).bounding_box()
    assert place["x"] > 900 and place["x"] + place["width"] <= 1280
    assert page.locator(".content").bounding_box()["width"] > 700


def test_pictures_do_not_glare_in_the_dark(visit):
    look = "[...document.querySelectorAll('.picture img, .frame img')].map(image => getComputedStyle(image).filter)"
    filters = [{*visit("notebooks/06_rope", color_scheme=scheme).evaluate(look)} for scheme in ("light", "dark")]
    assert filters == [{"none"}, {"brightness(0.84)"}]


@pytest.mark.parametrize("system", ["light", "dark"])
def test_radios_and_boxes_have_the_colours_of_the_page(visit, system):
    """Those of the system, until a reader chooses others for the page."""
    page = visit("index", color_scheme=system)
    for chosen in ("auto", "light", "dark"):
        page.evaluate("chosen => { document.body.dataset.theme = chosen; }", chosen)
        boxes = page.locator("input[type=radio], input[type=checkbox]")
        found = boxes.evaluate_all("all => all.map(box => getComputedStyle(box).colorScheme)")
        assert {*found} == {system if chosen == "auto" else chosen}


@EVERY
def test_on_paper_an_explorer_stands_on_one_sheet_and_nothing_lies_over_the_text(visit, path, tmp_path):
    """The picture, all of it, and its sentence; no "skip to content"; in the colours of paper, also from a dark screen."""
    page = visit(path, seen=False, color_scheme="dark")
    page.pdf(path=tmp_path / "printed.pdf", format="A4")
    sentences = page.locator(".explorer .says").all_text_contents()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 900})  # as wide as a sheet without its margins
    page.evaluate(FOLDS_OPEN)
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 80))"
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


def test_what_was_read_is_marked_stays_and_can_be_forgotten(visit, site):
    """A section is read when its head and its end were in sight; marks are words, too, and outlast the page."""
    page = visit("notebooks/06_rope", seen=False)
    puzzle, later = page.locator(".toc-tree a[href='#a-puzzle']"), page.locator(".toc-tree a[href='#summary']")
    assert "read" not in puzzle.text_content()
    page.locator("#a-puzzle h2").scroll_into_view_if_needed()
    page.locator("#by-hand-quarter-turns h2").scroll_into_view_if_needed()
    puzzle.locator(".read").wait_for()
    assert puzzle.text_content().split() == ["A", "puzzle", "✓", "(read)"] and "read" not in later.text_content()
    page.goto(address(site, "notebooks/03_sinusoidal"))
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


@pytest.mark.parametrize("name", ["index", *FEW], ids=lambda name: getattr(name, "stem", name))
def test_a_page_is_light(site, quiet_page, name):
    loaded = set()
    quiet_page.on("request", lambda request: loaded.add(urlsplit(request.url)))
    quiet_page.goto(address(site, name))
    quiet_page.wait_for_load_state("networkidle")
    files = {Path(unquote(place.path)) for place in loaded if place.scheme == "file"}
    assert len(files) > 5 and sum(file.stat().st_size for file in files) < WEIGHT


def test_our_scripts_are_small():
    ours = sorted((ROOT / "tools").rglob("static/*.js"))
    assert len(ours) > 5 and sum(len(gzip.compress(file.read_bytes())) for file in ours) < SCRIPTS
