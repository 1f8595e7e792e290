"""The two hands of notebook 06 in a real Chromium: what is dragged moves, what must stay stays, the curve is Python's."""

import math

import pytest
import torch

from posenc_helpers.encodings import frequencies
from posenc_helpers.lessons.rope import pictures
from tests.browser import needs_browser
from tests.notebooks.reading import path_of, read
from tests.pages.playing import drag, page_of, said, within
from tools.pages.playable import collect_playable

pytestmark = needs_browser
FIRST, MIDDLE, LAST, SMALL, LINE, LENS, CURVE = range(7)  # places for the pointer, in the order of the page


@pytest.fixture
def page(quiet_page, tmp_path):
    quiet_page.set_viewport_size({"width": 1000, "height": 900})
    quiet_page.goto(page_of(collect_playable(read(path_of("06_rope")), "hands-run"), tmp_path))
    said(quiet_page)
    return quiet_page


def move(page, pad, *ways):
    """Drag over `pad` by `ways`, all as shares of its width and height; return the sentence."""
    box = page.locator(".kit-pad").nth(pad).bounding_box()
    drag(page, *(within(box, *way) for way in ways))
    return said(page)


def held(page, name):
    return page.evaluate("name => document.querySelector('.playable').model.get(name)", name)


def drawn(page):
    """Return the shapes below the clocks, without those that say where q and k stand: (dashes, curve, dot)."""
    return page.evaluate(
        """() => {
            const all = what => [...document.querySelectorAll(`.kit-stage ${what}`)];
            const each = (what, name) => all(what).map(one => one.getAttribute(name));
            return [...each("path", "d").filter(shape => shape.length > 1000), ...each("svg > circle", "transform")];
        }"""
    )


def test_both_move_along_the_line_and_nothing_of_the_score_changes(page):
    before, hands = drawn(page), page.locator(".kit-stage line").first.get_attribute("transform")
    assert len(before) == 3
    sentence = move(page, LINE, (0.09, 0.4), (0.5, 0.4))
    assert 1500 < held(page, "move_both") < 2500 and (held(page, "m"), held(page, "n")) == (30, 27)
    assert f"score 0.80 of the largest, unchanged by moving both by {held(page, 'move_both'):,};" in sentence
    assert drawn(page) == before
    assert page.locator(".kit-stage line").first.get_attribute("transform") != hands
    move(page, LINE, (0.5, 0.4), (1.5, 0.4))
    assert held(page, "move_both") == 4032  # 4,095 is the last position, 63 the last of the part that is shown


def test_a_hand_follows_the_pointer_anticlockwise(page):
    """Pair 8 takes 63 tokens for a circle, so q comes 16 on with a quarter turn."""
    speed = frequencies(64, dtype=torch.float64)
    start = (pictures.contents("q = k", speed)[0] + 30 * speed)[8].item()
    way = [
        (0.5 + 0.4 * math.cos(start + turn), 0.5 - 0.4 * math.sin(start + turn)) for turn in (0, 0.4, 0.8, 1.2, 1.57)
    ]
    move(page, MIDDLE, *way)
    assert abs(held(page, "m") - 45.7) <= 1 and held(page, "n") == 27


def test_q_above_and_k_below_the_line_each_for_itself(page):
    move(page, LENS, (0.5, 0.2), (1.2, 0.2))
    assert (held(page, "m"), held(page, "n")) == (63, 27)
    move(page, LENS, (0.5, 0.8), (-0.2, 0.8))
    assert (held(page, "m"), held(page, "n")) == (63, 0)


def test_the_point_on_the_curve_and_the_tip_say_the_same(page):
    page.get_by_label("k made for 20 back").check()
    move(page, CURVE, (0.5, 0.5), (0.5 - 20 / 133, 0.5))
    assert held(page, "n") - held(page, "m") == -20
    assert "score 1.00 of the largest" in said(page)
    assert page.locator(".kit-tip").inner_text() == "n − m = −20: score 1.00"


def test_a_click_enlarges_a_pair(page):
    box = page.locator(".kit-pad").nth(SMALL).bounding_box()
    page.mouse.click(*within(box, 2.5 / 8, 1.5 / 4))
    assert "In pair 10 (circle in 112 tokens)" in said(page)
    said(page, {"head_width": 4})
    page.mouse.click(*within(box, 2.5 / 8, 1.5 / 4))  # nothing is there now
    assert "in 2 pairs" in said(page) and held(page, "pair") == 10


@pytest.mark.parametrize("content", pictures.CONTENTS)
def test_the_curve_is_pythons(page, content):
    said(page, {"content": content, "base": 1e6, "head_width": 16, "pair": 1})
    speed = frequencies(16, 1e6, dtype=torch.float64)
    q, k = pictures.contents(content, speed)
    waves = (k - q + pictures.OFFSETS[:, None] * speed).cos()
    for path, values in zip(drawn(page)[:2], (waves[:, 1], waves.mean(-1)), strict=True):
        height = -torch.tensor([float(place.split(",")[1]) for place in path[1:].split("L")], dtype=torch.float64)
        assert _scaled(height) == pytest.approx(_scaled(values), abs=0.01)


def _scaled(values):
    return ((values - values.min()) / (values.max() - values.min())).numpy()
