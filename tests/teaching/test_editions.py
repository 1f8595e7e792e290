"""The editions: students get all but the answers; solutions are right; assignments are graded; archives are whole."""

import ast
import copy
import re
from urllib.parse import unquote

import nbformat
import pytest

import tools.editions.__main__ as command
import tools.editions.solutions
from posenc_helpers import mine
from tests.notebooks.reading import NAMES, PATHS, read, without_code
from tests.teaching.classes import QUICK, path_of, student_of
from tools.editions.leaks import strings, told
from tools.editions.nbgrader import POINTS, assignment, released
from tools.editions.solutions import solutions
from tools.editions.student import AFTER
from tools.grading.reading import ANSWER, FOLDED_ANSWER, exercises, tags
from tools.grading.slicing import Unit, reads


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The student edition of all notebooks."""
    target = tmp_path_factory.mktemp("editions") / "student"
    command.make("student", PATHS, target)
    return target


# Student


def telling(notebook):
    """{id: cell} of the code below a "Predict", or with a line that answers one, up to the end of the section."""
    found, secret = {}, False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            secret = "**Predict" in cell.source or (secret and not re.match("##? ", cell.source))
            continue
        secret = secret or any("=>  " in output.get("text", "") for output in cell.outputs)
        if secret and ANSWER not in tags(cell):
            found[cell.id] = cell
    return found


@pytest.mark.parametrize("name", NAMES)
def test_students_keep_all_but_answers(name):
    source, made = read(path_of(name)), {cell.id: cell for cell in student_of(name).cells}
    told = telling(source)
    gone = [cell for cell in source.cells if cell.id not in made]
    assert all(ANSWER in tags(cell) for cell in gone)
    kept = [
        cell for cell in source.cells if cell.cell_type == "code" and ANSWER not in tags(cell) and cell.id not in told
    ]
    assert [cell.id for cell in kept if made[cell.id] != cell] == []  # stubs, checks, pictures stay
    assert all({**made[key], "outputs": cell.outputs} == cell and made[key].outputs == [] for key, cell in told.items())
    for exercise in exercises(source):
        folds = re.findall(r"<summary>(.*?)</summary>", made[exercise.below.id].source)
        assert folds == ["Hint"]
    assert source == nbformat.read(path_of(name), as_version=4)
    texts = [text for cell in made.values() for text in strings(cell.get("outputs", []))]
    assert texts and not any("=>  " in text for text in texts) and len(told) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_what_students_read_below_a_question_folds_what_it_tells_and_nothing_else_changes(name):
    source, fold = {cell.id: cell for cell in read(path_of(name)).cells}, f"<details><summary>{AFTER}</summary>"
    folded = [cell for cell in student_of(name).cells if fold in cell.source]
    assert len(folded) >= 5
    for cell in (cell for cell in folded if not {ANSWER, FOLDED_ANSWER} & {*tags(cell)}):
        assert cell.source.count("<details>") == cell.source.count("</details>")
        parts = [part.strip() for part in cell.source.split(fold)]
        assert parts[0].count("\n") == 0, "only a heading stands above"
        words = " ".join(parts).replace("</details>", "").split()
        assert words == source[cell.id].source.replace("</details>", "").split()
        asked = cell.source.find("**Predict")
        assert asked < 0 or asked > cell.source.rindex("</details>"), "a question is never folded"
    assert told(read(path_of(name)), student_of(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_of_the_student_edition_needs_what_an_answer_defines(name):
    kept = [cell.id for cell in student_of(name).cells]
    have, gone = set(), set()
    for cell in (cell for cell in read(path_of(name)).cells if cell.cell_type == "code"):
        nodes = list(ast.walk(ast.parse(cell.source)))
        bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        if cell.id in kept:
            assert reads(Unit(cell.source)) & (gone - have) == set(), cell.id
            have |= bound
        else:
            gone |= bound


def test_links_of_the_student_edition_lead_somewhere(made):
    pages = {made / "README.md": (made / "README.md").read_text(encoding="utf-8")}
    for path in made.glob("notebooks/*.ipynb"):
        texts = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
        pages[path] = without_code("\n".join(texts))
    for path, text in pages.items():
        for link in re.findall(r"\]\(((?!https?:|#|data:|mailto:|attachment:)[^)\s\\]+)", text):
            file, _, anchor = unquote(link).partition("#")
            assert (path.parent / file).exists(), f"{path.name}: {link}"
            if anchor and file.endswith(".md"):
                heads = re.findall(r"^#+ (.+)$", (path.parent / file).read_text(encoding="utf-8"), re.M)
                assert anchor in {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}, link


def test_the_student_edition_stands_alone(made):
    wanted = "posenc_helpers data notebooks requirements.txt pyproject.toml README.md LICENSE LICENSE-text Makefile"
    assert {*wanted.split()} <= {path.name for path in made.iterdir()}
    assert not (made / "tests").exists()
    assert "/mine/" in (made / ".gitignore").read_text(encoding="utf-8").split(), (
        "an update would touch a student's copy"
    )
    assert {path.name for path in (made / "tools").iterdir()} == {"jupyter"}  # settings of JupyterLab, no code
    assert not list((made / "tools").rglob("*.py"))
    assert "{notebooks}" not in (made / "README.md").read_text(encoding="utf-8")


# Solutions


def test_solutions_are_run_and_right(tmp_path):
    notebook = copy.deepcopy(read(path_of(QUICK)))
    ids = ["setup", "imports", "exercises", "exercise-1", "exercise-1-solution", "exercise-2", "exercise-2-solution"]
    notebook.cells = [cell for cell in notebook.cells if cell.id in ids]
    solutions(notebook, tmp_path / "a.ipynb")
    run = {cell.id: cell for cell in nbformat.read(tmp_path / "a.ipynb", as_version=4).cells}
    assert all(": right. " in run[name].outputs[0].text for name in ("exercise-1", "exercise-2"))


def test_a_solution_that_is_not_right_stops_the_edition(tmp_path, monkeypatch):
    unsolved = read(path_of(QUICK))
    monkeypatch.setattr(tools.editions.solutions, "execute", lambda path: unsolved)
    with pytest.raises(ValueError, match=r"exercise-1.+not attempted yet"):
        solutions(read(path_of(QUICK)), tmp_path / "a.ipynb")


# nbgrader (test_nbgrader.py runs it)


@pytest.mark.parametrize("name", NAMES)
def test_each_exercise_is_a_graded_answer_and_a_locked_check(name):
    made = assignment(read(path_of(name)), f"{name}.ipynb")
    nbformat.validate(made)
    cells = [cell for cell in made.cells if "nbgrader" in cell.metadata]
    data = {cell.id: cell.metadata.nbgrader for cell in cells}
    for exercise in exercises(read(path_of(name))):
        answer, check = data[exercise.id], data[f"{exercise.id}-check"]
        assert (answer.solution, answer.locked, answer.grade) == (True, False, False)
        assert (check.solution, check.locked, check.grade, check.points) == (False, True, True, POINTS[exercise.level])
    assert sum(cell.grade for cell in data.values()) == len(exercises(read(path_of(name))))
    assert all(cell.schema_version == 3 and re.fullmatch(r"[\w-]+", cell.grade_id) for cell in data.values())
    assert len({cell.grade_id for cell in data.values()}) == len(data)
    stubs = {cell.id: cell.source for cell in released(made).cells}
    for exercise in exercises(read(path_of(name))):
        assert exercise.parts()[1].strip() == stubs[exercise.id].strip()
        assert f"{exercise.check}(" in stubs[f"{exercise.id}-check"] and ".require()" in stubs[f"{exercise.id}-check"]


# One's own copy


def test_mine_is_made_once_and_never_overwritten_and_asking_for_it_again_is_no_error(made, monkeypatch, capsys):
    monkeypatch.chdir(made)
    mine.main(["02"])
    copied = made / "mine" / f"{QUICK}.ipynb"
    text = copied.read_text(encoding="utf-8")
    assert "](../notebooks/03_sinusoidal.ipynb)" in text and "](../GLOSSARY.md)" in text
    copied.write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        mine.copy_mine("02", made)
    mine.main(["02"])
    assert copied.read_text(encoding="utf-8") == "mine"
    first, again = capsys.readouterr().out.splitlines()
    assert first.endswith(f"{QUICK}.ipynb is yours.") and again.endswith("is there already and stays as it is.")
    for prefix in ("", "99", "0"):
        with pytest.raises(ValueError, match="NB="):
            mine.copy_mine(prefix, made)
