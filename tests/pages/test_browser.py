"""The pages in a real Chromium, opened as files: explorers by keyboard, the table of models, axe-core.

Where no Chromium is found these tests are skipped; POSENC_NEED_BROWSER=1 makes them fail instead.
"""

import json
import re
from pathlib import Path

import axe_playwright_python
import pytest
from pypdf import PdfReader

from tests.browser import needs_browser, nightly_unless
from tests.notebooks.reading import PATHS
from tests.pages.conftest import address

pytestmark = needs_browser
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
HEADS = {"empty-table-header": {"enabled": True}}  # what a screen reader says before each cell of a column
WORDS = """folds => folds.map(fold => { const f = fold.cloneNode(true);
    f.querySelectorAll('math, script, form, select, [hidden], .cell.tag_hide-input > .hide').forEach(e => e.remove());
    f.querySelectorAll('*').forEach(e => e.append(' ')); return f.textContent; })"""  # else words of two lines meet
SHOWN = "box => box.querySelector('img').src.split('/').pop()"


def of(box):
    """Return what the script of an explorer knows."""
    return json.loads(box.locator("script").text_content())


def number(facts, box):
    """Return the number of the state that the controls of `box` stand at."""
    count = 0
    for entry in facts["controls"]:
        found = box.locator(f"[name='{entry['name']}']")
        kind = found.first.get_attribute("type")
        if kind == "radio":
            index = int(box.locator(f"[name='{entry['name']}']:checked").input_value())
        else:
            index = int(found.is_checked()) if kind == "checkbox" else int(found.input_value())
        count = count * len(entry["words"]) + index
    return count


def check_shown(page, box, facts):
    """The sentence is that of the state, and so is the picture, unless the state has none (here: not drawn)."""
    state = number(facts, box)
    assert box.locator("[role=status]").text_content() == facts["sentences"][state]
    file = facts["files"][state]
    if file is not None:
        wanted = f"{file}.webp"
        page.wait_for_function(f"([box, wanted]) => ({SHOWN})(box) === wanted", arg=[box.element_handle(), wanted])
        assert box.locator("img").evaluate("image => image.complete && image.naturalWidth") > 300


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_explorers_by_keyboard(visit, path):
    """Each control at both ends, with the picture and the sentence of that state, and back by reset."""
    page = visit(path)
    for box in page.locator(".explorer").all():
        facts = of(box)
        start = number(facts, box)
        for entry in facts["controls"]:
            control = box.locator(f"[name='{entry['name']}']")
            kind = control.first.get_attribute("type")
            assert control.first.evaluate("e => e.labels.length && e.labels[0].innerText.trim()"), (
                "a control without words"
            )
            if kind == "range":
                for key, index in (("Home", 0), ("End", len(entry["words"]) - 1)):
                    control.focus()
                    page.keyboard.press(key)
                    assert int(control.input_value()) == index
                    assert control.get_attribute("aria-valuetext") == entry["words"][index]
                    check_shown(page, box, facts)
            elif kind == "radio":
                for _ in entry["words"]:
                    box.locator(f"[name='{entry['name']}']:checked").focus()
                    page.keyboard.press("ArrowRight")
                    check_shown(page, box, facts)
            else:
                for _ in range(2):
                    control.focus()
                    page.keyboard.press("Space")
                    check_shown(page, box, facts)
            box.get_by_role("button", name="reset").click()
            assert number(facts, box) == start
            check_shown(page, box, facts)


def test_every_step_of_a_steady_pull_is_shown(visit):
    """Sixty key presses along a slider of 21 values, there and back: every state's picture reaches the screen."""
    page = visit("notebooks/04_learned")
    box = page.locator(".explorer")
    facts = of(box)
    box.locator("input[type=range]").focus()  # which loads all that the slider can show
    for key in ["Home", *["ArrowRight"] * 20]:
        page.keyboard.press(key)
        check_shown(page, box, facts)  # now its picture is there
    page.evaluate(
        """box => { window.seen = []; new MutationObserver(() => seen.push(box.querySelector('img').src.split('/').pop()))
            .observe(box.querySelector('.frame'), { childList: true }); }""",
        box.element_handle(),
    )
    expected = []
    for key, steps in (("Home", 1), ("ArrowRight", 20), ("ArrowLeft", 20), ("ArrowRight", 20)):
        for _ in range(steps):
            page.keyboard.press(key)
            expected.append(f"{facts['files'][number(facts, box)]}.webp")
    page.wait_for_function("count => seen.length >= count", arg=len(expected))
    assert page.evaluate("seen") == expected


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_on_paper_all_folds_are_open(site, visit, scripts, tmp_path):
    """Every word of every fold but code that draws is in the PDF of Chromium; on the screen the folds are shut again."""
    page = visit("notebooks/06_rope", seen=False)  # what it should say
    folds = page.locator(".content details:not(.cell.tag_hide-input > .hide)").evaluate_all(WORDS)
    drawing = page.locator(".cell.tag_hide-input > .hide pre").first.text_content()
    page = visit("notebooks/06_rope", seen=False, java_script_enabled=scripts)
    for box in page.locator(".explorer").all() if not scripts else ():  # the picture of the start is left
        assert not box.locator("form").is_visible() and box.locator("img").is_visible()
    page.pdf(path=tmp_path / "printed.pdf", format="A4")
    if scripts:
        assert page.locator(".content details[open]").count() == 0
        page.goto(address(site, "quiz/06"))  # whose answers stay shut, on paper, too
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator(".quiz-reasons").count() and not page.locator(".quiz-reasons[open]").count()
    printed = "".join("".join(sheet.extract_text().split()) for sheet in PdfReader(tmp_path / "printed.pdf").pages)
    words = {word for fold in folds for word in re.findall(r"[A-Za-z_]{4,}", fold)}
    assert "".join(drawing.split()) not in printed
    assert len(folds) > 20 and len(words) > 300
    assert sorted(word for word in words if word not in printed) == []


def test_the_table_of_models_sorts_and_filters(visit):
    box = visit("models").locator(".models")
    heads = box.locator("th").all_inner_texts()
    column = "box => [...box.querySelectorAll('tbody tr:not([hidden])')].map(r => r.cells[%d]"
    years = column % heads.index("year") + ".textContent)"
    box.get_by_role("button", name="year").press("Enter")
    found = [year for year in box.evaluate(years) if year != "–"]
    assert found == sorted(found) and len(set(found)) > 3
    box.get_by_role("button", name="year").press("Enter")
    assert [year for year in box.evaluate(years) if year != "–"] == sorted(found, reverse=True)
    box.get_by_role("button", name="base").press("Enter")
    bases = box.evaluate(column % heads.index("base") + ".dataset.number)")
    filled = [float(base) for base in bases if base]
    assert filled == sorted(filled) and bases[: len(filled)] == [base for base in bases if base], "empty ones come last"
    box.get_by_label("Show rows with").fill("rope decoder")
    rows = box.evaluate("box => [...box.querySelectorAll('tbody tr:not([hidden])')].map(r => r.textContent)")
    assert rows and all("rope" in row.lower() and "decoder" in row.lower() for row in rows)
    assert box.locator("[role=status]").text_content() == f"{len(rows)} models"


# Notebooks are alike in what axe looks at: two stand here for all, the others wait for the night, and so do a dark phone
# and a light laptop.
OTHERS = "index models glossary contributing questions data quizzes quiz/03 search".split()  # noqa: SIM905
NOTEBOOKS = [nightly_unless(path, "03", "06") for path in PATHS]
SCREENS = [("light", 360), ("dark", 1280)]
SCREENS += [pytest.param(*screen, marks=pytest.mark.nightly) for screen in (("dark", 360), ("light", 1280))]


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
@pytest.mark.parametrize("name", [*OTHERS, *NOTEBOOKS], ids=lambda name: getattr(name, "stem", name))
def test_axe_finds_nothing_and_nothing_is_cut_off(visit, name, scheme, width):
    """No node of any rule; the colours of code, thousands of words alike, are tested by themselves."""
    page = visit(name, (width, 900), folds=True, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE)
    run = "rules => axe.run({ exclude: ['.highlight pre'] }, { rules, preload: false })"  # style sheets are there
    found = page.evaluate(run, HEADS)["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
