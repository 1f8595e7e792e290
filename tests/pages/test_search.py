"""The search finds sections, and whoever lands in a fold finds it open."""

import re

import pytest

from tests.browser import needs_browser
from tools.pages.search import Sections

pytestmark = needs_browser
ASKED = {  # what a reader types -> page and heading of the section that must be among the first three
    "why 10000": ("questions", "Why 10,000? What do 20 or a million do?"),
    "NTK aware formula": ("notebooks/09_long_context", "NTK-aware: change the base"),
    "padding left": ("questions", "Pad on the left or on the right, and which ids do the padding tokens get?"),
    "concatenate instead of add": ("notebooks/02_naive_encodings", "Adding or concatenating?"),
    "interleaved half weights": ("notebooks/06_rope", "Weights across layouts"),
    "attention sink": ("glossary", "attention sink"),
    "T5 buckets": ("notebooks/05_relative", "T5: buckets"),
    "yarn temperature": ("notebooks/09_long_context", "YaRN: by-parts, and sharper scores"),
    "sqrt d embedding scale": ("notebooks/02_naive_encodings", "Going deeper: norms, and the factor √d"),
    "alibi slopes": ("notebooks/07_alibi", "The slopes"),
    "10,000": ("questions", "Why 10,000? What do 20 or a million do?"),  # numbers are words, with a comma or without
    "writing with a cache": ("notebooks/06_rope", "Writing with a key cache"),
}


@pytest.fixture
def searching(visit):
    return visit("search")


@pytest.mark.parametrize("query", ASKED)
def test_a_question_finds_its_section(searching, query):
    found = searching.evaluate("query => findSections(query).map(found => [found.page, found.heading])", query)
    page, heading = ASKED[query]
    assert [f"{page}.html", heading] in found[:3], found[:3]


@pytest.mark.parametrize("query", ["sines 1.68", "hands tell apart 10000", "solution", "hint"])
def test_no_result_shows_what_answers_a_question(searching, query):
    """The section is found; the text beside it is none that a page keeps shut."""
    searching.get_by_label("Find sections with").fill(query)
    shown = searching.locator(".results p").all_inner_texts()
    assert any(text == "In a fold, or an answer: it opens there." for text in shown)
    folded = searching.evaluate("SECTIONS.flatMap(([, list]) => list.flatMap(([, parts]) => parts.filter(p => p[2])))")
    assert len(folded) > 200 and not any(text in part for text in shown if len(text) > 60 for _, part, _ in folded)


def test_from_any_page_by_keyboard_to_a_section_in_an_open_fold(visit):
    page = visit("notebooks/01_why_order_matters")
    page.locator(".sidebar-search").fill("row r of a table ruler solution")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?*")
    assert page.locator("h1").text_content() == "Search"
    box = page.get_by_label("Find sections with")
    assert box.input_value() == "row r of a table ruler solution"
    assert "sections" in page.locator(".found").text_content()
    box.fill("qqqqzz")
    assert page.locator(".results li").count() == 0 and "No section" in page.locator(".found").text_content()
    box.fill("going deeper norms factor")
    page.locator(".results a").first.press("Enter")
    page.wait_for_url("**/02_naive_encodings.html#*")
    place = page.locator(page.url[page.url.index("#") :])
    assert place.evaluate("place => !place.closest('details:not([open])')")
    assert place.evaluate(
        "place => Math.abs((place.nextElementSibling ?? place).getBoundingClientRect().top) < innerHeight"
    )


def test_an_anchor_of_a_fold_opens_it(visit):
    page = visit("notebooks/03_sinusoidal")
    fold = page.locator("details[id^=fold]").last
    assert not fold.evaluate("fold => fold.open")
    page.evaluate("name => (location.hash = name)", fold.get_attribute("id"))
    page.wait_for_function("name => document.getElementById(name).open", arg=fold.get_attribute("id"))


def test_every_result_leads_somewhere(site, searching):
    ids = {
        path.name: set(re.findall(r'id="([^"]+)"', path.read_text(encoding="utf-8"))) for path in site.rglob("*.html")
    }
    places = searching.evaluate(
        "SECTIONS.flatMap(([page, list]) => list.flatMap(([, parts]) => parts.map(p => [page, p[0]])))"
    )
    assert len(places) > 1000
    assert [place for place in places if place[1] not in ids[place[0].split("/")[-1]]] == []


def test_sections_hold_their_text_and_anchors():
    page = """<article role="main"><section id="a"><h1>A <code>b</code><a>¶</a></h1><p>one <b>t</b>wo</p>
        <span id="cell"></span><p>three</p><form>no</form><details id="fold-1"><summary>Hint</summary>four</details>
        after<div class="unseen" id="u"><div>answer</div></div><details class="deeper" id="fold-2">more</details>
        <section id="c"><h2>C</h2><pre>five</pre></section></section></article>"""
    assert Sections(page).found == [
        [
            "A b",
            [
                *[["a", "one two"], ["cell", "three"], ["fold-1", "Hint four", 1], ["cell", "after"]],
                *[["u", "answer", 1], ["fold-2", "more"]],
            ],
        ],
        ["C", [["c", "five"]]],
    ]
