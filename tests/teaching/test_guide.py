"""The instructor's pages: plans add up, cells exist, live changes fit, numbers are those printed, blocks are of today."""

import math
import re
from itertools import pairwise

import pytest

from tests.notebooks.reading import NAMES, PATHS, exercises, in_sight, read
from tools.guide import GUIDES, TEACHING, pages, put
from tools.slides.choose import choose, read_choices

PAGES = {name: (GUIDES / f"{name}.md").read_text(encoding="utf-8") for name in NAMES}
NOTEBOOKS = {path.stem: read(path) for path in PATHS}
GENERATED = re.compile(r"<!-- (\w+): written by `python -m tools.guide` -->.*?<!-- end of \1 -->", re.S)
ID = re.compile(r"`([a-z0-9]+(?:-[a-z0-9]+)*)`")
RANGE = re.compile(r"`([a-z0-9-]+)`(?: to `([a-z0-9-]+)`)?")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w]|\.\d)")


def section(page, heading):
    """Return what stands below `## heading`, up to the next heading of that level."""
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", GENERATED.sub("", page), re.M | re.S)[1]


def rows(text):
    """Return the cells of the tables in `text`, without their heads."""
    lines = [
        line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| Minutes |", "| They "))
    ]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def ids(name):
    return [cell.id for cell in NOTEBOOKS[name].cells]


def printed(name, cell_id):
    """Return what the cell prints, its proofs and tables included."""
    (cell,) = (cell for cell in NOTEBOOKS[name].cells if cell.id == cell_id)
    shown = [{"text/": out.get("text", "")} | out.get("data", {}) for out in cell.get("outputs", [])]
    return "\n".join(text for data in shown for kind, text in data.items() if kind.startswith("text/"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("minutes", [50, 90])
def test_a_plan_adds_up_goes_forward_and_the_short_one_stays_in_what_is_open(name, minutes):
    plan, order, at = rows(section(PAGES[name], f"{minutes} minutes")), ids(name), 0
    shown = {cell.id for cell in (in_sight(NOTEBOOKS[name]) if minutes == 50 else NOTEBOOKS[name].cells)}
    last = -1
    for when, cells, doing, *_ in plan:
        start, end = map(int, when.split("-"))
        assert start == at < end and doing, when
        at = end
        for first, to in RANGE.findall(cells):
            assert {first, to or first} <= shown
            first, to = order.index(first), order.index(to or first)
            if not order[first].startswith("exercise"):  # an exercise may be done in the middle of a lesson
                assert last < first <= to, (when, order[first])
                last = to
    assert at == minutes


@pytest.mark.parametrize("name", NAMES)
def test_each_vote_of_a_plan_has_its_slide_or_the_plan_says_that_there_is_none(name):
    slides, order = choose(NOTEBOOKS[name], name, read_choices()), ids(name)
    asked = {slide.lead.id for slide in slides if slide.kind == "predict"}
    for when, cells, doing, *_ in rows(section(PAGES[name], "50 minutes") + section(PAGES[name], "90 minutes")):
        if re.search(r"\bvote\b|\bhands up\b", doing, re.I) and "no slide" not in doing:
            ends = [(order.index(first), order.index(to or first)) for first, to in RANGE.findall(cells)]
            inside = {cell for first, to in ends for cell in order[first : to + 1]}
            assert asked & ({*ID.findall(doing)} or inside), f"{when}: {doing}"


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_its_parts_and_names_cells_that_exist(name):
    page = PAGES[name]
    assert set(ID.findall(GENERATED.sub("", page))) - {"ok"} <= set(ids(name))  # `ok` is what a claim prints
    assert [exercise.id for exercise in exercises(NOTEBOOKS[name]) if f"`{exercise.id}`" not in page] == []
    assert page.startswith(f"# Teaching {name[:2]}: ")
    assert f"](../../notebooks/{name}.ipynb)" in page
    assert "**Stop** at `" in page and "**Students leave with:**" in page
    assert len(rows(section(page, "What students predict wrongly"))) >= 5
    assert re.findall(r"^(\d)\. \*", section(page, "Three questions"), re.M) == ["1", "2", "3"]
    assert len(section(page, "On the board").split()) > 20


@pytest.mark.parametrize("name", NAMES)
def test_what_to_try_live_fits_the_cell(name):
    text = section(PAGES[name], "Try it live")
    sources = {cell.id: cell.source for cell in NOTEBOOKS[name].cells if cell.cell_type == "code"}
    change = re.match(r"\s*In `([\w-]+)` change `(.+?)` to `(.+?)`", text)
    insert = re.match(r"\s*Below `([\w-]+)` insert a cell: `(.+?)`", text)
    assert change or insert
    if change:
        cell, old, new = change.groups()
        assert sources[cell].count(old) == 1
        compile(sources[cell].replace(old, new), cell, "exec")
    else:
        compile(insert[2], "cell", "eval")
        order = list(sources)
        before = "\n".join(sources[cell] for cell in order[: order.index(insert[1]) + 1])
        called = set(re.findall(r"(?<![\w.])[a-z_]+(?=\()", insert[2])) - {"round"}  # but methods
        assert called <= set(re.findall(r"\w+", before))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_those_that_the_cell_prints(name):
    """Within a tenth, since trained numbers move a little when a notebook is run anew; what is rounding, as rounding."""
    for said, cells, quoted in rows(section(PAGES[name], "What students predict wrongly")):
        found = [float(n) for cell in ID.findall(cells) for n in NUMBER.findall(printed(name, cell).replace(",", ""))]
        for number in re.findall(r"(?<![\w.])-?\d+\.\d+(?:e-?\d+)?", quoted):
            value = abs(float(number))
            near = [math.isclose(value, abs(other), rel_tol=0.1) or value < 1e-4 > abs(other) for other in found]
            assert any(near), f"{said}: {number} is not printed by {cells}"


# What `python -m tools.guide` writes


def test_blocks_are_those_of_today():
    for page, name, block in pages():
        text = page.read_text(encoding="utf-8")
        assert put(text, name, block) == text, f"{page.name}: run `python -m tools.guide`"


# Links and cells of the other pages


@pytest.mark.parametrize("path", [*TEACHING.glob("*.md"), *GUIDES.glob("*.md")], ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_courses_name_cells_that_exist_and_the_lecture_adds_up():
    text = GENERATED.sub("", (TEACHING / "courses.md").read_text(encoding="utf-8"))
    assert set(ID.findall(text)) <= {cell_id for name in NAMES for cell_id in ids(name)}
    lecture, names = rows(section(text, r"One lecture, 90 minutes[^\n]*")), {name[:2]: name for name in NAMES}
    for row in (row for row in lecture if row[1] in names):
        assert {cell for pair in RANGE.findall(row[2]) for cell in pair if cell} <= set(ids(names[row[1]])), row
    times = [tuple(map(int, row[0].split("-"))) for row in lecture]
    assert times[0][0] == 0 and times[-1][1] == 90
    assert all(a[1] == b[0] for a, b in pairwise(times))
