"""The instructor's pages: plans add up, cells exist, live changes fit, numbers are those printed, blocks are of today."""

import csv
import math
import re
from itertools import pairwise

import pytest

from tests.notebooks.reading import NAMES, PATHS, exercises, in_sight, read
from tools.concept_map import PICTURE, Concept, alternative_text, direct_needs, read_concepts
from tools.course import ROOT
from tools.guide import GUIDES, TEACHING, pages, put

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
    outputs = cell.get("outputs", [])
    return "\n".join(out.get("text", "") + "".join(v for k, v in out.get("data", {}).items() if k.startswith("text/"))
                     for out in outputs)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("minutes", [50, 90])
def test_a_plan_adds_up_and_goes_forward(name, minutes):
    plan, order, at = rows(section(PAGES[name], f"{minutes} minutes")), ids(name), 0
    last = -1
    for when, cells, doing, *_ in plan:
        start, end = map(int, when.split("-"))
        assert start == at < end and doing, when
        at = end
        for first, to in RANGE.findall(cells):
            first, to = order.index(first), order.index(to or first)
            if not order[first].startswith("exercise"):  # an exercise may be done in the middle of a lesson
                assert last < first <= to, (when, order[first])
                last = to
    assert at == minutes


@pytest.mark.parametrize("name", NAMES)
def test_a_short_plan_stays_in_what_is_open(name):
    shown = [cell.id for cell in in_sight(NOTEBOOKS[name])]
    for _, cells, *_ in rows(section(PAGES[name], "50 minutes")):
        assert {cell for pair in RANGE.findall(cells) for cell in pair if cell} <= set(shown), cells


@pytest.mark.parametrize("name", NAMES)
def test_cells_that_a_page_names_exist(name):
    text = GENERATED.sub("", PAGES[name])
    assert set(ID.findall(text)) - {"ok"} <= set(ids(name))  # `ok` is what a claim prints


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_its_parts(name):
    page = PAGES[name]
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
            value = float(number)
            near = [other for other in found
                    if math.isclose(abs(value), abs(other), rel_tol=0.1) or abs(value) < 1e-4 > abs(other)]  # fmt: skip
            assert near, f"{said}: {number} is not printed by {cells}"


# What `python -m tools.guide` writes


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_every_exercise_is_on_its_page(path):
    for exercise in exercises(read(path)):
        assert f"`{exercise.id}`" in PAGES[path.stem]


def test_blocks_are_those_of_today():
    for page, name, block in pages():
        text = page.read_text(encoding="utf-8")
        assert put(text, name, block) == text, f"{page.name}: run `python -m tools.guide`"


def test_a_page_without_its_comments_is_refused():
    with pytest.raises(ValueError, match="needs one line"):
        put("nothing to see", "exercises", "a table")


# The concept map


def write_concepts(path, *lines):
    path.write_text("idea,notebook,cell,needs\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_every_idea_names_a_cell_of_its_notebook():
    names = {name[:2]: name for name in NAMES}
    wrong = [row for row in read_concepts() if row.cell not in ids(names[row.notebook])]
    assert not wrong


def test_every_notebook_teaches_and_every_page_is_needed():
    concepts = read_concepts()
    assert {row.notebook for row in concepts} == {name[:2] for name in NAMES}
    assert [row.idea for row in concepts if not row.needs] == ["attention is equivariant"]


@pytest.mark.parametrize(
    "lines, words",
    [
        (["a,01,x,b", "b,01,x,a"], "needs 'b', which no line above it teaches"),  # a cycle
        (["a,01,x,a"], "needs 'a'"),
        (["a,01,x,b", "b,02,x,"], "needs 'b'"),  # a later idea
        (["a,02,x,", "b,01,x,"], "stands below a later one"),
        (["a,01,x,", "a,02,x,"], "stands twice"),
    ],
)
def test_a_map_that_breaks_a_rule_is_refused(tmp_path, lines, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        read_concepts(write_concepts(tmp_path / "concepts.csv", *lines))


def test_a_need_that_another_brings_along_is_not_drawn_again():
    a, b, c = Concept("a", "01", "x", ()), Concept("b", "01", "x", ("a",)), Concept("c", "01", "x", ("a", "b"))
    assert direct_needs([a, b, c]) == {"a": [], "b": ["a"], "c": ["b"]}


def test_what_courses_say_of_weeks_that_can_be_left_out():
    concepts = read_concepts()
    week = {row.idea: row.notebook for row in concepts}
    left_out = {"04", "10"}
    needed = {need for row in concepts if row.notebook not in left_out for need in row.needs if week[need] in left_out}
    assert needed == {"rows never reached", "counted position ids"}


def test_the_picture_of_the_map_is_there_and_described():
    courses = (TEACHING / "courses.md").read_text(encoding="utf-8")
    words = re.search(r"!\[(.+?)\]\(\.\./images/concept_map\.png\)", courses)[1]
    assert PICTURE.read_bytes().startswith(b"\x89PNG")
    assert words == alternative_text(read_concepts()) and "Needed most: three doors" in words


# Links and cells of the other pages


@pytest.mark.parametrize("path", [*TEACHING.glob("*.md"), *GUIDES.glob("*.md")], ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_courses_name_cells_that_exist():
    text = GENERATED.sub("", (TEACHING / "courses.md").read_text(encoding="utf-8"))
    everywhere = {cell_id for name in NAMES for cell_id in ids(name)}
    assert set(ID.findall(text)) <= everywhere
    names = {name[:2]: name for name in NAMES}
    for row in rows(section(text, r"One lecture, 90 minutes[^\n]*")):
        if row[1] in names:
            assert {cell for pair in RANGE.findall(row[2]) for cell in pair if cell} <= set(ids(names[row[1]])), row


def test_the_lecture_adds_up():
    text = section((TEACHING / "courses.md").read_text(encoding="utf-8"), r"One lecture, 90 minutes[^\n]*")
    times = [tuple(map(int, row[0].split("-"))) for row in rows(text)]
    assert times[0][0] == 0 and times[-1][1] == 90
    assert all(a[1] == b[0] for a, b in pairwise(times))


def test_concepts_are_a_plain_table_for_programs():
    with open(ROOT / "teaching" / "concepts.csv", encoding="utf-8", newline="") as file:
        assert csv.DictReader(file).fieldnames == ["idea", "notebook", "cell", "needs"]
