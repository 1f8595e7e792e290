"""Every task in a notebook's text names states that its explorer has, and promises numbers that these states show."""

import math
import re
from collections.abc import Callable
from functools import cache

import pytest

from posenc_helpers.encodings import frequencies, turns
from posenc_helpers.lessons.length_extrapolation.explorer import AT, BLOCKS, MEAN, ORDER, Curves
from tests.notebooks.reading import PATHS, read
from tools.pages.collect import collect, explorer_cells
from tools.pages.playable import collect_playable, playable_cells
from tools.pages.tries import LINK, Try, controls, state, tries

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


def by_hand(path, asks: str, wanted: int) -> list[Try]:
    """Return the states of a task for a reader who does one after the other and moves only what the text says.

    Buttons set all else to its start; by hand it stays, unless the task says "reset" or names the value of the start.
    """
    moved, found = {}, []
    for point, text in points(asks).items():
        found = []
        for task in tries(text):
            known = moving(path)[task.cell][1]
            back = {name for name in moved if "reset" in text.lower() or known[name][1] in text}
            moved = {name: word for name, word in moved.items() if name not in back} | task.asked
            found.append(task._replace(asked=moved))
        if point == wanted:
            break
    return found


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
    assert tries(task), "no button"
    elsewhere = ELSEWHERE.get((path.name[:2], cell, point), {})
    near = 0.02 if path.name[:2] in SLOW else 1e-9
    for asked in (tries(task), tries(task) if "before each" in asks else by_hand(path, asks, point)):
        words = " ".join(
            [*(sentence(path, one) for one in asked), *(word for one in asked for word in one.asked.values())]
        )
        shown = [number(found) for found in NUMBER.findall(words)]
        for text in promised(promise):
            wanted = number(text)
            if text in elsewhere:
                assert round(elsewhere[text](), len(text.partition(".")[2])) == wanted, f"{text}: {elsewhere[text]()}"
            else:  # "22 back" may stand there as -22
                found = [value for value in shown if min(abs(value - wanted), abs(value + abs(wanted))) <= near]
                assert found, f"{text} is promised; shown: {words}"


def test_one_key_moves_one_key_only():
    """06 asks which hands jump when n moves by one: the state before must be the start, else all of them do."""
    (path,) = (path for path in PATHS if path.name[:2] == "06")
    before, after, _ = tries(points(cells_with_tries(path)["hands"].partition("<details>")[0])[2])
    known = moving(path)[after.cell][1]
    start = {name: word for name, (_, word) in known.items()}
    assert state(before.asked, known) == start and state(after.asked, known) == start | {"n": "28"}


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
