"""Every export of a quiz says the same as the file, in each format's own signs, and shows no key to who must not see it."""

import re
from html import escape

import nbformat
import pytest

from tests.pages.markup import Tags
from tests.teaching.quiz_formats import of_canvas, of_gift, of_qti
from tools.quiz.__main__ import write
from tools.quiz.exports import gift, nbgrader, printed, printed_key
from tools.quiz.file import Choice, Question, Quiz, read_quizzes
from tools.quiz.html import as_html, as_page, standalone
from tools.quiz.qti import qti
from tools.quiz.qti12 import qti12

QUIZZES = read_quizzes()
AWKWARD = Quiz(  # every character that one of the formats reads as a sign
    "99",
    "Signs: ~ = # { } & < >",
    (
        Question(
            "99-1",
            r"Is {a} = b ~ c # d : e \ f, <i>w_i</i> * 2 & `g` | $h$ -> [1]?",
            (
                Choice(r"= yes: \{x}", r"#1 is ~ 2\n", "01_why_order_matters", "see-run", None),
                Choice("~%50%no <b>", "\"quoted\" & 'single'", "01_why_order_matters", "see-run", "wrong"),
                Choice("// [html]", "]]> ok", "01_why_order_matters", "see-run", "also wrong"),
            ),
        ),
    ),
)
EVERY = pytest.mark.parametrize("quiz", [QUIZZES[-1], AWKWARD], ids=lambda quiz: quiz.name)


def questions(quiz):
    """Return [(name, text, key, choices, reasons)] of a quiz, as the readers of its formats do."""
    return [
        (q.id, q.text, q.key, {a: c.text for a, c in q.lettered()}, {a: c.because for a, c in q.lettered()})
        for q in quiz.questions
    ]


@EVERY
@pytest.mark.parametrize(("write", "read"), [(gift, of_gift), (qti, of_qti), (qti12, of_canvas)])
def test_each_format_says_the_same(quiz, write, read):
    assert read(write(quiz)) == questions(quiz)
    assert write(quiz) == write(quiz)


def run(notebook, answers: dict[int, str]) -> list[bool]:
    """Return which tests pass when `answers` stand in the answer cells."""
    names, passed = {}, []
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id.startswith("answer-"):
            number = int(re.fullmatch(r"answer_(\d+) = \.\.\.", cell.source)[1])
            exec(f"answer_{number} = {answers[number]!r}" if number in answers else cell.source, names)
        elif cell.cell_type == "code":
            try:
                exec(cell.source, names)
                passed.append(True)
            except AssertionError:
                passed.append(False)
    return passed


@EVERY
def test_nbgrader_grades(quiz):
    notebook = nbgrader(quiz)
    nbformat.validate(notebook)
    right = {number: question.key for number, question in enumerate(quiz.questions, 1)}
    wrong = {number: next(a for a, c in q.lettered() if not c.right) for number, q in enumerate(quiz.questions, 1)}
    assert run(notebook, right) == [True] * len(quiz.questions)
    assert run(notebook, {number: f" {key.upper()} " for number, key in right.items()}) == [True] * len(quiz.questions)
    assert run(notebook, wrong) == [False] * len(quiz.questions)
    assert run(notebook, {}) == [False] * len(quiz.questions)
    assert run(notebook, {1: right[1]}) == [True] + [False] * (len(quiz.questions) - 1)


@EVERY
def test_all_that_is_given_is_locked_and_each_question_earns_one_point(quiz):
    cells = [cell.metadata["nbgrader"] for cell in nbgrader(quiz).cells if "nbgrader" in cell.metadata]
    assert all(entry["schema_version"] == 3 and entry["locked"] and not entry["solution"] for entry in cells)
    assert all(("points" in entry) == entry["grade"] for entry in cells)
    assert len({entry["grade_id"] for entry in cells}) == len(cells)
    assert sum(entry.get("points", 0) for entry in cells) == len(quiz.questions)


@EVERY
def test_no_key_in_the_nbgrader_notebook(quiz):
    text = nbformat.writes(nbgrader(quiz))
    for question in quiz.questions:
        assert not any(choice.because in text for choice in question.choices), question.id
    hashes = re.findall(r"[0-9a-f]{64}", text)
    assert len(set(hashes)) == len(quiz.questions), "equal letters must not have equal hashes"
    tests = [cell.source for cell in nbgrader(quiz).cells if cell.id.startswith("test-")]
    for question, test in zip(quiz.questions, tests, strict=True):
        assert f'"{question.key}"' not in test and f"'{question.key}'" not in test


@EVERY
def test_html_has_a_label_for_each_input(quiz):
    """What its buttons say, and where its links lead, is tried in test_quiz_browser.py and on the pages."""
    page = Tags(as_html(quiz))
    assert page.crossed == []
    labels = {attributes["for"]: text for attributes, text in page.all("label")}
    inputs = [attributes for attributes, _ in page.all("input")]
    assert list(labels) == [each["id"] for each in inputs]
    assert list(labels.values()) == [f"{letter}) {c.text}" for q in quiz.questions for letter, c in q.lettered()]
    assert [text.partition(". ")[2].strip() for _, text in page.all("legend")] == [q.text for q in quiz.questions]


def test_ids_are_unique_across_all_fragments_and_a_page_passes_its_own_on_in_one_block():
    names = [name for quiz in QUIZZES for name in Tags(as_html(quiz)).ids]
    assert len(set(names)) == len(names)
    for quiz in [*QUIZZES, AWKWARD]:
        title, block = re.fullmatch(r"# (.+?)\n\n.+?\n\n```\{raw\} html\n(.+)```\n", as_page(quiz), flags=re.S).groups()
        assert title == f"Quiz: {quiz.title}" and block == as_html(quiz) and "```" not in block


@EVERY
def test_what_is_handed_out_has_no_key(quiz):
    page, key = printed(quiz), printed_key(quiz)
    assert Tags(page).crossed == Tags(key).crossed == []
    assert key.count("<b>Right.</b>") == len(quiz.questions) and "<b>" not in page
    for choice in (choice for question in quiz.questions for choice in question.choices):
        assert escape(choice.text) in page and escape(choice.because) in key
        assert escape(choice.because) not in page and (choice.right or f"<i>{escape(choice.misconception)}" not in page)


def test_nothing_in_the_browser_asks_for_the_network_or_keeps_anything():
    for page in map(standalone, QUIZZES):
        assert not re.search(r"https?://|localStorage|sessionStorage|cookie|fetch\(|XMLHttp|@import|url\(", page)


def test_write_makes_every_file_and_nothing_of_windows(tmp_path):
    files = write(QUIZZES[:2], tmp_path)
    kinds = (
        "gift/{0}.gift canvas/{0}.zip qti/{0}.zip nbgrader/{0}.ipynb print/{0}.html print/{0}-key.html browser/{0}.html"
    )
    found = {file.relative_to(tmp_path).as_posix() for file in files}
    assert found == {kind.format(name) for name in ("01", "02") for kind in kinds.split()}
    assert not any(b"\r\n" in file.read_bytes() for file in files if file.suffix != ".zip")
