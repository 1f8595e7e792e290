"""A "Predict" on the pages: a form first, and what answers it when a reader has entered something or wants to see it."""

import re

import pytest
from pypdf import PdfReader

from posenc_helpers.classroom.predictions import check_kind
from tests.browser import needs_browser, nightly_unless
from tests.notebooks.reading import NAMES, PATHS, read
from tests.pages.conftest import anew
from tools.notebooks import PREDICT, printed
from tools.pages.predict import answers, kind_of

PAGE = "notebooks/03_sinusoidal"
OPEN = "part => part.getBoundingClientRect().height > 40"
COMMON = {"yes", "no", "with", "only", "neither", "both", "none", "the", "of", "in", "its", "all", "one", "two"}


def words(text):
    return set(re.findall(r"[\w./,]*\w", text.lower()))


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_each_prediction_asks_for_something_that_an_answer_follows(path):
    cells = read(path).cells
    asked = [k for k, cell in enumerate(cells) if cell.cell_type == "markdown" and PREDICT in cell.source]
    kinds = {k: kind_of(cell) for k, cell in enumerate(cells) if kind_of(cell) is not None}
    assert list(kinds) == [k + 1 for k in asked], "a call of predict() follows each text that asks, and no other"
    assert [cells[k].id for k in kinds] == [f"{cells[k].id}-guess" for k in asked] == list(answers(read(path)))
    for k, kind in kinds.items():
        check_kind(kind)
        unknown = words(" ".join(kind)) - words(cells[k - 1].source) - COMMON if isinstance(kind, list) else ()
        assert not unknown, f"{cells[k].id} offers what its text does not name"
    shown = {
        cell.id for cell in cells if cell.cell_type == "code" and any(line.startswith("=>  ") for line in printed(cell))
    }
    assert set(answers(read(path)).values()) <= shown


def question(page, cell):
    """Return the form of a question, and the part that answers it."""
    return page.locator(f"form.predict[data-id={cell}-guess]"), page.locator(f"#{cell}-guess-answer")


@needs_browser
def test_an_entry_opens_its_answer_only_and_stands_above_the_line(visit):
    page = visit(PAGE, seen=False)
    form, part = question(page, "puzzle")
    assert page.locator(".unseen:not([hidden])").count() == 0 and not part.locator("pre").first.is_visible()
    form.get_by_label("Your prediction:").focus()
    page.keyboard.type(" 2,500 ")
    page.keyboard.press("Enter")
    lines = part.locator(".cell_output").first.inner_text().splitlines()
    answer = next(k for k, line in enumerate(lines) if line.startswith("=>"))
    assert part.is_visible() and lines[answer - 1].strip() == "you: 2,500"
    said = page.locator(".answer-says").text_content()
    assert said.startswith("you: 2,500. three hands tell apart: 10000")
    assert page.locator(".unseen:not([hidden])").count() == 1
    button = form.get_by_role("button")
    assert button.evaluate("b => b === document.activeElement && b.ariaExpanded") == "true"
    page.keyboard.press("Enter")  # shut again: the entry can be changed
    assert not part.locator("pre").first.is_visible() and form.get_by_label("Your prediction:").is_enabled()


NEXT = """form => { form.scrollIntoView(); scrollBy(0, -innerHeight * %s);
    const below = e => form.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING;
    return [...document.querySelectorAll('article :is(img, svg, pre, td, .formula)')].filter(below)
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().height && e.getBoundingClientRect().top < innerHeight)
        .map(e => e.outerHTML.slice(0, 90)); }"""


@needs_browser
@pytest.mark.parametrize("path", [nightly_unless(path, "03", "08") for path in PATHS], ids=lambda path: path.stem)
def test_nothing_of_what_comes_next_is_in_sight_of_a_question(visit, path):
    """No table, picture, code or formula, with the form in the upper third of the window, until the answer is opened."""
    page = visit(path, (1280, 800), seen=False, folds=True)
    forms = page.locator("form.predict:visible")
    assert forms.count() > 2
    for form in forms.all():
        for height in (1 / 12, 1 / 3):
            assert form.evaluate(NEXT % height) == [], form.get_attribute("data-id")
    entry = form.locator("input").first
    entry.check() if entry.get_attribute("type") == "radio" else entry.fill("1")
    form.get_by_role("button").click()
    assert not page.locator(f"[data-id={form.get_attribute('data-id')}] + .waits").is_visible()


@needs_browser
def test_choices_by_keyboard(visit):
    page = visit(PAGE, seen=False)
    form, part = question(page, "what-is-i")
    form.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    assert not part.locator("pre").first.is_visible(), "choosing is not yet asking to see"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert part.locator(".you").inner_text().strip() == "you: sin(1/100)"


ENTRIES = {"5": True, "-0.5": True, "1/3": True, "10,000": True, "2e-3": True, "≈ 50 %": True, ".5": True}
ENTRIES |= {"about 200": True, "well, 200 tokens.": True, "roughly 1/3 of them": True, "-2.5 (a guess)": True}
ENTRIES |= {"": False, "  ": False, "many": False, "2 < 3": False, "5 or 6": False, "-": False, "1/": False}
ENTRIES |= {"two hundred": False, "3 of 4": False}


@needs_browser
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_field_for_a_number_takes_numbers_and_says_so(visit, entry):
    form, part = question(visit(PAGE, seen=False), "puzzle")
    says, field = form.get_by_role("status"), form.get_by_label("Your prediction:")
    field.fill(entry)
    field.press("Enter")
    assert part.locator("pre").first.is_visible() == ENTRIES[entry]
    assert says.is_visible() != ENTRIES[entry]
    if not ENTRIES[entry]:
        wanted = "This asks for a number" if entry.strip() else "Nothing is entered yet"
        assert says.inner_text().startswith(wanted) and field.evaluate("e => e === document.activeElement")
        field.fill("1")
        assert says.inner_text() == "", "it is being mended"


@needs_browser
def test_nothing_entered_and_nothing_chosen_open_no_answer_but_when_asked_twice(visit):
    page = visit(PAGE, seen=False)
    for form in page.locator("form.predict:visible").all():
        form.get_by_role("button", name="show me").click()
        assert form.get_by_role("status").inner_text() == (
            "Nothing is entered yet. A guess will do; press again to see it without one."
        )
    assert page.locator(".unseen:not([hidden])").count() == 0
    form, part = question(page, "puzzle")
    form.get_by_role("button", name="show me").click()
    assert part.locator("pre").first.is_visible() and not form.get_by_role("status").is_visible()


@needs_browser
def test_entries_stay_in_this_browser_until_they_are_forgotten(visit):
    page = visit(PAGE, seen=False)
    for cell, entry in (("puzzle", "5"), ("flat", "0.3")):
        form, _ = question(page, cell)
        form.get_by_label("Your prediction:").fill(entry)
        form.get_by_role("button").click()
    anew(page)
    assert page.locator(".unseen:not([hidden])").count() == 2
    form, part = question(page, "puzzle")
    assert form.get_by_label("Your prediction:").input_value() == "5"
    assert "you: 5" in part.locator(".cell_output").first.inner_text()
    page.get_by_role("button", name="Forget my predictions").click()
    assert page.locator(".forget").get_by_text("They are forgotten.").is_visible()
    assert page.locator(".answer-says").text_content() == "They are forgotten."
    form.get_by_label("Your prediction:").fill("5")
    form.get_by_role("button").click()
    assert page.locator(".forget").get_by_text("They are stored in this browser").is_visible()
    page.get_by_role("button", name="Forget my predictions").click()
    for again in (lambda page: None, anew):
        again(page)
        assert page.locator(".unseen:not([hidden])").count() == 0
        assert form.get_by_label("Your prediction:").input_value() == ""


@needs_browser
@pytest.mark.parametrize("ending, found", [("#why-both-run", ""), ("#why-sine-and-cosine", "sines 1.68")])
def test_a_link_into_an_answer_opens_it(visit, ending, found):
    """The link names a cell, or the section in which a search has found a word that stands only in what is shut."""
    page = visit(PAGE, seen=False)
    page.evaluate("found => localStorage.setItem('sphinx_highlight_terms', found)", found)
    anew(page, page.url + ending)
    _, part = question(page, "why-both")
    assert part.locator("pre").first.is_visible() and page.locator(".unseen:not([hidden])").count() == 1
    assert page.locator(ending).evaluate("e => Math.abs(e.getBoundingClientRect().top) < innerHeight")


@needs_browser
def test_without_a_script_all_is_open_and_nothing_asks(visit):
    page = visit(PAGE, java_script_enabled=False)
    parts = page.locator(".unseen:not(details *)").all()
    assert len(parts) >= 7 and all(part.evaluate(OPEN) for part in parts)
    asking = page.locator("form.predict, form.forget, .waits, .write-here")
    assert not any(one.is_visible() for one in asking.all())


@needs_browser
def test_on_paper_answers_stand_at_the_end_and_a_line_to_write_on_at_the_question(visit, tmp_path):
    """What answers a question in an answer, in the second half of the end; afterwards all is as it was."""
    page = visit(PAGE, seen=False)
    before = page.locator("article").inner_html()
    page.pdf(path=tmp_path / "printed.pdf", format="A4")
    assert page.locator("article").inner_html() == before
    flat = lambda words: "".join(words.split())  # noqa: E731
    text = flat(" ".join(sheet.extract_text() for sheet in PdfReader(tmp_path / "printed.pdf").pages))
    end = text.index("AnswersAnswer1")
    printed = "".join(page.locator(".unseen pre").all_text_contents())
    answers = [text.find(flat(line)) for line in re.findall("^=>.*", printed, re.M)]
    assert len(answers) > 5 and min(answers) > end > text.index("____")
    assert text.count("standsattheend.") == len(page.locator(".unseen, details.answer").all())
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    parts, lines = page.locator(".unseen"), page.locator(".write-here")
    assert parts.count() == lines.count() >= 8
    for part, line in zip(parts.all(), lines.all(), strict=True):
        assert part.evaluate(OPEN) and line.is_visible()
    assert not any(form.is_visible() for form in page.locator("form.predict, form.forget, .waits").all())


@needs_browser
def test_on_paper_a_question_among_the_answers_has_its_own_on_another_sheet(visit):
    page = visit("notebooks/01_why_order_matters", seen=False)
    asked = page.locator(".unseen .write-here")
    assert asked.count() == 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    heads = page.locator(".answers > h2").all_inner_texts()
    assert heads == ["Answers", "Answers to questions among the answers"]
    assert page.locator(".answers .write-here + p").all_inner_texts() == ["Answer 7 stands at the end."]
    assert page.locator(".answers").last.locator("#same-tokens-text-guess-answer").count() == 1
    assert page.locator(".write-here + .unseen").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".answers").count() == 0 and asked.count() == 1
