"""A bet on the pages: names that a reader puts in order before anything answers, counted where the notebook decides it."""

import random
import re

import pytest

from posenc_helpers.lessons.length_extrapolation.pictures import standing
from tests.browser import needs_browser
from tests.notebooks.reading import PATHS, read
from tests.pages.conftest import ALL_SEEN, anew
from tests.pages.playing import drag, within
from tools.pages import bet

pytestmark = needs_browser
BETS = [path for path in PATHS if any(cell.id == bet.CELL for cell in read(path).cells)]


EVERY = pytest.mark.parametrize("path", BETS, ids=lambda path: path.stem)


def names(page):
    return [text.split(" ", 1)[1] for text in page.locator(".bet button").all_inner_texts()]


def counted(order, measured):
    pairs = [(one, other) for k, one in enumerate(order) for other in order[k + 1 :]]
    right = sum(measured[one] < measured[other] for one, other in pairs)
    return f"Your bet: {', '.join(order)}. Pairs in the measured order: {right} of {len(pairs)}."


def test_every_bet_is_decided():
    assert {path.stem for path in BETS} == set(bet.DECIDED)
    (path,) = (path for path in BETS if path.name.startswith("08"))
    measured = bet.measured(read(path), path.stem)
    order = sorted(measured)
    assert f"order: {standing(order, measured)} of 21." in counted(order, measured)


@EVERY
def test_names_move_by_arrow_keys_and_by_dragging_and_stay(visit, path):
    page, measured = visit(path), bet.measured(read(path), path.stem)
    order = sorted(measured)
    says, places = page.locator(".bet-says"), page.locator(".bet button")
    assert names(page) == order and not says.is_visible(), "nobody has bet"
    places.last.focus()
    for _ in range(len(order) + 1):  # it stays the first
        page.keyboard.press("ArrowUp")
    order.insert(0, order.pop())
    assert names(page) == order and places.first.evaluate("place => place === document.activeElement")
    draw = random.Random(1)
    for _ in range(4):
        start, end = draw.sample(range(len(order)), 2)
        drag(page, *(within(places.nth(n).bounding_box(), 0.5, 0.5) for n in (start, end)), steps=1)
        order.insert(end, order.pop(start))
        assert names(page) == order and says.inner_text() == counted(order, measured)
    anew(page)
    page.evaluate(ALL_SEEN)
    assert names(page) == order and says.inner_text() == counted(order, measured)
    page.get_by_role("button", name="Forget my predictions").click()
    assert names(page) == sorted(measured) and not says.is_visible()
    anew(page)
    page.evaluate(ALL_SEEN)
    assert names(page) == sorted(measured) and not says.is_visible()


@EVERY
def test_nothing_above_the_bet_answers_it_and_nobody_is_told_the_score_of_a_saved_one(visit, path):
    page, measured = visit(path), bet.measured(read(path), path.stem)
    text = page.locator("article").inner_text()
    before = text[: text.index("Drag a name to its place")]
    assert not [value for value in measured.values() if re.search(rf"{value:.2f}(?![.\d])", before)]
    assert "your bet has" not in text and "I bet " not in text
    assert page.locator(".bet button").first.evaluate("e => getComputedStyle(e).touchAction") == "none"
    assert page.locator(".bet-list").evaluate("e => getComputedStyle(e).touchAction") == "auto", "a finger scrolls"
