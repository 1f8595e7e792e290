"""The quizzes of teaching/quiz/: their questions keep the rules of its README, and what breaks them is refused."""

import csv
import json
import re
from collections import Counter
from statistics import mean

import pytest

from tests.notebooks.reading import PATHS, read
from tools.quiz.file import COURSE, FOLDER, LETTERS, read_quiz, read_quizzes

QUIZZES = read_quizzes()
CELLS = {path.stem: {cell.id for cell in read(path).cells} for path in PATHS}
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
        assert [choice.cell for choice in question.choices if choice.cell not in CELLS[choice.notebook]] == [], (
            question.id
        )


def test_the_course_quiz_asks_about_all_notebooks_and_misconceptions_are_listed_once_and_used():
    assert {choice.notebook for question in QUIZZES[-1].questions for choice in question.choices} == set(CELLS)
    with open(FOLDER / "misconceptions.csv", newline="", encoding="utf-8") as file:
        listed = list(csv.DictReader(file))
    choices = [choice for quiz in QUIZZES for question in quiz.questions for choice in question.choices]
    used = {choice.misconception for choice in choices if not choice.right}
    assert sorted(row["name"] for row in listed) == sorted(used)
    assert all(row["thought"] and row["true"] for row in listed)


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


BREAKS = [
    ("01", lambda quiz, question: question["choices"][0].pop("misconception"), "01.json, question 01-1: .*either"),
    ("01", lambda quiz, question: question["choices"][0].update(right=True), "01.json, question 01-1: .*either"),
    ("01", lambda quiz, question: question.update(choices=question["choices"][:2]), "question 01-1: .*2 choices"),
    ("01", lambda quiz, question: without_right(question), "question 01-1: .*0 right choices"),
    ("01", lambda quiz, question: with_two_right(question), "question 01-1: .*2 right choices"),
    ("course", lambda quiz, question: quiz.update(notebook="13_nothing"), "13_nothing"),
    ("course", lambda quiz, question: question["choices"][0].update(cell="shift-run"), "shift-run"),
]


@pytest.mark.parametrize(("name", "change", "message"), BREAKS)
def test_a_broken_quiz_is_refused(tmp_path, name, change, message):
    data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    change(data, data["questions"][0])
    (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_quiz(tmp_path / f"{name}.json")
