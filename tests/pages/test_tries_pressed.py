"""Every task of a page is a button: pressed, it sets its state, shows the picture, and a link leads back."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser import needs_browser
from tests.notebooks.reading import PATHS, read
from tests.pages.test_tries import SLOW, cells_with_tries, sentence
from tools.pages.playable import playable_cells
from tools.pages.tries import tries

pytestmark = needs_browser
IN_VIEW = """id => { const r = document.querySelector(`#at-${id} :is(img, svg, canvas)`).getBoundingClientRect();
    return r.top >= 0 && r.bottom <= innerHeight; }"""
SAYS = "([id, words]) => document.querySelector(`#at-${id} [role=status]`).textContent === words"
SIZES = pytest.mark.parametrize("size", [(1280, 800), (360, 740)], ids=["wide", "phone"])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_button_sets_its_state(path, visit):
    """All buttons of a page, by keyboard: the sentence is that of the state, the picture in view, the address names it."""
    page, asked = visit(path), [one for text in cells_with_tries(path).values() for one in tries(text)]
    assert page.locator("button.try").count() == len(asked)
    for number, one in enumerate(asked):
        page.locator("button.try").nth(number).press("Enter")
        if path.name[:2] not in SLOW:
            page.wait_for_function(SAYS, arg=[one.cell, sentence(path, one)])
        assert page.evaluate(IN_VIEW, one.cell)
        named = {name: found[0].replace(",", "") for name, found in parse_qs(urlsplit(page.url).fragment).items()}
        assert named["at"] == one.cell
        assert all(named[name] == word.replace(",", "") for name, word in one.asked.items() if name in named)


@SIZES
@pytest.mark.parametrize(
    "path", [path for path in PATHS if path.name[:2] == "02" or playable_cells(read(path))], ids=lambda path: path.stem
)
def test_a_button_shows_picture_and_sentence_together_and_a_link_beside_them_leads_back(path, size, visit):
    """The link is in sight, gives the focus back and is gone then; the task stands where it stood."""
    page = visit(path, size, has_touch=size[0] < 500)
    back, top = page.get_by_role("link", name="back to the task"), "e => e.getBoundingClientRect().top"
    assert back.count() == 0
    asked = [one for text in cells_with_tries(path).values() for one in tries(text)]
    for button, one in zip(page.locator("button.try").all(), asked, strict=True):
        button.scroll_into_view_if_needed()
        button.focus()
        before = button.evaluate(top)
        page.keyboard.press("Enter")
        page.wait_for_timeout(100)
        link = back.bounding_box()
        assert back.count() == 1 and link["y"] >= 55 and link["y"] + link["height"] <= size[1] + 1
        assert link["height"] >= (47.5 if size[0] < 500 else 24)
        if one.cell in playable_cells(read(path)):
            check_in_sight(page.locator(f"#at-{one.cell}"), link, size[1])
        back.press("Enter")
        assert back.count() == 0 and button.evaluate("e => e === document.activeElement")
        assert abs(button.evaluate(top) - before) < 2


def check_in_sight(box, link, height):
    """All of what one plays with, where the screen has room; else the picture, below the bar of a phone."""
    kit, picture = (box.locator(f".kit{part}").bounding_box() for part in ("", " svg"))
    room = height - 56  # the bar of a phone
    if kit["height"] <= room:
        assert kit["y"] >= -1 and kit["y"] + kit["height"] <= height + 1
    elif picture["height"] <= room:
        assert picture["y"] >= 55 and picture["y"] + picture["height"] <= height + 1
    else:  # below the link back
        assert 55 <= link["y"] <= 70 and picture["y"] - link["y"] - link["height"] < 12


def test_without_a_script_a_task_is_words(visit):
    page = visit("notebooks/03_sinusoidal", java_script_enabled=False)
    assert page.locator("button.try").count() == 0
    assert page.get_by_text("base 20, width 4").is_visible()
