"""A quiz in a real Chromium, opened from a folder and answered by keyboard alone. Skipped where no Chromium is found."""

import pytest

from tests.browser import needs_browser, watch
from tools.quiz.file import read_quizzes
from tools.quiz.html import standalone

pytestmark = needs_browser
QUIZ = read_quizzes()[0]
FOCUSED = "document.activeElement"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("quiz") / "01.html"
    path.write_text(standalone(QUIZ), encoding="utf-8")
    return path


def test_answered_by_keyboard_alone(browser, file):
    with browser.new_context(viewport={"width": 390, "height": 800}) as context:  # a phone's width
        log = watch(context)
        page = context.new_page()
        page.goto(file.as_uri())
        score = page.locator(".quiz-score")
        for number, question in enumerate(QUIZ.questions):
            asked = page.locator(".quiz-question").nth(number)
            answer = asked.locator("[aria-live=polite]")
            page.keyboard.press("Tab")
            assert page.evaluate(f"{FOCUSED}.id") == f"quiz-{question.id}-a"
            if number == 0:  # to the button without a choice, and back
                page.keyboard.press("Tab")
                page.keyboard.press("Enter")
                assert answer.inner_text() == "Choose an answer first."
                page.keyboard.press("Shift+Tab")  # goes to the last choice of the group where none is chosen
                assert page.evaluate(f"{FOCUSED}.name") == f"quiz-{question.id}"
                page.keyboard.press("Space")
                for _ in range(len(question.choices)):  # round to the first
                    if page.evaluate(f"{FOCUSED}.value") == "a":
                        break
                    page.keyboard.press("ArrowDown")
            else:
                page.keyboard.press("Space")
            wanted = number % 2 == 0  # every other question is answered right
            letter = question.key if wanted else next(a for a, c in question.lettered() if not c.right)
            while page.evaluate(f"{FOCUSED}.value") != letter:
                page.keyboard.press("ArrowDown")
            assert answer.inner_text() == "", "what is shown belongs to the last choice checked"
            page.keyboard.press("Tab")
            page.keyboard.press("Space")
            choice = dict(question.lettered())[letter]
            assert answer.inner_text().startswith(f"{letter} is {'right' if wanted else 'wrong'}. {choice.because}")
            page.keyboard.press("Space")  # a second look does not count
            assert f"{number // 2 + 1} of {number + 1} checked" in score.inner_text()
            page.keyboard.press("Tab")
            expected = f"/notebooks/{choice.notebook}.html#{choice.cell}"
            assert page.evaluate(f"{FOCUSED}.href").endswith(expected)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, "the page scrolls sideways on a phone"
        assert not page.locator(".quiz-reasons").first.is_visible()
        assert (log.errors, log.outside) == ([], [])


def test_without_javascript_the_answers_are_under_a_fold(browser, file):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        assert not page.locator(".quiz-check").first.is_visible()
        assert not page.locator(".quiz-score").is_visible()
        fold = page.locator(".quiz-reasons").first
        fold.locator("summary").press("Enter")
        assert QUIZ.questions[0].choices[0].because in fold.inner_text()
