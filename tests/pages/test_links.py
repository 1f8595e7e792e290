"""What the texts name is a link: papers, notebooks, words of the glossary; and the course can be taken home."""

import re
import subprocess
import zipfile

import pytest

from tests.browser import needs_browser
from tests.notebooks.reading import PATHS
from tests.pages.conftest import PHONE, address, anew
from tools.archive import name_of_course
from tools.course import ROOT
from tools.pages.glossary import terms
from tools.pages.links import dressed

HERE = "notebooks/06_rope"
OF = "../notebooks/{}.html"
TEXTS = {  # text -> what its links lead to
    "Su et al. (arXiv 2104.09864), section 3": ["https://arxiv.org/abs/2104.09864"],
    "the ratio is 2113.12345": [],  # no month has the number 13
    "as in notebook 03, or notebooks 01\nand 07": [
        OF.format(name) for name in ("03_sinusoidal", "01_why_order_matters", "07_alibi")
    ],
    "in 09 (07, 08); in 12 of 16, in 05.5 seconds, in notebook 06": [
        OF.format(name) for name in ("09_long_context", "07_alibi", "08_length_extrapolation")
    ],
    "<code>arXiv 2104.09864 in notebook 03</code> <h2>NoPE</h2> <a href='x'>ALiBi</a>": [],
    "ALiBi, ALiBi again, and position ids": ["../glossary.html#term-alibi", "../glossary.html#term-position-id"],
    "by chance, but <em>chance</em> is a word of ours; <strong>by hand</strong>, <em>Frequencies</em>": [
        "../glossary.html#term-chance",
        "../glossary.html#term-frequency",
    ],
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_text_names_is_a_link(text):
    assert re.findall(r'href="(.+?)"', dressed(f"<p>{text}</p>", HERE)) == TEXTS[text]


def test_a_letter_with_an_index_is_set_as_one():
    assert dressed("<p>W_q W_k^T, not <code>W_q</code> nor W_q[h]</p>", HERE) == (
        "<p><i>W</i><sub>q</sub> <i>W</i><sub>k</sub><sup>T</sup>, not <code>W_q</code> nor W_q[h]</p>"
    )


def test_no_paper_is_left_as_plain_text(site):
    """Outside code, output and links, on all pages."""
    for path in site.rglob("*.html"):
        text = re.sub(
            r"<(a|pre|code|script|p class=.says.)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.S
        )
        assert not re.findall(r"[aA]rXiv[ :]\d{4}\.\d{5}", re.sub("<.*?>", "", text)), path.name


def test_every_notebook_explains_words_each_once(site):
    for path in PATHS:
        text = (site / "notebooks" / f"{path.stem}.html").read_text(encoding="utf-8")
        linked = re.findall(r'<a class="term" href="\.\./glossary\.html#(.+?)"', text)
        assert len(linked) > 8 and len({*linked}) == len(linked), path.stem


def test_the_course_can_be_downloaded_from_the_index_and_each_notebook(site):
    """The archive holds what git tracks, as it is, and opens as one folder."""
    file = site / "downloads" / name_of_course()
    for page in ("index", *(f"notebooks/{path.stem}" for path in PATHS)):
        assert f"downloads/{file.name}" in (site / f"{page}.html").read_text(encoding="utf-8")
    with zipfile.ZipFile(file) as archive:
        names = {name.removeprefix(f"{file.stem}/") for name in archive.namelist()}
        assert {"README.md", "Makefile", "notebooks/06_rope.ipynb", "posenc_helpers/transformer.py"} <= names
        assert archive.read(f"{file.stem}/Makefile") == (ROOT / "Makefile").read_bytes()
    if (ROOT / ".git").exists():
        tracked = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, check=True, encoding="utf-8")
        assert names == {*tracked.stdout.split("\n")} - {""}


@needs_browser
def test_a_word_is_explained_by_keyboard_and_by_pointer(visit):
    page = visit(HERE)
    word, tip = page.locator("a.term").nth(1), page.get_by_role("tooltip")
    assert not tip.is_visible()
    word.focus()
    assert tip.text_content() == word.get_attribute("data-means") and tip.is_visible()
    assert word.get_attribute("aria-describedby") == tip.get_attribute("id")
    page.keyboard.press("Escape")
    assert not tip.is_visible() and word.evaluate("word => word === document.activeElement")
    other = page.locator("a.term").nth(2)
    other.hover()
    assert tip.text_content() == other.get_attribute("data-means")
    tip.hover()  # what it says can be pointed at: it stays
    page.wait_for_timeout(400)
    assert tip.is_visible()
    word.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/glossary.html#term-*")


TIPS = """terms => terms.filter(term => term.checkVisibility()).map(term => {
    term.scrollIntoView({ block: 'center' });
    term.focus({ preventScroll: true });
    const tip = document.getElementById('means').getBoundingClientRect(), next = terms.slice(terms.indexOf(term));
    const covers = one => [...one.getClientRects()].some(r =>
        r.left < tip.right && r.right > tip.left && r.top < tip.bottom && r.bottom > tip.top);
    return [term.textContent, tip.height, next.filter(covers).map(one => one.textContent)]; })"""


@needs_browser
def test_on_a_phone_the_first_tap_explains_and_a_tip_covers_no_word_that_follows(visit):
    page = visit("notebooks/01_why_order_matters", seen=False, **PHONE)
    found = page.locator("a.term").evaluate_all(TIPS)
    assert len(found) > 8 and [one for one in found if one[2] or not one[1]] == []
    anew(page)
    word, tip = page.locator("a.term").nth(1), page.get_by_role("tooltip")
    word.tap()
    assert tip.is_visible() and tip.evaluate("tip => tip.getBoundingClientRect().right <= innerWidth")
    assert "glossary" not in page.url
    word.tap()
    page.wait_for_url("**/glossary.html#term-*")


@needs_browser
def test_the_link_of_a_word_shows_the_first_line_of_what_it_means(visit, site):
    """Below the bar of a phone."""
    page = visit("glossary", **PHONE)
    for term in terms()[::20]:
        anew(page, f"{address(site, 'glossary')}#{term.anchor}")
        page.wait_for_timeout(100)
        bar = page.locator(".mobile-header").evaluate("bar => bar.getBoundingClientRect().bottom")
        means = page.locator(f"tr:has(#{term.anchor}) td:nth-child(2) p").bounding_box()
        assert bar > 40 and bar <= means["y"] < 300, term.name
