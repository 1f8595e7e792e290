"""On a phone, and on a laptop at 200 %: words in pictures can be read, fingers find controls, pictures stay in sight."""

import pytest
from matplotlib.text import Text

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from tests.browser import needs_browser, nightly_unless
from tests.notebooks.reading import PATHS, read
from tests.pages.conftest import ALL_SEEN, PHONE
from tools.pages.collect import collect, explorer_cells

pytestmark = needs_browser
SMALLEST = 11  # pixels, of a letter
FINGER = 47.5  # pixels: 48, rounded
TARGETS = (
    ".explorer :is(button, select, input[type=range], fieldset label, .box), .content summary, "
    ".mobile-header :is(label, button)"
)
FOUR = [path for path in PATHS if path.name[:2] in ("01", "03", "06", "08")]  # whose pictures are drawn in the browser


def drawn(path, cell_id) -> tuple[float, float]:
    """Return the smallest size of a letter in the picture of an explorer, and the width of the picture, in pixels."""
    explorer = collect(read(path), cell_id)
    with style():
        figure, update = explorer.build(**explorer.start)
        Screen(figure, update).draw(explorer.start)
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return min(text.get_fontsize() for text in texts) / 72, figure.get_size_inches()[0]


SMALL = """([targets, size]) => [...document.querySelectorAll(targets)].filter(e => e.offsetParent)
    .filter(e => e.getBoundingClientRect().height < size).map(e => e.outerHTML.slice(0, 120))"""
BARE = """folds => folds.filter(e => {
    const { display, listStyleType } = getComputedStyle(e);
    const own = display === "list-item" && /^disclosure/.test(listStyleType);
    return !own && ![...e.children].some(words => /^"▸/.test(getComputedStyle(words, "::before").content));
}).map(e => e.textContent.trim())"""  # neither the browser's own triangle nor one in its words: it looks like mere text


@pytest.mark.parametrize("path", [nightly_unless(path, "06", "11") for path in PATHS], ids=lambda path: path.stem)
def test_on_a_phone_words_in_explorers_can_be_read_controls_fit_a_finger_and_folds_have_triangles(visit, path):
    page = visit(path, seen=False, **PHONE)
    assert page.evaluate(SMALL, [TARGETS, FINGER]) == []
    folds = page.locator(".content summary")
    assert folds.count() > 5 and folds.evaluate_all(BARE) == []
    page.evaluate(ALL_SEEN)
    page.wait_for_timeout(200)
    for cell_id in explorer_cells(read(path)):
        picture = page.locator(f"#at-{cell_id} img")
        letter, width = drawn(path, cell_id)
        shown = picture.evaluate("picture => picture.getBoundingClientRect().width")
        assert shown * letter / width >= SMALLEST, cell_id
        frame = page.locator(f"#at-{cell_id} .frame")  # which pans, by finger and by keyboard
        assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth && frame.tabIndex === 0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("path", FOUR, ids=lambda path: path.stem)
def test_formulas_fit_and_words_in_pictures_can_be_read(visit, path):
    """Those that are drawn in the browser, and stills, which pan; the menus' links are as large as a finger."""
    phone = visit(path, **PHONE)
    wide = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
    assert phone.locator(".formula").evaluate_all(wide) == []
    letters = """all => Math.min(...all.map(t => { // some are turned
        const { a, b } = t.getScreenCTM();
        return Math.hypot(a, b) * parseFloat(getComputedStyle(t).fontSize); }))"""
    assert phone.locator(".kit-stage text").evaluate_all(letters) >= SMALLEST
    stills = phone.locator(".cell_output .picture img").evaluate_all("all => all.map(e => e.clientWidth)")
    assert stills and min(stills) > 500
    for menu, links in (("__navigation", ".sidebar-tree a, .sidebar-search"), ("__toc", ".toc-tree a")):
        phone.evaluate("id => document.getElementById(id).click()", menu)
        seen = phone.locator(links).evaluate_all("all => all.filter(e => e.offsetParent).map(e => e.offsetHeight)")
        assert len(seen) > 5 and min(seen) >= 44
        phone.evaluate("id => document.getElementById(id).click()", menu)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_a_picture_says_that_it_can_be_pushed_sideways_where_it_is_so(visit, width):
    page = visit("notebooks/11_choosing", (width, 740), folds=True)
    page.wait_for_timeout(300)
    found = page.locator(".explorer .frame, .cell_output a.picture").evaluate_all(
        """all => all.map(one => {
            const still = one.matches("a"), box = still ? one.closest(".cell_output") : one;
            const hint = still ? one.nextElementSibling : one.parentElement.querySelector(".pan");
            return [one.querySelector("img").offsetWidth > box.clientWidth + 1, hint.checkVisibility()]; })"""
    )
    assert len(found) > 5 and all(wide == said for wide, said in found), found
    assert any(wide for wide, _ in found) == (width < 1000)


@pytest.mark.parametrize("size", [(640, 400), (360, 740)])
def test_the_picture_is_in_sight_while_a_control_is_moved(visit, size):
    """Each control in turn gets the focus: it and most of the picture are on the screen."""
    page, edges = (
        visit("notebooks/06_rope", size),
        "e => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom]",
    )
    box = page.locator("#at-base-explore")
    controls = box.locator("form :is(input, button, select)").all()
    assert len(controls) > 5
    for control in controls:
        control.focus()
        page.wait_for_timeout(50)
        top, bottom = control.evaluate(edges)
        frame = box.locator(".frame").evaluate(edges)
        assert top >= 0 and bottom <= frame[0] + 1, "the control is to be seen, above the picture"
        assert frame[1] <= size[1] + 1 and frame[1] - frame[0] > 150, "so is the picture"
