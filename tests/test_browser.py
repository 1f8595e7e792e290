"""The notebooks in a real browser: explorers live, saved without a kernel, and as an HTML page without a network.

Where no Chromium is found these tests are skipped, and say how to get one; POSENC_NEED_BROWSER=1 makes them fail instead.
"""

import re
import subprocess
import sys

import ipywidgets
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.browser import NOTEBOOK, ROOT, Lab, needs_browser, nightly_unless, quiet, run_all, watch
from tests.keyboard import DIGEST, says, use_explorer, wait_until
from tests.notebooks.reading import NAMES, PATHS, in_sight, read
from tools.notebooks import METADATA
from tools.pages.collect import explorer_cells, needed
from tools.pages.playable import playable_cells

pytestmark = [
    needs_browser,
    pytest.mark.skipif(ipywidgets.__version__ < "8", reason="JupyterLab 4 shows no widgets of ipywidgets 7"),
]
EVERY = pytest.mark.parametrize("path", PATHS, ids=NAMES)
# The anatomy of each notebook's file is tested without a browser: one stands here for all, the others wait for the night.
ONE = pytest.mark.parametrize("path", [nightly_unless(path, "06") for path in PATHS], ids=NAMES)
# Of each kind of explorer and picture one; what the others draw is tested without a browser, and on the pages.
FOUR = pytest.mark.parametrize("path", [nightly_unless(path, "01", "03", "08", "09") for path in PATHS], ids=NAMES)
# Each is a fault of other people's code that no reader sees.
KNOWN_ERRORS = [
    # ipywidgets' manager reads session.kernel of a notebook that was opened without a kernel, and gives up on it
    ("Cannot read properties of null (reading 'kernel')", "@jupyter-widgets/jupyterlab-manager")
]
SILENT_FAILURES = ("model not found", "Error displaying widget", "Loading widget", "Javascript Error")


@pytest.fixture(scope="module")
def lab():
    with Lab() as lab:
        yield lab


@pytest.fixture
def page(browser):
    """An empty page that must stay without errors, but those that are known, and requests for other machines."""
    with quiet(browser, KNOWN_ERRORS, width=1300, height=900) as page:
        yield page


def cells_with_pictures(path):
    """Return {number of the cell: how many pictures its saved outputs hold}."""
    outputs = {number: cell.get("outputs", []) for number, cell in enumerate(read(path).cells)}
    pictures = {number: sum("image/png" in out.get("data", {}) for out in found) for number, found in outputs.items()}
    return {number: count for number, count in pictures.items() if count}


def check_folds(page, path):
    """What is for a second reading is hidden as the notebook opens; then open it all."""
    notebook = read(path)
    core = [cell.id for cell in in_sight(notebook)]
    hidden = page.evaluate(f"{NOTEBOOK}.widgets.map(cell => cell.isHidden)")
    assert hidden == [cell.id not in core for cell in notebook.cells]
    page.evaluate("jupyterapp.commands.execute('notebook:expand-all-headings')")


def check_pictures(page, path):
    """Every saved picture of the notebook at `path` is on the page, of a size that can be read."""
    expected = cells_with_pictures(path)
    assert expected, f"{path.name} has no picture saved"
    for number, count in expected.items():
        pictures = page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".jp-OutputArea-output img")
        pictures.first.scroll_into_view_if_needed()
        assert pictures.count() == count, f"pictures of cell {number}"
        for picture in pictures.all():
            assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
            assert picture.bounding_box()["width"] > 100
    shown = page.evaluate(f"{NOTEBOOK}.node.innerText")
    assert not [text for text in SILENT_FAILURES if text in shown]


def explorers_of(page, notebook):
    """Return the outputs of the cells with an explorer; each is live, as is what one plays with, and no other."""
    numbers = [k for k, cell in enumerate(notebook.cells) if cell.id in explorer_cells(notebook)]
    cells, played = page.locator(".jp-Notebook .jp-Cell"), playable_cells(notebook)
    assert [*numbers, *played], "no explorer"
    page.wait_for_function(f"document.querySelectorAll('.jp-Notebook .kit-stage svg').length === {len(played)}")
    assert cells.filter(has=page.locator("img.widget-image")).count() == len(numbers), "cells with a live widget"
    return [cells.nth(number).locator(".jp-OutputArea") for number in numbers]


def only_explorers(notebook):
    """Return a notebook with the explorers of `notebook`, each behind the statements that it needs, and nothing else."""
    cells = []
    for name in [*explorer_cells(notebook), *playable_cells(notebook)]:
        *before, last = needed(notebook, name)
        cells += [new_code_cell("\n".join([*before, "print('ready')"])), new_code_cell(last, id=name)]
    return new_notebook(cells=cells, metadata=notebook.metadata)


@FOUR
def test_explorers_live(lab, page, path, tmp_path):
    """Every explorer of the notebook can be used by keyboard, with the cells that it needs run and no others."""
    notebook = only_explorers(read(path))
    nbformat.write(notebook, tmp_path / path.name)
    lab.open(page, tmp_path / path.name)
    assert run_all(page) == []
    for output in explorers_of(page, notebook):
        use_explorer(page, output)
    for kit in page.locator(".jp-OutputArea .kit:has(.kit-stage)").all():  # JupyterLab leaves it its keys
        says = kit.get_by_role("status")
        start = says.inner_text()
        kit.locator("[type=range]").first.focus()
        for key in ("ArrowDown", "End", "ArrowLeft"):
            page.keyboard.press(key)
            assert kit.evaluate("kit => kit.contains(document.activeElement)")
        wait_until(page, lambda says=says, start=start: says.inner_text() != start, "the sentence follows the keys")


@pytest.mark.nightly
@EVERY
def test_live(lab, page, path):
    """As opened, all pictures are there; Run All ends without an error, and shows every picture and explorer again."""
    lab.open(page, path)
    check_folds(page, path)
    check_pictures(page, path)
    assert run_all(page) == []
    check_pictures(page, path)
    explorers_of(page, read(path))


def test_make_lab_asks_nothing_of_the_reader_nor_of_another_machine(browser):
    """With the configuration of `make lab` and no settings of one's own: no question about news, no look for updates."""
    for path in ("Makefile", "tools/editions/templates/course/Makefile"):
        assert "$(CURDIR)/tools/jupyter" in (ROOT / path).read_text(encoding="utf-8")
    asked = []
    config = {"JUPYTER_CONFIG_PATH": str(ROOT / "tools" / "jupyter")}
    with Lab({}, **config) as lab, quiet(browser, width=1300, height=900) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{lab.url}lab?token={lab.token}")
        page.wait_for_function("window.jupyterapp?.restored.then(() => true)")
        page.wait_for_timeout(5000)
        assert page.locator(".Toastify__toast, .jp-Dialog").all_inner_texts() == []
    assert asked and not [url for url in asked if re.search(r"/lab/api/(news|update)", url)]  # these ask other machines


SLOW = """
import time
from posenc_helpers.classroom.explorers import explore
from posenc_helpers.classroom.figures import figure

def build(place):
    fig = figure(4, 2)
    (line,) = fig.add_subplot().plot([0, 1], [0, 30])
    def update(place):
        time.sleep(0.4)  # a machine that has much else to do
        line.set_ydata([0, place])
    return fig, update

explore(build, lambda place: f"at {place}", caption="A line.", play="place", place=(0, 30, 4))"""


def test_reset_holds_whatever_is_under_way(lab, page, tmp_path):
    """Moves that a slow kernel has not yet shown, and a player that ticks on: after a reset nothing comes of them."""
    path = tmp_path / "slow.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(SLOW)], metadata=METADATA), path)
    lab.open(page, path)
    assert run_all(page) == []
    output = page.locator(".jp-Notebook .jp-Cell").nth(0).locator(".jp-OutputArea")
    picture, slider = output.locator("img.widget-image"), output.locator("[role=slider]").first
    words, reset = output.locator("[role=status]"), output.get_by_role("button", name="reset")
    start = picture.evaluate(DIGEST)

    def is_back():
        return (words.inner_text(), float(says(slider)), picture.evaluate(DIGEST)) == ("at 4", 4, start)

    def hurried(presses):
        slider.focus()
        for _ in range(presses):
            page.keyboard.press("ArrowRight")

    def played(steps):
        output.locator(".widget-play button").first.click()
        wait_until(page, lambda: float(says(slider)) >= 4 + steps, "it plays")

    for move, count in ((hurried, 1), (hurried, 6), (played, 0), (played, 2)):
        move(count)
        reset.click()  # at once
        wait_until(page, is_back, f"reset after {move.__name__} {count}")
        for _ in range(15):
            assert is_back(), f"{move.__name__} {count}: it goes on after reset"
            page.wait_for_timeout(100)
    hurried(3)
    wait_until(page, lambda: (words.inner_text(), float(says(slider))) == ("at 7", 7), "and it follows again")


@ONE
def test_saved_without_kernel(lab, page, path):
    """JupyterLab without a kernel shows every picture of the file as it is committed."""
    lab.open(page, path, kernel=False)
    assert lab.api("kernels") == []
    check_folds(page, path)
    check_pictures(page, path)


@ONE
def test_html_page(browser, tmp_path, path):
    """The HTML page, read from disk without a network, shows every picture, each with its alternative text."""
    templates = f"--TemplateExporter.extra_template_basedirs={ROOT / 'tools'}"
    options = ["--to", "html", "--output-dir", tmp_path, "--log-level", "ERROR"]
    options += [templates, "--template", "html_template"]
    subprocess.run([sys.executable, "-m", "nbconvert", *options, path], check=True)
    with browser.new_context() as context:
        watch(context)
        page = context.new_page()
        page.goto((tmp_path / f"{path.stem}.html").as_uri())
        pictures = page.locator("img").all()
        assert len(pictures) == sum(cells_with_pictures(path).values())
        for picture in pictures:
            assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
            alt = picture.get_attribute("alt")
            assert alt and "No description has been provided" not in alt
        shown = page.locator("body").inner_text()
        assert not [text for text in SILENT_FAILURES if text in shown]
