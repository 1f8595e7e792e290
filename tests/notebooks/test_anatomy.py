"""Everything about a notebook that a program can see: the parts it must have, in order, and what it must not contain."""

import ast
import copy
import re
from itertools import pairwise

import pytest

from tests.notebooks.reading import (
    NAMES,
    PATHS,
    calls,
    code_cells,
    exercises,
    headings,
    navigation,
    read,
    tags,
    text_cells,
    visible_words,
    without_code,
)
from tools.course import address, badges, setup_cell
from tools.notebooks import CHECKED, SOLUTION, clean

MACHINE_PATHS = re.compile(r"/(home|root|Users|tmp|work|private/var)/|\b[A-Za-z]:\\")
CLAIMS = {"claim", "answer", "proof"}
SECTIONS = ["In real models", "Spot the bug", "Exercises", "Summary"]  # in this order
SLOW = {"train", "learn", "scorecard", "shootout", "progress"}  # calls that show how far they are
TRAINED = {"show_scorecard"}  # calls that print numbers of a training run, which differ from machine to machine


@pytest.fixture(params=PATHS, ids=NAMES)
def path(request):
    return request.param


@pytest.fixture
def notebook(path):
    return read(path)


def test_there_are_notebooks_and_their_names_are_plain():
    assert PATHS
    assert [name for name in NAMES if not re.fullmatch(r"\d\d(_[a-z0-9]+)+", name)] == []
    assert len({name[:2] for name in NAMES}) == len(NAMES), "two notebooks share a number"


# What is there, and where


def test_one_title_in_the_first_cell(notebook, path):
    ((cell, title),) = headings(notebook, 1)
    assert cell == notebook.cells[0].id
    assert title.startswith(f"{path.name[:2]} ")


def test_first_cell_has_the_question_the_badges_and_the_table(notebook, path):
    lines = notebook.cells[0].source.splitlines()
    assert [line for line in lines if re.fullmatch(r"\*\*The question:\*\* .+\?", line)]
    assert badges(address(), path.name) in lines
    assert navigation(path.stem) in lines
    rows = {row[0]: row[1] for row in re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", notebook.cells[0].source, re.M)}
    assert list(rows) == ["You will be able to", "Time", "Know first"]
    assert 3 <= len(rows["You will be able to"].split(";")) <= 5, "three to five things, separated by semicolons"
    assert re.search(r"\d+ minutes .*\d+ seconds", rows["Time"])


def test_every_column_of_a_table_has_a_head(notebook):
    """A screen reader says a column's head before each of its cells."""
    found = [cell.source for cell in text_cells(notebook)]
    outputs = [output.get("data", {}) for cell in code_cells(notebook) for output in cell.outputs]
    found += ["".join(data.get("text/markdown", "")) for data in outputs]
    assert [head for text in found for head in without_a_head(text)] == []


def without_a_head(text):
    """Return the first lines of the tables in `text` in which a column has no words."""
    heads = re.findall(r"^(\|.+\|) *\n\|[ :|-]+\|$", text, re.M)
    return [head for head in heads if not all(word.strip() for word in head[1:-1].split("|"))]


def test_second_cell_is_the_setup_cell(notebook):
    assert notebook.cells[1].cell_type == "code"
    assert notebook.cells[1].source == setup_cell(address())


def test_sections_and_an_explorer(notebook):
    found = [text for _, text in headings(notebook, 2)]
    assert [text for text in found if text in SECTIONS] == SECTIONS
    assert [cell.id for cell in code_cells(notebook) if {"explore", "play"} & calls(cell.source)]


def test_exercises(notebook):
    found = exercises(notebook)
    assert len(found) >= 3
    levels = []
    for exercise in found:
        cards = re.findall(r"^### \d+\. .+ \((easy|medium|hard), \d+ minutes\)$", exercise.text, re.M)
        assert len(cards) == 1, f"{exercise.id}: the text above has no line '### 1. name (easy, 8 minutes)'"
        assert "*Trains:" in exercise.text, f"{exercise.id}: the text above does not say what the exercise trains"
        levels += cards
    assert {"easy", "medium", "hard"} <= set(levels)


def test_each_exercise_is_followed_by_hint_and_solution(notebook):
    found = exercises(notebook)
    for exercise in found:
        below = exercise.below
        assert below is not None and below.cell_type == "markdown", exercise.id
        assert tags(below) == [SOLUTION], f"{below.id} must be tagged {SOLUTION}"
        assert re.findall(r"<details><summary>(.*?)</summary>", below.source) == ["Hint", "Solution"], below.id
        assert not visible_words(below.source), f"{below.id} says something outside the folded parts"
        assert exercise.solution, below.id  # exactly one block of Python
    tagged = [cell.id for cell in notebook.cells if SOLUTION in tags(cell)]
    assert tagged == [exercise.below.id for exercise in found]


# Outputs


def test_executed_from_top_to_bottom_without_an_error(notebook):
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert [cell.id for cell in cells if not cell.outputs] == [], "the last line of a code cell shows something"
    assert [cell.id for cell in cells for out in cell.outputs if out.output_type == "error"] == []


def test_saved_clean_and_small(notebook, path):
    assert path.stat().st_size < 1_000_000
    again = copy.deepcopy(notebook)
    clean(again)
    assert again == notebook, "not saved by `make notebooks`, which drops widgets, and sets metadata and tags"
    assert [cell.id for cell in code_cells(notebook) if CHECKED in tags(cell)]


def test_bounds_of_claims_are_written_numbers(notebook):
    """A bound that is computed can hold a measured number, which another processor prints with other digits."""
    allowed = ast.Constant | ast.UnaryOp | ast.BinOp | ast.operator | ast.unaryop
    computed = {}
    for cell in code_cells(notebook):
        for call in (node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)):
            if getattr(call.func, "id", None) not in CLAIMS:
                continue
            for bound in (k.value for k in call.keywords if k.arg in ("below", "above", "near", "within", "equals")):
                text = ast.unparse(bound)
                if not all(isinstance(node, allowed) for node in ast.walk(bound)) and text != "math.pi":
                    computed.setdefault(cell.id, []).append(text)
    assert computed == {}


def test_what_differs_between_machines_is_not_compared(notebook):
    """Progress shows times and a trained table shows trained numbers: neither shares a cell with a claim."""
    mixed = {cell.id: calls(cell.source) & (SLOW | TRAINED) for cell in code_cells(notebook) if CHECKED in tags(cell)}
    assert {cell: names for cell, names in mixed.items() if names} == {}


def test_every_picture_has_words(notebook):
    for cell in code_cells(notebook):
        for output, following in pairwise([*cell.outputs, {}]):
            kinds = [kind for kind in output.get("data", {}) if kind.startswith("image/")]
            if not kinds:
                continue
            assert kinds == ["image/png"], cell.id
            alt = output.metadata["image/png"]["alt"]
            assert len(alt.split()) >= 8, f"{cell.id}: the alternative text says too little: {alt!r}"
            assert output.data["text/plain"] == alt, cell.id
            caption = following.get("data", {}).get("text/markdown", "")
            assert re.match(r"\*\*Figure\.\*\* \w", caption), f"{cell.id}: no caption after the picture"


def test_no_path_of_a_machine(notebook):
    for cell in notebook.cells:
        texts = [cell.source]
        for output in cell.get("outputs", []):
            shown = {kind: text for kind, text in output.get("data", {}).items() if kind != "image/png"}
            words = [picture.get("alt", "") for picture in output.get("metadata", {}).values()]
            texts += [output.get("text", ""), *map(str, shown.values()), *words]
        assert [MACHINE_PATHS.search(text)[0] for text in texts if MACHINE_PATHS.search(text)] == [], cell.id


# Cells and their text


def test_cell_ids_are_readable_and_unique(notebook):
    ids = [cell.id for cell in notebook.cells]
    assert sorted(set(ids)) == sorted(ids)
    assert ids[:2] == ["title", "setup"]
    word = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
    generated = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4})*(-[0-9a-f]{12})?")
    assert [cell for cell in ids if not word.fullmatch(cell) or generated.fullmatch(cell)] == []


def test_length_of_cells(notebook):
    lengths = {cell.id: len(visible_words(cell.source)) for cell in text_cells(notebook)}
    assert {cell: words for cell, words in lengths.items() if words > 130} == {}
    lengths = {cell.id: len(cell.source.splitlines()) for cell in code_cells(notebook)}
    assert {cell: lines for cell, lines in lengths.items() if lines > 25} == {}


def test_no_star_import_and_no_hidden_seed(notebook):
    hidden = re.compile(r"\b(torch|random)\.(manual_)?seed\(|^from .+ import \*$", re.M)
    assert [cell.id for cell in code_cells(notebook) if hidden.search(cell.source)] == []


def test_words_that_belittle(notebook):
    belittles = re.compile(r"\b(simply|obviously|just)\b", re.I)
    assert [cell.id for cell in text_cells(notebook) if belittles.search(without_code(cell.source))] == []


def test_maths_in_the_common_subset(notebook):
    """What GitHub, JupyterLab and Colab all render."""
    for cell in text_cells(notebook):
        text = without_code(cell.source)
        assert not re.search(r"\\(underbrace|newcommand|renewcommand|def|operatorname)\b", text), cell.id
        for line in text.splitlines():
            if "$$" in line:
                alone = line == "$$" or (line.count("$$") == 2 and line.startswith("$$") and line.endswith("$$"))
                assert alone, f"{cell.id}: $$ shares a line with text: {line}"
        inline = re.findall(r"(?<![\\$])\$(?!\$)([^$]+)\$(?!\$)", re.sub(r"\$\$.*?\$\$", "", text, flags=re.S))
        assert [maths for maths in inline if "\\\\" in maths] == [], cell.id


def test_links_lead_somewhere(notebook, path):
    for cell in text_cells(notebook):
        for target in re.findall(r"\]\(([^)\s]+)", without_code(cell.source)):
            assert not target.startswith(("attachment:", "/", "file:")), f"{cell.id}: {target}"
            if not re.match(r"[a-z]+:|#", target):
                assert (path.parent / target.split("#")[0]).exists(), f"{cell.id}: {target} is not there"
