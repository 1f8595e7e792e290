"""Homework sheets: whole, solvable, graded, and their keys in nothing that students get. Whatever sheets there are."""

import copy
import json
import re

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell

import tools.editions.__main__ as command
from posenc_helpers import mine
from tests.notebooks.reading import NAMES, PATHS, read
from tests.teaching.classes import handed_in
from tools.course import address, homework_paths, setup_cell
from tools.editions.folds import FOLD
from tools.editions.leaks import answers, leaks, plain, strings
from tools.editions.nbgrader import released, sheet
from tools.editions.solutions import solved
from tools.editions.student import YOURS, student
from tools.grading.reading import exercises, tags
from tools.grading.report import lessons
from tools.grading.submissions import job, lesson_of

SHEETS = homework_paths()
IDS = "title setup hand hand-answer hand-key code code-stub code-solution words words-answer words-key hand-in".split()  # noqa: SIM905
ALL = pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
HEADINGS = {"hand": "1. By hand", "code": "2. In code", "words": "3. In words"}


def cells(path):
    return {cell.id: cell for cell in read(path).cells}


def exercise_of(path):
    (exercise,) = exercises(read(path))
    return exercise


def as_handed_in(path):
    """Return the sheet at `path` as a student hands it in, solved."""
    made = student(read(path), path.name)
    for cell in made.cells:
        if cell.id == "code-stub":
            cell.source = exercise_of(path).answered(exercise_of(path).solution)
    return made


# The sheet


@ALL
def test_a_sheet_is_as_every_sheet(path):
    found = cells(path)
    assert [cell.id for cell in read(path).cells] == IDS and path.stem in NAMES
    assert re.match(rf"# Homework {path.name[:2]}: .+\n", found["title"].source)
    assert "Helpers that write code for you are allowed in problem 2 only" in found["title"].source
    assert found["setup"] | {"outputs": [], "execution_count": None} == found["setup"]
    assert found["setup"].source == setup_cell(address())
    heads = {
        id_: re.findall(r"^## (.+): .+ \((\d+) points, (\d+) minutes\)$", found[id_].source, re.M) for id_ in HEADINGS
    }
    assert {id_: one[0][0] for id_, one in heads.items()} == HEADINGS
    assert sum(int(one[0][1]) for one in heads.values()) == 30
    assert sum(int(one[0][2]) for one in heads.values()) == 90
    parts = re.findall(r"(\d+) points?\b", found["hand"].source.split("\n", 1)[1])
    assert sum(map(int, parts)) == 10 and 3 <= len(parts) <= 5
    assert found["hand-answer"].source == found["words-answer"].source == YOURS
    folds = {
        id_: [summary for summary, _ in FOLD.findall(found[id_].source)]
        for id_ in IDS
        if "<details" in found[id_].source
    }
    assert folds == {"hand-key": ["Key"], "code-solution": ["Hint", "Solution"], "words-key": ["Rubric"]}
    assert all((tags(cell) == ["solution"]) == (cell.id in folds) for cell in found.values())
    assert not any(cell.get("outputs") for cell in found.values())


# Grading


@ALL
def test_a_sheet_is_told_from_its_notebook_and_from_other_sheets(path):
    course = lessons()
    assert lesson_of(as_handed_in(path), course).name == f"homework/{path.stem}"
    assert lesson_of(student(read(path), path.name), course).name == f"homework/{path.stem}"
    assert lesson_of(handed_in(path.stem), course).name == path.stem
    without_imports = as_handed_in(path)
    for cell in without_imports.cells:
        cell.source = re.sub(r"^from posenc_helpers\..*\n", "", cell.source, flags=re.M)
    assert lesson_of(without_imports, course).name == f"homework/{path.stem}"


@ALL
def test_what_is_judged_is_the_cell_of_the_sheet(path):
    lesson = next(one for one in lessons() if one.name == f"homework/{path.stem}")
    found = job(lesson.exercises[0], as_handed_in(path), lesson)
    assert found["module"].endswith(f".{path.stem[3:]}.homework") and found["check"] == "check_homework"
    assert job(lesson.exercises[0], student(read(path), path.name), lesson) is None


# Editions


@ALL
def test_students_get_no_key_and_keep_the_hint(path):
    made = student(read(path), path.name)
    assert [cell.id for cell in made.cells] == [id_ for id_ in IDS if not id_.endswith("-key")]
    assert re.findall(r"<summary>(.*?)</summary>", "".join(cell.source for cell in made.cells)) == ["Hint"]
    assert ": right. " not in str(made) and solved(read(path)).cells[IDS.index("hand-key")] == cells(path)["hand-key"]


@ALL
def test_nbgrader_grades_the_code_and_leaves_the_words_to_a_person(path):
    made = sheet(read(path), path.name)
    nbformat.validate(made)
    graded = {cell.id: cell.metadata.nbgrader for cell in made.cells if cell.metadata.get("nbgrader", {}).get("grade")}
    assert {id_: one.points for id_, one in graded.items()} == dict.fromkeys(
        ["hand-answer", "code-stub-check", "words-answer"], 10
    )
    assert graded["code-stub-check"].locked and graded["hand-answer"].solution and graded["words-answer"].solution
    secrets = answers(read(path))
    assert leaks(secrets, strings(json.loads(nbformat.writes(released(made))))) == []


@ALL
def test_keys_stand_in_no_notebook_and_so_on_no_page(path):
    """Pages are made of the notebooks, and of nothing in teaching/homework."""
    key = {line for id_ in ("hand-key", "words-key") for line in answers(with_only(path, id_))}
    assert len(key) > 10
    said = [text for lesson in PATHS for text in strings([cell.source for cell in read(lesson).cells])]
    assert leaks(key, said) == []
    sources = command.ROOT.joinpath("tools", "pages").rglob("*.py")
    assert not [file.name for file in sources if "homework" in file.read_text(encoding="utf-8")]


def with_only(path, *ids):
    notebook = copy.deepcopy(read(path))
    notebook.cells = [cell for cell in notebook.cells if cell.id in ids]
    return notebook


PLANTS = ("hand-key", "code-solution", "words-key")


@pytest.mark.parametrize("id_", PLANTS)
def test_a_planted_key_is_found_and_its_edition_not_made(id_, tmp_path, monkeypatch):
    line = max(answers(with_only(SHEETS[0], id_)) & answers(read(SHEETS[0])), key=len)
    text = next(one for one in cells(SHEETS[0])[id_].source.splitlines() if line in plain(one))

    def leaky(notebook, path, target):
        made = student(notebook, path.name)
        made.cells.append(new_markdown_cell(text))
        nbformat.write(made, target)

    monkeypatch.setitem(command.EDITIONS, "student", leaky)
    with pytest.raises(ValueError, match="answers would reach students"):
        command.make("student", SHEETS[:1], tmp_path / "student")
    assert not (tmp_path / "student").exists()


def test_the_student_edition_has_all_sheets_and_one_can_be_copied(tmp_path):
    target = tmp_path / "student"
    command.make("student", [PATHS[0], *SHEETS], target)  # and its leak check passes
    assert [path.name for path in sorted((target / "homework").glob("*"))] == [path.name for path in SHEETS]
    copied = mine.copy_mine(f"homework/{SHEETS[0].name[:2]}", target)
    assert copied == target / "mine" / "homework" / SHEETS[0].name and copied.is_file()
    for prefix in ("homework/", "homework/99", "other/03"):
        with pytest.raises(ValueError, match="NB="):
            mine.copy_mine(prefix, target)
