"""A quiz in the browser: a fragment of HTML for any page, Markdown pages for a Sphinx site, a page of its own.

It needs quiz.js and quiz.css of tools/quiz/static/, asks nothing of other machines and keeps nothing. Without JavaScript
the answers are under a fold. A site lists the two files in `html_js_files` and `html_css_files` of its conf.py.
"""

from html import escape

from tools.course import ROOT
from tools.quiz.file import Question, Quiz, read_quizzes

STATIC = ROOT / "tools" / "quiz" / "static"


def as_html(quiz: Quiz) -> str:
    """Return `quiz` as a fragment of HTML."""
    asked = "\n".join(_question(question, number) for number, question in enumerate(quiz.questions, 1))
    return (
        f'<div class="quiz" id="quiz-{quiz.name}">\n{asked}\n'
        f'<p class="quiz-score" hidden>Right at the first try: <span class="quiz-right">0</span> of '
        f'<span class="quiz-tried">0</span> checked, {len(quiz.questions)} in all.</p>\n</div>\n'
    )


def _question(question: Question, number: int) -> str:
    name, choices, reasons = f"quiz-{question.id}", "", ""
    for letter, choice in question.lettered():
        choices += (
            f'<div class="quiz-choice"><input type="radio" name="{name}" id="{name}-{letter}" value="{letter}">'
            f'<label for="{name}-{letter}">{letter}) {escape(choice.text)}</label></div>\n'
        )
        reasons += (
            f'<p data-choice="{letter}" data-right="{str(choice.right).lower()}">'
            f"<strong>{letter} is {'right' if choice.right else 'wrong'}.</strong> {escape(choice.because)} "
            f'<a href="../notebooks/{choice.notebook}.html#{escape(choice.cell)}">'
            f"Notebook {choice.notebook[:2]}, cell {escape(choice.cell)}</a></p>\n"
        )
    return (
        f'<fieldset class="quiz-question">\n<legend>{number}. {escape(question.text)}</legend>\n{choices}'
        f'<button type="button" class="quiz-check" hidden>Check<span class="quiz-hidden"> question {number}</span>'
        '</button>\n<div class="quiz-answer" aria-live="polite"></div>\n'
        f'<details class="quiz-reasons"><summary>Answers</summary>\n{reasons}</details>\n</fieldset>'
    )


def as_page(quiz: Quiz) -> str:
    """Return `quiz` as a Markdown page for MyST, which passes the block of HTML on as it is."""
    return (
        f"# Quiz: {quiz.title}\n\nOne choice of each question is right. Columns, tokens and positions count from 0. "
        f"Nothing is stored or sent.\n\n```{{raw}} html\n{as_html(quiz)}```\n"
    )


def quiz_pages() -> dict[str, str]:
    """Return the pages of all quizzes: {file name: Markdown}, such as "03.md" and "course.md"."""
    return {f"{quiz.name}.md": as_page(quiz) for quiz in read_quizzes()}


def standalone(quiz: Quiz) -> str:
    """Return `quiz` as one HTML file that holds its style and script, to open from a folder."""
    css, js = ((STATIC / name).read_text(encoding="utf-8") for name in ("quiz.css", "quiz.js"))
    body = f"<main>\n<h1>Quiz: {escape(quiz.title)}</h1>\n{as_html(quiz)}</main>\n<script>\n{js}</script>\n"
    return html_page(f"Quiz: {quiz.title}", css, body)


def html_page(title: str, css: str, body: str) -> str:
    """Return a whole page that needs no other file; `title` is plain text."""
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style></head>\n<body>\n{body}</body>\n</html>\n"
    )
