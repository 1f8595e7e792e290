"""Pictures that one plays with, in a real Chromium, from a file: the same numbers as Python's, by keyboard, by pointer."""

import pytest

from posenc_helpers.classroom import playable
from tests.browser import needs_browser
from tests.classroom import dot
from tests.notebooks.reading import PATHS, read
from tests.pages.conftest import PHONE
from tests.pages.playing import drag, page_of, random_states, said, within
from tools.pages.playable import Playable, collect_playable, playable_cells

pytestmark = needs_browser
PLAYABLES = [(path, cell_id) for path in PATHS for cell_id in playable_cells(read(path))]


def small() -> Playable:
    values, constants = playable.traits(dot.STATE)
    return Playable(playable.source(dot.MODULE), values, constants, dot.draw, dot.describe, dot.CAPTION)


def one_of(case) -> Playable:
    return small() if case is None else collect_playable(read(case[0]), case[1])


EVERY = pytest.mark.parametrize("case", [None, *PLAYABLES], ids=lambda case: case[1] if case else "dot")


@EVERY
def test_the_module_says_what_python_says(case, quiet_page, tmp_path):
    """At the start and at ten random states."""
    one = one_of(case)
    quiet_page.goto(page_of(one, tmp_path))
    assert said(quiet_page) == one.describe(**one.values)
    for values in random_states(one):
        assert said(quiet_page, values) == one.describe(**values), values


@EVERY
def test_by_keyboard(case, quiet_page, tmp_path):
    """Each slider at both ends, one value and ten values on, each choice and box: it says what Python says; reset."""
    one = one_of(case)
    quiet_page.goto(page_of(one, tmp_path))
    said(quiet_page)
    for name, control in one.constants["controls"].items():
        if "text" in control:
            continue  # the module reads it by itself, and its own tests type it
        inputs = quiet_page.locator(f"#at-picture [data-name={name}]")
        kind = inputs.first.get_attribute("type")
        for key in {"range": ("Home", "ArrowRight", "PageUp", "End"), "checkbox": ("Space",)}.get(
            kind, ("ArrowRight",)
        ):
            inputs.and_(quiet_page.locator(":checked")).or_(inputs).first.focus()
            quiet_page.keyboard.press(key)
            sentence = said(quiet_page)
            now = quiet_page.evaluate(
                "names => names.map(n => document.querySelector('.playable').model.get(n))", [*one.values]
            )
            values = dict(zip(one.values, now, strict=True))
            assert sentence == one.describe(**values)
            assert (
                values[name] != one.values[name]
                or key == "ArrowRight"
                or one.values[name] in (control.get("min"), control.get("max"))
            )
        quiet_page.get_by_role("button", name="reset").click()
        assert said(quiet_page) == one.describe(**one.values)
        assert inputs.first.evaluate("e => e.labels.length && e.labels[0].innerText.trim()"), "a control without words"


@pytest.mark.parametrize(("path", "cell_id"), PLAYABLES, ids=lambda value: getattr(value, "stem", value))
def test_the_saved_notebook_holds_the_still_and_its_words(path, cell_id):
    one = collect_playable(read(path), cell_id)
    (cell,) = [cell for cell in read(path).cells if cell.id == cell_id]
    still, caption = cell.outputs
    alt = one.describe(**one.values)
    assert still.data["image/png"] and still.metadata["image/png"]["alt"] == still.data["text/plain"] == alt
    assert caption.data["text/plain"] == f"Figure. {one.caption}"


def test_the_pointer_moves_the_dot_and_a_tip_says_the_value(quiet_page, tmp_path):
    quiet_page.goto(page_of(small(), tmp_path))
    said(quiet_page)
    left, right = (within(quiet_page.locator(".kit-pad").bounding_box(), share, 0.5) for share in (0.1, 0.995))
    drag(quiet_page, left, right, release=False)
    quiet_page.wait_for_function("document.querySelector('[role=status]').textContent.startsWith('A dot at 10 of 10')")
    assert quiet_page.locator(".kit-tip").inner_text() == "10.5"  # where the pointer is, not where the dot may be
    quiet_page.mouse.up()
    quiet_page.mouse.move(*left)
    assert said(quiet_page).startswith("A dot at 10 of 10")


# What a page around may say of elements, as classic Notebook does (Bootstrap 3).
AROUND = """*, ::before, ::after { box-sizing: border-box } p { margin: 0 0 10px }
label { display: inline-block; max-width: 100%; margin-bottom: 5px; font-weight: bold }
legend { display: block; width: 100%; padding: 0; margin-bottom: 20px; font-size: 21px; border-bottom: 1px solid }
input[type=radio], input[type=checkbox] { margin: 4px 0 0; line-height: normal } button { margin: 3px }"""
BOXES = """all => all.map(e => [e.localName, ...Object.values(e.getBoundingClientRect().toJSON()),
    getComputedStyle(e).fontSize, getComputedStyle(e).fontWeight])"""


@EVERY
def test_styles_of_the_page_around_move_nothing(case, quiet_page, tmp_path):
    quiet_page.goto(page_of(one_of(case), tmp_path))
    said(quiet_page)
    parts = quiet_page.locator(".kit, .kit :not(svg *)")
    before = parts.evaluate_all(BOXES)
    quiet_page.add_style_tag(content=AROUND)
    assert len(before) > 9 and parts.evaluate_all(BOXES) == before


def test_without_a_script_the_still_is_left(browser, tmp_path):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(page_of(small(), tmp_path))
        assert page.get_by_alt_text("still").is_visible()


def test_clocks_are_dragged_by_a_hand_a_row_or_the_dot(quiet_page, tmp_path):
    """A quarter turn of hand 0 from 12 o'clock is 1.57 positions a quarter; rows and dot go where the pointer goes."""
    (case,) = [case for case in PLAYABLES if case[1] == "clocks-run"]
    quiet_page.goto(page_of(one_of(case), tmp_path))
    held = "() => ['p', 'q'].map(name => document.querySelector('.playable').model.get(name))"
    said(quiet_page, {"p": 0, "q": 63})
    boxes = [pad.bounding_box() for pad in quiet_page.locator(".kit-pad").all()]
    clock, table, curve = boxes[0], boxes[6], boxes[7]
    round_ = ((0.5, 0.1), (0.9, 0.5), (0.5, 0.9), (0.1, 0.5), (0.5, 0.1))  # once, clockwise
    drag(quiet_page, *(within(clock, *place) for place in round_), steps=1)
    assert quiet_page.evaluate(held) == [6, 63]  # a turn is 6.28 positions
    drag(quiet_page, within(table, 0.5, 0.5), within(table, 0.5, 0.99))
    assert quiet_page.evaluate(held) == [6, 127]  # the row that was nearer
    drag(quiet_page, within(curve, 0.5, 0.5), release=False)
    p, q = quiet_page.evaluate(held)
    assert p == q
    drag(quiet_page, within(curve, 0, 0.5))
    assert quiet_page.evaluate(held) == [0, 127]


def test_the_bar_names_the_pair_that_is_drawn(quiet_page, tmp_path):
    """A head of width 4 has pairs 0 and 1: whoever asked for 8 sees 1, in the bar as in the sentence, and 8 later."""
    (case,) = [case for case in PLAYABLES if case[1] == "hands-run"]
    quiet_page.goto(page_of(one_of(case), tmp_path))
    slider = quiet_page.locator("[data-name=pair]")
    for width, pair in ((4, 1), (8, 3), (16, 7), (64, 8)):
        assert f"In pair {pair} " in said(quiet_page, {"head_width": width})
        assert slider.get_attribute("aria-valuetext") == slider.input_value() == f"{pair}"
    said(quiet_page, {"head_width": 4})
    slider.press("ArrowLeft")
    assert "In pair 0 " in said(quiet_page)


SLIDERS = ".kit-bar input[type=range], .explorer input[type=range]"


@pytest.mark.parametrize(
    "path", [path for path in PATHS if path.name[:2] in ("02", "06", "08")], ids=lambda path: path.stem
)
def test_a_swipe_over_a_slider_scrolls_and_the_value_is_as_it_was(path, visit):
    """Down from each end of every slider, of explorers, too; a finger that goes sideways moves it."""
    page = visit(path, **PHONE)
    sliders = page.locator(SLIDERS).all()
    assert sliders
    for slider in sliders:
        value = slider.input_value()
        for side in (0.15, 0.85):
            slider.evaluate("e => scrollBy(0, e.getBoundingClientRect().top - 200)")
            box, top = slider.bounding_box(), page.evaluate("scrollY")
            swipe(page, box["x"] + side * box["width"], box["y"] + box["height"] / 2, -150)
            assert page.evaluate("scrollY") > top + 50 and slider.input_value() == value
    slider.evaluate("e => scrollBy(0, e.getBoundingClientRect().top - 200)")
    box = slider.bounding_box()
    values = set()
    for side, end in ((0.1, 0.9), (0.9, 0.1)):
        y = box["y"] + box["height"] / 2
        swipe(page, box["x"] + side * box["width"], y, 0, (end - side) * box["width"])
        values.add(slider.input_value())
    assert len(values) == 2


def swipe(page, x, y, down, right=0):
    """Swipe `down` and `right` pixels with a finger from x, y, as a touch screen reports it: the browser decides whether
    it scrolls.
    """
    session = page.context.new_cdp_session(page)
    for step in range(9):
        kind, point = "touchMove" if step else "touchStart", {"x": x + right * step / 8, "y": y + down * step / 8}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_timeout(20)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)


@pytest.mark.parametrize("case", PLAYABLES, ids=lambda case: case[1])
def test_a_swipe_over_the_picture_scrolls_and_moves_nothing(case, browser, tmp_path):
    """From the middle of each place for the pointer, but where a finger is to draw up and down."""
    size = {"width": 360, "height": 740}
    with browser.new_context(viewport=size, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        page.goto(page_of(one_of(case), tmp_path))
        before = said(page)
        page.evaluate("document.body.style.paddingBottom = '900px'")
        pads = page.locator(".kit-pad")
        scrolled = 0
        for number in range(pads.count()):
            pad = pads.nth(number)
            if not pad.is_visible() or pad.evaluate("e => e.style.touchAction") == "none":
                continue
            pad.evaluate("e => e.scrollIntoView({ block: 'center' })")
            box, top = pad.bounding_box(), page.evaluate("scrollY")
            swipe(page, box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2, -200)
            assert page.evaluate("scrollY") > top + 50, f"place {number} holds the finger"
            assert said(page) == before, f"place {number} moved"
            scrolled += 1
        assert scrolled
