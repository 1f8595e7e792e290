"""The leak check: an answer is found wherever it hides, and an edition that holds one is not made."""

import base64
import copy
import json

import nbformat
import pytest
from nbformat.v4 import new_output

import tools.editions.__main__ as command
from tests.notebooks.reading import NAMES, PATHS, read
from tests.teaching.classes import QUICK, path_of, student_of
from tools.course import homework_paths
from tools.editions.leaks import answers, leaks, lines, plain, strings, taught, told
from tools.editions.nbgrader import assignment, released
from tools.grading.reading import ANSWER, tags


def test_no_answer_in_an_assignment_as_released():
    secrets = set().union(*(answers(read(path)) for path in PATHS))
    made = {path.name: released(assignment(read(path), path.name)) for path in PATHS}
    assert {name: leaks(secrets, in_file(one)) for name, one in made.items() if leaks(secrets, in_file(one))} == {}


LINE = "return binary(positions ^ (positions >> 1), dim)"


def said(kind, content):
    return lambda cell: cell.outputs.append(new_output(kind, **content))


CODED = base64.b64encode(f"see: {LINE}".encode()).decode()
PLANTS = {
    "source": lambda cell: cell.update(source=f"{cell.source}\n# {LINE}"),
    "written otherwise": lambda cell: cell.update(source="return  binary( positions^(positions >>1), dim )"),
    "output": said("stream", {"text": f"{LINE}\n"}),
    "HTML": said("display_data", {"data": {"text/html": f"<b>{LINE.replace('>', '&gt;')}</b>"}}),
    "metadata": lambda cell: cell.metadata.update(note={"deep": [LINE]}),
    "attachment": lambda cell: cell.update(attachments={"a.txt": {"text/plain": CODED}}),
}


def in_file(notebook):
    """Return the texts in the file of `notebook`."""
    return strings(json.loads(nbformat.writes(notebook)))


@pytest.mark.parametrize("place", PLANTS)
def test_a_planted_answer_is_found(place):
    notebook = copy.deepcopy(student_of(QUICK))
    PLANTS[place](next(cell for cell in notebook.cells if cell.id == "binary-run"))
    assert leaks(answers(read(path_of(QUICK))), in_file(notebook)) == [plain(LINE)]


def test_a_planted_prediction_is_found():
    notebook = copy.deepcopy(student_of(QUICK))
    outputs = [output for cell in read(path_of(QUICK)).cells for output in cell.get("outputs", [])]
    printed = [output.text for output in outputs if "=>  " in output.get("text", "")]
    notebook.cells[-1].source += "\n".join(["", *printed])
    assert len(leaks(answers(read(path_of(QUICK))), in_file(notebook))) == len(printed) >= 3


def test_a_prediction_told_below_its_question_is_found(tmp_path):
    """In a picture, a line, an alternative text, or words that quote the number; not in what is folded."""
    source, made = read(path_of("05_relative")), student_of("05_relative")
    cells, saved = {cell.id: cell for cell in made.cells}, {cell.id: cell for cell in source.cells}
    cells["puzzle-show"].outputs = copy.deepcopy(saved["puzzle-show"].outputs)
    cells["sign-after"].source = saved["sign-after"].source
    cells["clip-show"].outputs = [new_output("display_data", {"text/plain": "A table of 15 rows."})]
    cells["stack-after"].source += "\n\nIt has 384 numbers."
    cells["breaks-after"].source += "\n\n<details><summary>More</summary>\n\n384\n\n</details>"
    assert told(source, made) == ["puzzle-show", "sign-after", "clip-show", "stack-after"]
    (tmp_path / "notebooks").mkdir()
    nbformat.write(made, tmp_path / "notebooks" / "05_relative.ipynb")
    found = [line for path, line in command.leaking("student", tmp_path) if "tells what answers" in line]
    assert len(found) == 4 and "puzzle-show" in found[0]


def test_an_edition_with_a_leak_is_not_made(tmp_path, monkeypatch):
    monkeypatch.setitem(command.EDITIONS, "student", lambda notebook, name, folder: None)
    monkeypatch.setattr(command, "course_folder", lambda part, edition: _leaky(part))
    with pytest.raises(ValueError, match=r"answers would reach students:\nhint\.py: returnbinary"):
        command.make("student", PATHS[:1], tmp_path / "student")
    assert not (tmp_path / "student").exists()


def _leaky(part):
    part.mkdir()
    (part / "hint.py").write_text(LINE, encoding="utf-8")


def test_answers_hold_solutions_texts_and_outputs():
    found = answers(read(path_of(QUICK)))
    assert any("thecodeofatextdependsonits" in line for line in found)  # the answer to a bug
    bugs = next(cell for cell in read(path_of(QUICK)).cells if cell.id == "bugs-test")
    assert lines(bugs.outputs[0].text) - taught() <= found


def test_each_line_that_may_repeat_still_does():
    """A line of TAUGHT that is no answer any more, or stands nowhere else, must go from the list."""
    said = "\n".join(plain(text) for name in NAMES for cell in student_of(name).cells for text in strings(cell))
    said += "\n".join(plain(path.read_text(encoding="utf-8")) for path in command.ROOT.glob("posenc_helpers/**/*.py"))
    told = set()
    every = (cell for path in (*PATHS, *homework_paths()) for cell in read(path).cells)
    for cell in (cell for cell in every if {ANSWER, "solution"} & {*tags(cell)}):
        for text in strings(cell if ANSWER in tags(cell) else cell.source):
            told |= lines(text)
    assert {line for line in taught() if line not in said} == set()
    assert {line for line in taught() if not any(line in answer for answer in told)} == set()
