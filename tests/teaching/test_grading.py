"""`python -m tools.grading`: who solved what, with submissions that go wrong in every way that we could think of.

What keeps an answer from the teacher's files, and who is looked at, is tested in test_jail.py and test_suspicious.py.
"""

import inspect
import json
import os
import re

import pytest
from nbformat.v4 import new_markdown_cell

from posenc_helpers.lessons.naive_encodings import mistakes
from tests.teaching.classes import CHECK, QUICK, RIGHT, SECONDS, TRUST, all_right, as_text, gray, handed_in, save, table
from tools.grading import __main__ as grade
from tools.grading import report


def without(*ids, added=()):
    """Return a submission without the cells `ids` and with code cells `added`."""
    notebook = handed_in(QUICK, (), added)
    notebook.cells = [cell for cell in notebook.cells if cell.id not in ids]
    return notebook


def written_below(text):
    notebook = handed_in(QUICK)
    notebook.cells.append(new_markdown_cell(text))
    return notebook


def instead(source):
    return handed_in(QUICK, {"exercise-2": source})


# A likely mistake, whose whole module is pasted into the cell.
WRONG = f"{inspect.getsource(mistakes)}\ngray = next(iter(GRAY.values())).wrong[0]"
FAKE = """
import posenc_helpers.classroom.exercises.checking as checking
import posenc_helpers.lessons.naive_encodings.exercises as module
from posenc_helpers.classroom.exercises.checking import Outcome
check_gray = module.check_gray = lambda answer: Outcome("gray", "right", "")
module.need = checking.need = lambda *anything: None
def gray(positions, dim):
    return positions
"""
SWAPS = """
from posenc_helpers.classroom.exercises import checking
checking.run_check.__code__ = (lambda title, answer, test, well_done: Outcome(title, "right", "")).__code__
"""
LOUD = "import os\nassert 'SECRET' not in os.environ\nfor k in range(60):\n    print('x' * 10**6)\n"
KILLED = "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n" + RIGHT
LATER = "def gray(positions, dim):\n    import os\n    os._exit(0)\n"
OWN_NAME = (RIGHT + CHECK).replace("gray(positions", "mine(positions").replace("(gray)", "(mine)")
COMMENTS = "# " + (RIGHT + CHECK).replace("\n", "\n# ")
BORROWED = "from tests.notebooks.wrong_answers.naive_encodings import RIGHT\ngray = RIGHT['gray'][0][1]"
# Right as long as it is asked in the order of the check.
REPLAY = (
    RIGHT.replace("gray(", "computed(")
    + """
asked = []
def gray(positions, dim):
    asked.append(len(positions))
    return computed(positions, dim) * (asked[:6] == [64, 2, 200, 2, 5, 2][:len(asked)])
"""
)
# who: (what she hands in, the outcome of gray, the mistake); the first waits longest
CLASS = {
    "1 hangs": (gray("import time\ntime.sleep(1000)\n" + RIGHT), "timed out", "timed out"),
    "right": (gray(RIGHT), "right", ""),
    "loud": (
        handed_in(QUICK, {"exercise-2": LOUD + RIGHT.replace("binary(", "my(") + CHECK}, ["my = binary"]),
        "right",
        "",
    ),
    "elsewhere": (handed_in(QUICK, (), ["%matplotlib inline\n" + RIGHT + CHECK]), "right", ""),
    "no check": (instead(RIGHT), "right", ""),
    "own name": (instead(OWN_NAME), "right", ""),
    "moved": (without("exercise-2", added=[RIGHT + CHECK]), "right", ""),
    "untouched": (handed_in(QUICK), "not attempted", ""),
    "Markdown": (as_text(gray(RIGHT)), "error", "the cell is Markdown"),
    "raw": (as_text(gray(RIGHT), "raw"), "error", "the cell is raw"),
    "comments": (instead(COMMENTS), "error", "the cell is comments"),
    "written below": (written_below(f"My answer:\n```python\n{RIGHT}```"), "error", "the cell is Markdown"),
    "emptied": (instead(""), "not attempted", "the cell is empty"),
    "deleted": (without("exercise-2"), "not attempted", "the cell is missing"),
    "replays": (gray(REPLAY), "right", ""),
    "wrong": (gray(WRONG), "wrong", next(iter(mistakes.GRAY))),
    "no Python": (gray("def gray(positions dim):"), "error", "SyntaxError"),
    "crashing": (gray("def gray(positions, dim):\n    return positions / missing"), "error", "NameError"),
    "exits": (gray("import sys\nsys.exit(0)\n" + RIGHT), "error", "SystemExit"),
    "ends the process": (gray(LATER), "error", "process ended"),
    "killed": (gray(KILLED), "error", "process ended"),
    "borrows": (gray(BORROWED), "error", "ModuleNotFoundError"),
    "fakes": (gray(FAKE), "error", "changes the check"),
    "swaps code": (gray(SWAPS + RIGHT), "error", "changes the check"),
}
LOOKED_AT = {
    "1 hangs",
    "loud",
    "exits",
    "ends the process",
    "killed",
    "borrows",
    "fakes",
    "replays",
    "swaps code",
    "wrong",
}


def test_one_class_with_everything_that_goes_wrong(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "submitted"
    for who, (notebook, _, _) in CLASS.items():
        save(notebook, folder / who / "week 2" / "homework (1).ipynb")
    save(all_right(QUICK), folder / "solver_02_naive_encodings.ipynb")
    (folder / "scribble").mkdir()
    (folder / "scribble" / "02_naive_encodings.ipynb").write_text("{not json", encoding="utf-8")
    (folder / "linked").mkdir()
    (folder / "linked" / "x.ipynb").symlink_to(folder / "right" / "week 2" / "homework (1).ipynb")
    save(handed_in(QUICK), folder / "right" / ".ipynb_checkpoints" / "old.ipynb")
    monkeypatch.setenv("SECRET", "of the teacher")
    before = sorted(path for path in tmp_path.rglob("*"))
    out = tmp_path / "out.csv"
    grade.main([str(folder), "--csv", str(out), "--seconds", str(SECONDS), "--jobs", "2", *TRUST])
    assert sorted(path for path in tmp_path.rglob("*")) == sorted([*before, out])
    rows = table(out)
    found = {row["student"]: (row["outcome"], row["mistake"]) for row in rows if row["exercise"] == "gray"}
    found.pop("solver")
    assert found == {who: (outcome, mistake) for who, (_, outcome, mistake) in CLASS.items()}
    assert [row["outcome"] for row in rows if row["student"] == "solver"] == ["right"] * 3
    nothing = [row for row in rows if row["student"] in ("linked", "scribble")]
    assert {(row["outcome"], row["mistake"]) for row in nothing} == {("error", "not a notebook of the course")}
    assert [row["message"] for row in nothing if row["student"] == "linked"] == ["The file is a link."]
    others = [row["outcome"] for row in rows if row["exercise"] == "row" and row["student"] != "solver"]
    assert others == ["not attempted"] * len(CLASS)  # what goes wrong in one answer does not touch the others
    assert not any(len(value) > 10**3 for row in rows for value in row.values())
    printed = capsys.readouterr().out
    assert f"gray: 8 of {len(CLASS) + 1} right" in printed
    assert "    2  process ended: ends the process, killed" in printed
    assert "\nsolver: 3 of 3 right\n" in printed and "\nloud: 1 of 3 right, 1 to look at\n" in printed
    looked_at = {row["student"] for row in rows if row["look"]}
    assert looked_at == LOOKED_AT
    (replayed,) = [row["look"] for row in rows if (row["student"], row["exercise"]) == ("replays", "gray")]
    assert "answers otherwise in another order" in replayed


# The table


def test_who_is_who(tmp_path):
    files = ["ada/02.ipynb", "ada/deep/er/x.ipynb", f"bob_{QUICK}.ipynb", "eve.ipynb", f"{QUICK} (Zoë).ipynb"]
    found = [report.student_of(tmp_path / path, tmp_path, [QUICK]) for path in files]
    assert found == ["ada", "ada", "bob", "eve", "Zoë"]


def test_files_without_a_students_name_are_asked_about(tmp_path, capsys):
    nameless = ["{}.ipynb", "{} (1).ipynb", "Copy of {}.ipynb", "{}-Copy1.ipynb", "{}/ada.ipynb", "mine/{}.ipynb"]
    nameless = sorted(path.format(QUICK) for path in [*nameless, "notebooks/{}.ipynb"])
    for path in [*nameless, f"ada/mine/{QUICK}.ipynb"]:
        save(handed_in(QUICK), tmp_path / "in" / path)
    grade.main([str(tmp_path / "in"), "--csv", str(tmp_path / "out.csv"), *TRUST])
    assert f"Whose are these? {', '.join(nameless)}\n" in capsys.readouterr().out


def test_no_field_is_a_formula_for_a_spreadsheet(tmp_path):
    row = report.Row("=HYPERLINK(1)", "n", "e", "error", "", "", "@x", "f")
    list(report.write_csv([row], tmp_path / "t.csv"))
    assert """\n"'=HYPERLINK(1)","n","e","error","","","'@x","f\"""" in (tmp_path / "t.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "a;=1+1;b", "a\t=1", "a,=1", " =1", "a\n@x"])
def test_no_part_of_a_field_is_a_formula_either(text):
    assert not re.search(r"(^\s*|[;\t\r\n]\s*|,)[=+@-]|^[\t\r]", report._harmless(text))
    assert not re.search(r"(^\s*|;\s*|,)[=+@-]|[\t\r\n]", report._harmless(report.Row.of(text, *"nexyzmf").student))


HUGE = "y = [" + "0, " * 50_000 + "]\n"
DEEP = {
    "unary": "y = " + "-" * 30_000 + "1\n",
    "dots": "y = x" + ".a" * 20_000 + "\n",
    "elif": "if 0: pass\n" + "elif 0: pass\n" * 6000,
}


@pytest.mark.skipif(os.name == "nt", reason="file names of other bytes")
def test_odd_text_gets_a_row_and_ends_nothing(tmp_path):
    answers = {"half": "raise ValueError(chr(0xd800))\n", "in source": "x = '\ud800'\n", "huge": HUGE, **DEEP}
    for who, source in answers.items():
        path = tmp_path / "in" / who / "x.ipynb"
        path.parent.mkdir(parents=True)
        text = json.dumps(gray("HERE" + RIGHT)).replace("HERE", json.dumps(source)[1:-1])
        path.write_text(text, encoding="utf-8")
    os.rename(tmp_path / "in" / "half", os.fsencode(tmp_path / "in") + b"/\xff\x1b")
    save(gray(RIGHT), tmp_path / "in" / "victim" / "x.ipynb")
    grade.main([str(tmp_path / "in"), "--csv", str(tmp_path / "out.csv"), "--seconds", str(SECONDS), *TRUST])
    found = {row["student"]: row["outcome"] for row in table(tmp_path / "out.csv") if row["exercise"] == "gray"}
    assert len(found) == len(answers) + 1
    assert found.pop("victim") == "right" and found.pop("in source") in ("right", "error")
    assert set(found.values()) == {"error"}


def test_a_second_notebook_counts_each_exercise_once():
    rows = [report.Row("ada", "n", "e", outcome, "", "", "", "f") for outcome in ("right", "wrong", "right")]
    assert "\nada: 1 of 1 right" in report.summary(rows)


def test_a_folder_without_notebooks_is_refused_by_name(tmp_path):
    with pytest.raises(SystemExit, match="holds no notebooks"):
        grade.main([str(tmp_path), "--csv", os.devnull])
