"""A quiz for other programs: GIFT (Moodle) and nbgrader (a notebook), and a page to print. QTI is in qti.py."""

import hashlib
import re
from html import escape

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.editions.nbgrader import graded_cell
from tools.notebooks import METADATA
from tools.quiz.file import Quiz
from tools.quiz.html import html_page

PRINT_CSS = """
body { font: 11pt/1.4 sans-serif; max-width: 42em; margin: 2em auto; padding: 0 1em; }
li { break-inside: avoid; margin-bottom: 1em; } ol ol { list-style: lower-alpha; } ol ol li { margin: 0.2em 0; }
"""


def gift(quiz: Quiz) -> str:
    """Return `quiz` in Moodle's GIFT format, with the reason of each choice as its feedback."""

    def safe(text: str) -> str:  # a backslash first, so that those added here stay single
        return re.sub(r"([\\~=#{}:])", r"\\\1", text)

    parts = [f"$CATEGORY: posenc/{safe(quiz.name)} {safe(quiz.title)}"]
    for question in quiz.questions:
        lines = [f"::{safe(question.id)}::[plain]{safe(question.text)} {{"]
        lines += [f"\t{'=' if c.right else '~'}{safe(c.text)}#{safe(c.because)}" for c in question.choices]
        parts.append("\n".join([*lines, "}"]))
    return "\n\n".join(parts) + "\n"


def printed(quiz: Quiz) -> str:
    """Return the questions of `quiz` as an HTML page to print and hand out; the key is `printed_key`."""
    asked = []
    for question in quiz.questions:
        choices = "".join(f"<li>{escape(choice.text)}</li>" for choice in question.choices)
        asked.append(f"<li><p>{escape(question.text)}</p><ol>{choices}</ol></li>")
    about = "<p>Name: ____________________</p>\n<p>One choice is right. Columns, tokens and positions count from 0.</p>"
    return _page(f"Quiz {_head(quiz)}", about, asked)


def printed_key(quiz: Quiz) -> str:
    """Return the key to `printed` as an HTML page: what is right and why, and what each wrong choice stands for."""
    key = []
    for question in quiz.questions:
        reasons = "".join(
            f"<li>{'<b>Right.</b>' if c.right else f'<i>{escape(c.misconception)}.</i>'} {escape(c.because)} "
            f"({c.notebook[:2]}, cell {c.cell})</li>"
            for c in question.choices
        )
        key.append(f"<li><p><b>{question.key}</b></p><ol>{reasons}</ol></li>")
    return _page(f"Key to {_head(quiz)}", "", key)


def _head(quiz: Quiz) -> str:
    return f"{quiz.name}: {quiz.title}" if quiz.name[0].isdigit() else quiz.title


def _page(title: str, about: str, items: list[str]) -> str:
    listed = "\n".join(items)
    return html_page(title, PRINT_CSS, f"<h1>{escape(title)}</h1>\n{about}\n<ol>\n{listed}\n</ol>\n")


def nbgrader(quiz: Quiz) -> nbformat.NotebookNode:
    """Return `quiz` as a notebook for nbgrader: source and release are alike, since no cell holds an answer.

    Answer cells carry no metadata of nbgrader, which would clear them. A locked test compares a salted hash, so the key
    cannot be read; whoever tries all four letters finds it, as with any multiple choice that is checked at once.
    """
    text = f'# Quiz {quiz.title}\n\nPut one letter for each `...`, with its quotes: `answer_1 = "a"`.'
    cells = [new_markdown_cell(text, id="quiz-title", metadata=graded_cell("quiz-title", locked=True))]
    for number, question in enumerate(quiz.questions, 1):
        name = f"question-{question.id}"
        listed = "\n".join(f"- **{letter}**: {_plain(choice.text)}" for letter, choice in question.lettered())
        text = f"**{number}.** {_plain(question.text)}\n\n{listed}"
        cells.append(new_markdown_cell(text, id=name, metadata=graded_cell(name, locked=True)))
        cells.append(new_code_cell(f"answer_{number} = ...", id=f"answer-{question.id}"))
        salt = hashlib.sha256(repr(question).encode()).hexdigest()[:12]
        hidden = hashlib.sha256(f"{salt}:{question.key}".encode()).hexdigest()
        test = (
            "import hashlib\n"
            f'given = str(globals().get("answer_{number}")).strip().lower()\n'
            f'found = hashlib.sha256(f"{salt}:{{given}}".encode()).hexdigest()\n'
            f'assert found == "{hidden}", "question {number}: not yet"'
        )
        name = f"test-{question.id}"
        cells.append(new_code_cell(test, id=name, metadata=graded_cell(name, grade=True, locked=True, points=1)))
    return new_notebook(cells=cells, metadata=METADATA)


def _plain(text: str) -> str:
    """Return `text` as Markdown that shows every character as it is."""
    return re.sub(r"([\\`*_\[\]#|<>$~])", r"\\\1", text)
