"""The quizzes of teaching/quiz/, read and checked: what a question holds, and where its cells are."""

import json
from pathlib import Path
from typing import NamedTuple

from tools.course import ROOT, notebook_paths

FOLDER = ROOT / "teaching" / "quiz"
LETTERS = "abcd"
COURSE = "all"  # what a quiz over several notebooks names as its notebook; its cells say which: "03:shift-run"


class Choice(NamedTuple):
    """One answer of a question, and why it is right or wrong. A wrong one stands for a misconception."""

    text: str
    because: str
    notebook: str  # the file name without its ending: 03_sinusoidal
    cell: str  # the id of the cell that shows it
    misconception: str | None  # None: this is the right one

    @property
    def right(self) -> bool:
        return self.misconception is None


class Question(NamedTuple):
    id: str  # 03-1
    text: str
    choices: tuple[Choice, ...]

    @property
    def key(self) -> str:
        """The letter of the right choice."""
        return next(letter for letter, choice in self.lettered() if choice.right)

    def lettered(self) -> list[tuple[str, Choice]]:
        return list(zip(LETTERS, self.choices, strict=False))


class Quiz(NamedTuple):
    name: str  # 03, or course
    title: str
    questions: tuple[Question, ...]


def read_quiz(path: Path) -> Quiz:
    """Return the quiz in the file `path`. Raises ValueError where a question breaks the rules of its README."""
    data = json.loads(path.read_text(encoding="utf-8"))
    stems = {notebook.stem[:2]: notebook.stem for notebook in notebook_paths()}
    if data["notebook"] not in (COURSE, *stems.values()):
        raise ValueError(f"{path.name}: notebook {data['notebook']!r} is none of {', '.join(stems.values())}")

    def choice(raw: dict, where: str) -> Choice:
        if ("right" in raw) == ("misconception" in raw) or raw.get("right", True) is not True:
            raise ValueError(f'{where}: a choice has either "right": true or a misconception, not {raw}')
        notebook, cell = data["notebook"], raw["cell"]
        if notebook == COURSE:
            number, _, cell = raw["cell"].partition(":")
            notebook = stems.get(number)
            if not notebook or not cell:
                raise ValueError(f'{where}: cell {raw["cell"]!r} is not of the form "03:shift-run"')
        return Choice(raw["text"], raw["because"], notebook, cell, raw.get("misconception"))

    questions = []
    for raw in data["questions"]:
        where = f"{path.name}, question {raw['id']}"
        choices = tuple(choice(each, where) for each in raw["choices"])
        rights = sum(each.right for each in choices)
        if rights != 1 or not 3 <= len(choices) <= len(LETTERS):
            raise ValueError(
                f"{where}: {len(choices)} choices, {rights} right choices; allowed: 3 or 4, 1 of them right"
            )
        questions.append(Question(raw["id"], raw["question"], choices))
    return Quiz(path.stem, data["title"], tuple(questions))


def read_quizzes() -> list[Quiz]:
    """Return the quizzes of the notebooks in order, then the one of the course."""
    return [read_quiz(path) for path in sorted(FOLDER.glob("*.json"))]
