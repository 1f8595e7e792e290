"""The quizzes: their questions keep the rules of teaching/quiz/README.md, and every export says the same as the file."""

import io
import json
import re
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from html import escape
from html.parser import HTMLParser
from statistics import mean

import nbformat
import pytest

from tests.notebooks.reading import PATHS, read
from tools.quiz.__main__ import write
from tools.quiz.exports import CONTENT, QTI, gift, nbgrader, printed, printed_key, qti
from tools.quiz.file import (
    COURSE,
    FOLDER,
    LETTERS,
    Choice,
    Question,
    Quiz,
    read_misconceptions,
    read_quiz,
    read_quizzes,
)
from tools.quiz.html import STATIC, as_html, as_page, quiz_pages, standalone

QUIZZES = read_quizzes()
QUESTIONS = [question for quiz in QUIZZES for question in quiz.questions]
CELLS = {path.stem: {cell.id for cell in read(path).cells} for path in PATHS}
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
EVERY = pytest.mark.parametrize("quiz", [*QUIZZES, AWKWARD], ids=lambda quiz: quiz.name)
STORED = pytest.mark.parametrize("quiz", QUIZZES, ids=lambda quiz: quiz.name)


def test_a_quiz_for_each_notebook_and_one_for_the_course():
    assert [quiz.name for quiz in QUIZZES] == [*(path.stem[:2] for path in PATHS), "course"]
    for quiz in QUIZZES:
        data = json.loads((FOLDER / f"{quiz.name}.json").read_text(encoding="utf-8"))
        assert data["notebook"] == (COURSE if quiz.name == "course" else quiz.questions[0].choices[0].notebook)
        assert data["notebook"][:2] == quiz.name or quiz.name == "course"


@STORED
def test_questions_are_numbered_and_as_many_as_promised(quiz):
    assert [q.id for q in quiz.questions] == [f"{quiz.name}-{i}" for i in range(1, 13 if quiz.name == "course" else 9)]
    for question in quiz.questions:
        texts = [choice.text for choice in question.choices]
        assert len(set(texts)) == len(texts), question.id
        assert len({choice.misconception for choice in question.choices}) == len(texts), question.id
        assert all(text == text.strip() and text for c in question.choices for text in (c.text, c.because)), question.id
        assert not re.search(r"(?i)(all|none|both) of the (above|others)", " ".join(texts)), question.id


@STORED
def test_every_cell_exists(quiz):
    missing = [(q.id, c.cell) for q in quiz.questions for c in q.choices if c.cell not in CELLS[c.notebook]]
    assert not missing


def test_the_course_quiz_asks_about_all_notebooks():
    (course,) = (quiz for quiz in QUIZZES if quiz.name == "course")
    assert {choice.notebook for question in course.questions for choice in question.choices} == set(CELLS)


def test_misconceptions_are_listed_once_and_used():
    listed = read_misconceptions()
    used = {c.misconception for question in QUESTIONS for c in question.choices if not c.right}
    assert used == set(listed)
    lines = (FOLDER / "misconceptions.csv").read_text(encoding="utf-8").strip().splitlines()
    assert len(lines) == len(listed) + 1, "a name stands twice"
    assert all(thought and true for thought, true in listed.values())


@STORED
def test_the_right_choice_stands_everywhere(quiz):
    places = Counter(question.key for question in quiz.questions)
    assert set(places) == set(LETTERS)
    assert max(places.values()) <= len(quiz.questions) / 2 - 1
    keys = "".join(question.key for question in quiz.questions)
    assert not re.search(r"(.)\1\1", keys), keys


@STORED
def test_the_right_choice_is_not_the_longest(quiz):
    ratios, longest = [], 0
    for question in quiz.questions:
        right = next(len(c.text) for c in question.choices if c.right)
        wrong = [len(c.text) for c in question.choices if not c.right]
        ratios.append(right / mean(wrong))
        longest += right > max(wrong)
    assert 0.8 < mean(ratios) < 1.25
    assert longest <= len(quiz.questions) / 2


def without_right(question):
    for choice in question["choices"]:
        if choice.pop("right", False):
            choice["misconception"] = "another"


def with_two_right(question):
    del question["choices"][0]["misconception"]
    question["choices"][0]["right"] = True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda question: question["choices"][0].pop("misconception"), "either"),
        (lambda question: question["choices"][0].update(right=True), "either"),
        (lambda question: question.update(choices=question["choices"][:2]), "2 choices"),
        (without_right, "0 right choices"),
        (with_two_right, "2 right choices"),
    ],
)
def test_a_broken_question_is_refused(tmp_path, change, message):
    data = json.loads((FOLDER / "01.json").read_text(encoding="utf-8"))
    assert "misconception" in data["questions"][0]["choices"][0]
    change(data["questions"][0])
    (tmp_path / "01.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match=f"01.json, question 01-1: .*{message}"):
        read_quiz(tmp_path / "01.json")


def test_an_unknown_notebook_and_a_cell_without_one_are_refused(tmp_path):
    path = tmp_path / "course.json"
    data = json.loads((FOLDER / "course.json").read_text(encoding="utf-8"))
    path.write_text(json.dumps(data | {"notebook": "13_nothing"}), encoding="utf-8")
    with pytest.raises(ValueError, match="13_nothing"):
        read_quiz(path)
    data["questions"][0]["choices"][0]["cell"] = "shift-run"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match="'shift-run'"):
        read_quiz(path)


def split(text: str, signs: str) -> list[tuple[str, str]]:
    """Return [(sign, what follows it)] of `text`, cut at each of `signs` that has no backslash before it."""
    parts = re.split(rf"(?<!\\)((?:\\\\)*)([{re.escape(signs)}])", text)
    found = [("", parts[0])]
    for backslashes, sign, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        found[-1] = (found[-1][0], found[-1][1] + backslashes)
        found.append((sign, rest))
    return found


def plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text.strip())


def read_gift(text: str) -> list[tuple[str, str, list[tuple[bool, str, str]]]]:
    """Return [(name, question, [(right, choice, feedback)])]: what Moodle reads of the signs that we use."""
    category, *blocks = text.strip().split("\n\n")
    assert category.startswith("$CATEGORY: ")
    found = []
    for block in blocks:
        (_, head), (opening, inside), (closing, rest) = split(block, "{}")
        assert (opening, closing, rest) == ("{", "}", "")
        name, question = re.fullmatch(r"::(.*?)::\[plain\](.*)", head, flags=re.S).groups()
        choices = []
        for sign, choice in split(inside, "=~")[1:]:
            (_, answer), (hash_sign, feedback) = split(choice, "#")
            assert hash_sign == "#"
            choices.append((sign == "=", plain(answer), plain(feedback)))
        found.append((plain(name), plain(question), choices))
    return found


@EVERY
def test_gift_says_the_same(quiz):
    wanted = [(q.id, q.text, [(c.right, c.text, c.because) for c in q.choices]) for q in quiz.questions]
    assert read_gift(gift(quiz)) == wanted


@EVERY
def test_qti_says_the_same(quiz):
    n, cp = f"{{{QTI}}}", f"{{{CONTENT}}}"
    with zipfile.ZipFile(io.BytesIO(qti(quiz))) as archive:
        assert archive.testzip() is None
        files = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}  # all of it is XML
    resources = list(files["imsmanifest.xml"].iter(f"{cp}resource"))
    assert {file.get("href") for r in resources for file in r} - {None} == set(files) - {"imsmanifest.xml"}
    names = [r.get("identifier") for r in resources]
    assert len(set(names)) == len(names)
    assert {d.get("identifierref") for r in resources for d in r.iter(f"{cp}dependency")} == set(names[1:])
    assert {r.get("type") for r in resources} == {"imsqti_test_xmlv2p1", "imsqti_item_xmlv2p1"}
    items = []
    for reference in files["test.xml"].iter(f"{n}assessmentItemRef"):
        item = files[reference.get("href")]
        assert item.tag == f"{n}assessmentItem" and item.get("identifier") == reference.get("identifier")
        assert re.fullmatch(r"[A-Za-z_][\w.-]*", item.get("identifier"))
        key = item.find(f"{n}responseDeclaration/{n}correctResponse/{n}value").text
        choices = {c.get("identifier"): c.text for c in item.iter(f"{n}simpleChoice")}
        reasons = {c.get("identifier"): c.text for c in item.iter(f"{n}modalFeedback")}
        items.append((item.get("title"), item.find(f".//{n}prompt").text, key, choices, reasons))
    assert len({item[0] for item in items}) == len(quiz.questions)
    assert items == [
        (q.id, q.text, q.key, {a: c.text for a, c in q.lettered()}, {a: c.because for a, c in q.lettered()})
        for q in quiz.questions
    ]


def test_qti_is_the_same_every_time():
    assert qti(QUIZZES[0]) == qti(QUIZZES[0])


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
def test_nbgrader_metadata(quiz):
    cells = [cell.metadata["nbgrader"] for cell in nbgrader(quiz).cells if "nbgrader" in cell.metadata]
    for entry in cells:
        assert entry["schema_version"] == 3 and entry["locked"] and not entry["solution"] and not entry["task"]
        assert ("points" in entry) == entry["grade"]
        assert re.fullmatch(r"[\w-]+", entry["grade_id"])
    assert len({entry["grade_id"] for entry in cells}) == len(cells)
    assert sum(entry.get("points", 0) for entry in cells) == len(quiz.questions)


@STORED
def test_no_key_in_the_nbgrader_notebook(quiz):
    text = nbformat.writes(nbgrader(quiz))
    for question in quiz.questions:
        assert not any(choice.because in text for choice in question.choices), question.id
    hashes = re.findall(r"[0-9a-f]{64}", text)
    assert len(set(hashes)) == len(quiz.questions), "equal letters must not have equal hashes"
    tests = [cell.source for cell in nbgrader(quiz).cells if cell.id.startswith("test-")]
    for question, test in zip(quiz.questions, tests, strict=True):
        assert f'"{question.key}"' not in test and f"'{question.key}'" not in test


class Tags(HTMLParser):
    """The tags of a page in order, each with its attributes and the text behind it."""

    def __init__(self, page: str):
        super().__init__()
        self.found, self.open = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), []))
        if tag not in ("input", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.found:
            self.found[-1][2].append(data)

    def all(self, tag):
        return [(attributes, "".join(text).strip()) for name, attributes, text in self.found if name == tag]


@EVERY
def test_html_has_a_label_for_each_input(quiz):
    page = Tags(as_html(quiz, "../{notebook}.html#{cell}"))
    assert page.open == [], "a tag is not closed"
    labels = {attributes["for"]: text for attributes, text in page.all("label")}
    inputs = [attributes for attributes, _ in page.all("input")]
    assert list(labels) == [each["id"] for each in inputs]
    assert list(labels.values()) == [f"{letter}) {c.text}" for q in quiz.questions for letter, c in q.lettered()]
    assert len(Counter(each["name"] for each in inputs)) == len(quiz.questions)
    assert [text.partition(". ")[2].strip() for _, text in page.all("legend")] == [q.text for q in quiz.questions]
    assert len(page.all("fieldset")) == len(page.all("button")) == len(quiz.questions)
    assert sum(attributes.get("aria-live") == "polite" for attributes, _ in page.all("div")) == len(quiz.questions)
    reasons = [attributes for attributes, _ in page.all("p") if "data-choice" in attributes]
    right = [letter for each in reasons if each["data-right"] == "true" for letter in each["data-choice"]]
    assert right == [question.key for question in quiz.questions]
    links = [attributes["href"] for attributes, _ in page.all("a")]
    assert links == [f"../{c.notebook}.html#{c.cell}" for q in quiz.questions for c in q.choices]


def test_ids_are_unique_across_all_fragments():
    names = [a["id"] for quiz in QUIZZES for _, a, _ in Tags(as_html(quiz)).found if "id" in a]
    assert len(set(names)) == len(names)


def test_pages_pass_their_html_on_in_one_block():
    pages = quiz_pages()
    assert list(pages) == [f"{quiz.name}.md" for quiz in QUIZZES]
    for quiz in [*QUIZZES, AWKWARD]:
        title, block = re.fullmatch(r"# (.+?)\n\n.+?\n\n```\{raw\} html\n(.+)```\n", as_page(quiz), flags=re.S).groups()
        assert title == f"Quiz: {quiz.title}" and block == as_html(quiz) and "```" not in block


@EVERY
def test_what_is_handed_out_has_no_key(quiz):
    page, key = printed(quiz), printed_key(quiz)
    assert Tags(page).open == [] and Tags(key).open == []
    assert key.count("<b>Right.</b>") == len(quiz.questions) and "<b>" not in page
    for choice in (choice for question in quiz.questions for choice in question.choices):
        assert escape(choice.text) in page and escape(choice.because) in key
        assert escape(choice.because) not in page and (choice.right or f"<i>{escape(choice.misconception)}" not in page)


def test_nothing_in_the_browser_asks_for_the_network_or_keeps_anything():
    script = (STATIC / "quiz.js").read_text(encoding="utf-8")
    assert len(script.splitlines()) <= 60
    for page in [script, (STATIC / "quiz.css").read_text(encoding="utf-8"), *map(standalone, QUIZZES)]:
        assert not re.search(r"https?://|localStorage|sessionStorage|cookie|fetch\(|XMLHttp|@import|url\(", page)


def test_write_makes_every_file_and_nothing_of_windows(tmp_path):
    files = write(QUIZZES[:2], tmp_path)
    assert {file.relative_to(tmp_path).as_posix() for file in files} == {
        f"{folder}/{name}{ending}"
        for name in ("01", "02")
        for folder, ending in (
            ("gift", ".gift"), ("qti", ".zip"), ("nbgrader", ".ipynb"), ("print", ".html"), ("print", "-key.html"),
            ("browser", ".html"),
        )
    }  # fmt: skip
    assert not any(b"\r\n" in file.read_bytes() for file in files if file.suffix != ".zip")
