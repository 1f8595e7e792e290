"""Every task in a notebook's text names states that its explorer has, and promises numbers that these states show."""

import math
import re
from collections.abc import Callable
from functools import cache
from urllib.parse import parse_qs, urlsplit

import pytest

from posenc_helpers.encodings import frequencies, turns
from posenc_helpers.lessons.length_extrapolation.explorer import AT, BLOCKS, MEAN, ORDER, Curves
from tests.browser import needs_browser
from tests.notebooks.reading import PATHS, read
from tests.pages.conftest import ALL_SEEN
from tools.pages.collect import collect, explorer_cells
from tools.pages.playable import collect_playable, playable_cells
from tools.pages.tries import LINK, controls, state, tries

WORDS = {"three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "sixteen": 16}
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w)|\b(?:" + "|".join(WORDS) + r")\b", re.I)
NAMES = re.compile(r"\b(?:notebook|pair) \d+")  # numbers that only name something
POINT = re.compile(r"^(\d+)\. (.+)$", re.M)


def apart_up_to_32() -> list[float]:
    """How far the losses of 08's seven are from the lowest, at most, in each of the 32 trained places; in order."""
    curves = Curves()
    lines = [curves.line(name, MEAN, AT)[BLOCKS[:, 1] <= 32] for name in ORDER]
    lowest = [min(at) for at in zip(*lines, strict=True)]
    return sorted(max(loss - low for loss, low in zip(line, lowest, strict=True)) for line in lines)


# What a task promises and its sentence does not say: {(notebook, cell, point): {number as printed: what gives it}}
ELSEWHERE: dict[tuple[str, str, int], dict[str, Callable[[], float]]] = {
    ("03", "clocks", 1): {"114": lambda: 2 * math.pi / frequencies(64, 20.0)[-1].item()},
    ("03", "clocks", 2): {
        "seven": lambda: 44 / (2 * math.pi),
        "25": lambda: math.degrees(44 * frequencies(4, 10_000.0)[1].item()),
    },
    ("06", "hands", 2): {"57": lambda: math.degrees(frequencies(64, 10_000.0)[0].item())},
    ("08", "explorer", 1): {
        "six": lambda: sum(apart <= 0.4 for apart in apart_up_to_32()),
        "seven": lambda: len(ORDER),
        "0.4": lambda: math.ceil(10 * apart_up_to_32()[5]) / 10,
    },
    ("09", "explore", 2): {"5": lambda: turns(frequencies(128, 10_000.0), 32)[0].item()},
}


def number(text: str) -> float:
    return float(WORDS.get(text.lower()) or text.replace(",", ""))


def promised(text: str) -> list[str]:
    return NUMBER.findall(NAMES.sub("", LINK.sub("", text)))


def points(text: str) -> dict[int, str]:
    return {int(match[1]): match[2] for match in POINT.finditer(text)}


def cells_with_tries(path) -> dict[str, str]:
    return {
        cell.id: cell.source for cell in read(path).cells if cell.cell_type == "markdown" and LINK.search(cell.source)
    }


@cache
def moving(path) -> dict:
    """Return {cell: (describe, controls, {control: {words: value}})} of all that moves in a notebook, as on the page."""
    found = {}
    for cell in explorer_cells(read(path)):
        one = collect(read(path), cell)
        start = {name: list(words.values()).index(one.start[name]) for name, words in one.controls.items()}
        known = {name: (list(words), list(words)[start[name]]) for name, words in one.controls.items()}
        found[cell] = one.describe, known, one.controls
    for cell in playable_cells(read(path)):
        one = collect_playable(read(path), cell)
        known, values = controls(one), {}
        for name, (words, _) in known.items():
            kind = type(one.values[name])
            each = one.constants["controls"][name].get("values") or [kind(float(word)) for word in words]
            values[name] = dict(zip(words, each, strict=True))
        found[cell] = one.describe, known, values
    return found


def sentence(path, task) -> str:
    """Return what the explorer says in the state of a task; of a state that the subject refuses, the reason."""
    describe, known, values = moving(path)[task.cell]
    asked = {name: values[name][word] for name, word in state(task.asked, known).items()}
    try:
        return describe(**asked)
    except ValueError as error:
        return str(error)


# 04 trains for its explorer, so its numbers are those of this machine
SLOW = {"04": pytest.mark.nightly}
TASKS = [
    pytest.param(path, cell, point, id=f"{path.name[:2]}-{cell}-{point}", marks=SLOW.get(path.name[:2], ()))
    for path in PATHS
    for cell, text in cells_with_tries(path).items()
    for point in points(text.split("<details>")[0])
]


@pytest.mark.parametrize(("path", "cell", "point"), TASKS)
def test_a_task_names_states_that_show_what_it_promises(path, cell, point):
    """The promise is the task itself or, where there is a fold, the point with its number there."""
    asks, _, answers = cells_with_tries(path)[cell].partition("<details>")
    task, promise = points(asks)[point], points(answers or asks)[point]
    asked = tries(task)
    assert asked, "no button"
    words = " ".join([*(sentence(path, one) for one in asked), *(word for one in asked for word in one.asked.values())])
    shown = [number(found) for found in NUMBER.findall(words)]
    elsewhere = ELSEWHERE.get((path.name[:2], cell, point), {})
    near = 0.02 if path.name[:2] in SLOW else 1e-9
    for text in promised(promise):
        wanted = number(text)
        if text in elsewhere:
            assert round(elsewhere[text](), len(text.partition(".")[2])) == wanted, f"{text}: it is {elsewhere[text]()}"
        else:  # "22 back" may stand there as -22
            found = [value for value in shown if min(abs(value - wanted), abs(value + abs(wanted))) <= near]
            assert found, f"{text} is promised; shown: {words}"


def test_every_number_given_elsewhere_is_promised():
    texts = {(path.name[:2], cell): text for path in PATHS for cell, text in cells_with_tries(path).items()}
    for (notebook, cell, point), numbers in ELSEWHERE.items():
        asks, _, answers = texts[notebook, cell].partition("<details>")
        assert numbers.keys() <= set(promised(points(answers or asks)[point])), (notebook, cell, point)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_explorer_has_tasks_and_every_answer_its_task(path):
    asked = {task.cell for text in cells_with_tries(path).values() for task in tries(text)}
    assert asked == {*explorer_cells(read(path)), *playable_cells(read(path))}
    for text in cells_with_tries(path).values():
        asks, _, answers = text.partition("<details>")
        assert not answers or points(answers).keys() == points(asks).keys()


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("size=3, colour=red", "colour=red; controls: size"),
        ("size=5", "size=5; allowed: 1, 3"),
        ("size 3", "allowed: "),
    ],
)
def test_a_state_that_does_not_exist_is_refused(title, message):
    with pytest.raises(ValueError, match=message):
        state(tries(f'[try](#cell-id=x "{title}")')[0].asked, {"size": (["1", "3"], "1")})


def test_values_may_hold_commas_and_what_is_not_asked_for_starts_anew():
    known = {
        "base": (["100", "10,000"], "100"),
        "move_both": (["0", "1,000"], "1,000"),
        "text": (["q = k", "a, b"], "q = k"),
    }
    (asked,) = tries('Set [*base*](#cell-id=x "base=10000, text=a, b") now.')
    assert (asked.words, asked.cell) == ("*base*", "x")
    assert state(asked.asked, known) == {"base": "10,000", "move_both": "1,000", "text": "a, b"}


IN_VIEW = """id => { const r = document.querySelector(`#at-${id} :is(img, svg, canvas)`).getBoundingClientRect();
    return r.top >= 0 && r.bottom <= innerHeight; }"""
SAYS = "([id, words]) => document.querySelector(`#at-${id} [role=status]`).textContent === words"


@needs_browser
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_button_sets_its_state(path, site, quiet_page):
    """All buttons of a page, by keyboard: the sentence is that of the state, the picture in view, the address names it."""
    page, asked = quiet_page, [one for text in cells_with_tries(path).values() for one in tries(text)]
    page.goto((site / "notebooks" / f"{path.stem}.html").as_uri())
    page.evaluate(ALL_SEEN)
    page.wait_for_function("[...document.querySelectorAll('.playable')].every(box => box.model)")
    assert page.locator("button.try").count() == len(asked)
    for number, one in enumerate(asked):
        page.locator("button.try").nth(number).press("Enter")
        if path.name[:2] not in SLOW:
            page.wait_for_function(SAYS, arg=[one.cell, sentence(path, one)])
        assert page.evaluate(IN_VIEW, one.cell)
        named = {name: found[0].replace(",", "") for name, found in parse_qs(urlsplit(page.url).fragment).items()}
        assert named["at"] == one.cell
        assert all(named[name] == word.replace(",", "") for name, word in one.asked.items() if name in named)


@needs_browser
@pytest.mark.parametrize("size", [(1280, 800), (360, 740)], ids=["wide", "phone"])
@pytest.mark.parametrize("path", [path for path in PATHS if playable_cells(read(path))], ids=lambda path: path.stem)
def test_a_button_shows_picture_and_sentence_together(path, size, site, browser):
    """All of what one plays with, where the screen has room; else the picture, below the bar of a phone."""
    with browser.new_context(
        viewport=dict(zip(("width", "height"), size, strict=True)), has_touch=size[0] < 500
    ) as context:
        page = context.new_page()
        page.goto((site / "notebooks" / f"{path.stem}.html").as_uri())
        page.evaluate(ALL_SEEN)
        page.wait_for_function("[...document.querySelectorAll('.playable')].every(box => box.model)")
        asked = [one for text in cells_with_tries(path).values() for one in tries(text)]
        for number, one in enumerate(asked):
            if one.cell not in playable_cells(read(path)):
                continue
            page.locator("button.try").nth(number).press("Enter")
            page.wait_for_timeout(100)
            kit, picture = (page.locator(f"#at-{one.cell} .kit{part}").bounding_box() for part in ("", " svg"))
            room = size[1] - 56  # the bar of a phone
            if kit["height"] <= room:
                assert kit["y"] >= -1 and kit["y"] + kit["height"] <= size[1] + 1
            elif picture["height"] <= room:
                assert picture["y"] >= 55 and picture["y"] + picture["height"] <= size[1] + 1
            else:  # below the link back
                link = page.locator(".back").bounding_box()
                assert 55 <= link["y"] <= 70 and picture["y"] - link["y"] - link["height"] < 12


@needs_browser
@pytest.mark.parametrize("size", [(1280, 800), (360, 740)], ids=["wide", "phone"])
@pytest.mark.parametrize(
    "path", [path for path in PATHS if path.name[:2] in ("01", "02", "06")], ids=lambda path: path.stem
)
def test_a_link_beside_the_picture_leads_back_to_the_task_and_is_gone_then(path, size, site, browser):
    """In sight with the picture; it gives the focus back, and the task stands where it stood."""
    with browser.new_context(
        viewport=dict(zip(("width", "height"), size, strict=True)), has_touch=size[0] < 500
    ) as context:
        page = context.new_page()
        page.goto((site / "notebooks" / f"{path.stem}.html").as_uri())
        page.evaluate(ALL_SEEN)
        page.wait_for_function("[...document.querySelectorAll('.playable')].every(box => box.model)")
        back, top = page.get_by_role("link", name="back to the task"), "e => e.getBoundingClientRect().top"
        assert back.count() == 0
        for button in page.locator("button.try").all()[::2]:
            button.scroll_into_view_if_needed()
            button.focus()
            before = button.evaluate(top)
            page.keyboard.press("Enter")
            page.wait_for_timeout(100)
            link = back.bounding_box()
            assert back.count() == 1 and link["y"] >= 55 and link["y"] + link["height"] <= size[1] + 1
            assert link["height"] >= (47.5 if size[0] < 500 else 24)
            back.press("Enter")
            assert back.count() == 0 and button.evaluate("e => e === document.activeElement")
            assert abs(button.evaluate(top) - before) < 2


@needs_browser
def test_without_a_script_a_task_is_words(site, browser):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((site / "notebooks" / "03_sinusoidal.html").as_uri())
        assert page.locator("button.try").count() == 0
        assert page.get_by_text("base 20, width 4").is_visible()
