"""The losses of 08 that one plays with, in a real Chromium: dragged, pointed at, tapped; the bet."""

import json
import re

import pytest

from posenc_helpers.classroom.colours import name_of
from posenc_helpers.classroom.playable import source, traits
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lessons.length_extrapolation.explorer import AT, MEAN, MODULE, STATE, UP_TO, Curves, still, words
from posenc_helpers.lessons.length_extrapolation.pictures import ORDER
from tests.browser import needs_browser
from tests.pages.playing import FRAMES, drag, page_of, said, within
from tools.pages.playable import Playable

CURVES = Curves()
NAMES = {name_of(name): name for name in ORDER}
LOSSES = Playable(source(MODULE), *traits(STATE, CURVES.data()), still(CURVES), words(CURVES), "Losses.")


@pytest.fixture
def page(quiet_page, tmp_path):
    quiet_page.goto(page_of(LOSSES, tmp_path))
    said(quiet_page)
    return quiet_page


def test_what_the_picture_is_given_is_small_and_holds_each_model_once():
    assert len(json.dumps(CURVES.data(), separators=(",", ":"))) < 60_000


def tip(page):
    page.evaluate(FRAMES)
    return page.locator(".kit-tip").inner_text() if page.locator(".kit-tip").is_visible() else ""


@needs_browser
def test_the_line_is_dragged_and_names_at_the_ends_carry_no_value(page):
    box = page.locator(".kit-pad").bounding_box()
    drag(page, within(box, 0.5, 0.1), within(box, 0.999, 0.2))
    assert said(page) == LOSSES.describe(**{**LOSSES.values, "position": 512})
    texts = page.locator(".kit-stage text").all_text_contents()
    assert set(NAMES) <= set(texts)
    assert {f"{name} {CURVES.value(code, MEAN, AT, 512):.2f}" for name, code in NAMES.items()} <= set(texts)


@needs_browser
def test_a_curve_and_a_circle_say_their_values_where_one_points(page):
    """Each circle that is drawn is a stored break, at its place; between them the tips are the curve's own values."""
    found = set()
    for circle in page.locator("svg circle[stroke]").all():
        if circle.get_attribute("visibility") == "visible":
            page.mouse.move(*within(circle.bounding_box(), 0.5, 0.5))
            name, at, seed = re.fullmatch(r"(.+) breaks at (\d+) \(seed (\d)\)", tip(page)).groups()
            (stored,) = values_of(load_results("shootout"), "at", encoding=NAMES[name], seed=int(seed), what="break")
            assert int(at) == stored
            found.add((name, stored))
    assert found == {(name_of(name), at) for name in ORDER for at in CURVES.broke(name, MEAN, AT, 0.3)}
    said(page, {"loss": UP_TO, "seed": 3})
    pad, known = page.locator(".kit-pad").bounding_box(), set()
    for down in range(20, int(pad["height"]) - 30, 6):
        page.mouse.move(pad["x"] + 0.9 * pad["width"], pad["y"] + down)
        if match := re.fullmatch(r"(.+) (\d\.\d\d) up to (\d+)", tip(page)):
            name, value, position = match.groups()
            assert value == f"{CURVES.value(NAMES[name], 3, UP_TO, int(position)):.2f}"
            known.add(name)
    assert len(known) >= 5, known


@needs_browser
def test_on_a_phone_the_picture_comes_first_and_a_tap_moves_the_line(browser, tmp_path):
    with browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True) as context:
        page = context.new_page()
        page.goto(page_of(LOSSES, tmp_path))
        said(page)
        pad = page.locator(".kit-pad").bounding_box()
        assert pad["y"] + pad["height"] < 740 < page.locator(".kit-bar").bounding_box()["y"] + 700
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        small = "texts => Math.min(...texts.map(t => t.getScreenCTM().a * parseFloat(getComputedStyle(t).fontSize)))"
        assert page.locator(".kit-stage text").evaluate_all(small) >= 11
        curve = page.locator("svg path[stroke-width]").nth(ORDER.index("rope")).bounding_box()
        page.touchscreen.tap(curve["x"] + curve["width"] - 1, curve["y"] + 6)  # RoPE's end, the highest of all
        assert re.match(r"Loss at position (4[89]|5[01])\d ", said(page))
        widths = page.locator("svg path[stroke-width]").evaluate_all(
            "all => all.map(one => one.getAttribute('stroke-width'))"
        )
        assert [k for k, width in enumerate(widths) if width == max(widths)] == [ORDER.index("rope")]
