"""Every notebook in a real browser: live with a kernel, saved without one, and as an HTML page without a network.

Where no Chromium is found these tests are skipped, and say how to get one; POSENC_NEED_BROWSER=1 makes them fail instead.
"""

import os
import re
import subprocess
import sys
import time

import ipywidgets
import nbformat
import pytest
from playwright.sync_api import expect

from tests.benchmarks.explorer import WAYS, step, write_notebook
from tests.browser import HOW_TO_GET_ONE, NOTEBOOK, PATIENCE, ROOT, Lab, find_chromium, quiet, run_all, watch
from tests.notebooks.reading import in_sight
from tools.course import notebook_paths

pytestmark = [
    pytest.mark.skipif(
        find_chromium() is None and os.environ.get("POSENC_NEED_BROWSER") != "1", reason=HOW_TO_GET_ONE
    ),
    pytest.mark.skipif(ipywidgets.__version__ < "8", reason="JupyterLab 4 shows no widgets of ipywidgets 7"),
]
# Each is a fault of other people's code that no reader sees.
KNOWN_ERRORS = [
    # ipywidgets' manager reads session.kernel of a notebook that was opened without a kernel, and gives up on it
    ("Cannot read properties of null (reading 'kernel')", "@jupyter-widgets/jupyterlab-manager"),
]
HIGHEST = 680  # pixels of an explorer's controls, picture and sentence, at 1300 wide
SILENT_FAILURES = ("model not found", "Error displaying widget", "Loading widget", "Javascript Error")
# SHA-256 of the picture's bytes, so that one message, not a picture, crosses over
DIGEST = """async picture => {
    const bytes = await (await fetch(picture.src)).arrayBuffer();
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).join();
}"""
IN_PLAYER = "ancestor::div[contains(@class, 'widget-hbox')][.//div[contains(@class, 'widget-play')]]"
AROUND = "xpath=ancestor::div[contains(@class, 'jp-OutputArea-output')][1]"  # a picture with controls and sentence
STOPS = "[role=slider], [contenteditable=true], button, input, select"  # where Tab halts in an explorer


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
    cells = nbformat.read(path, as_version=4).cells
    pictures = {
        number: sum("image/png" in output.get("data", {}) for output in cell.get("outputs", []))
        for number, cell in enumerate(cells)
    }
    return {number: count for number, count in pictures.items() if count}


def check_folds(page, path):
    """What is for a second reading is hidden as the notebook opens; then open it all."""
    notebook = nbformat.read(path, as_version=4)
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


def read(stop):
    """Return what a control says: the number of a slider, the tick of a box, whether a button of a group is chosen."""
    return stop.evaluate("e => e.getAttribute('aria-valuenow') ?? (e.type === 'checkbox' ? e.checked : e.className)")


def press(page, stop, key):
    """Press `key` on a focused control, and make sure that JupyterLab left it to the control."""
    cell = page.evaluate(f"{NOTEBOOK}.activeCellIndex")
    stop.focus()
    page.keyboard.press(key)
    assert stop.evaluate("e => e === document.activeElement"), f"{key} on a control moved the focus away"
    assert page.evaluate(f"{NOTEBOOK}.activeCellIndex") == cell, f"{key} on a control moved to another cell"


def wait_for_picture(page, picture, wanted, what):
    """Wait until `wanted(digest)` holds for the picture."""
    try:
        wait_until(page, lambda: wanted(picture.evaluate(DIGEST)), what)
    except AssertionError as error:
        raise AssertionError(f"{error}; the explorer says: {picture.locator(AROUND).inner_text()!r}") from error


def wait_until(page, condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE} s"
        page.wait_for_timeout(100)


def use_explorer(page, output):
    """Use an explorer with keys alone: Tab reaches all of it, each control changes the picture, reset brings it back."""
    picture, stops = output.locator("img.widget-image"), output.locator(STOPS)
    reset = output.get_by_role("button", name="reset")
    picture.scroll_into_view_if_needed()
    start = picture.evaluate(DIGEST)
    stops.first.focus()
    for number in range(1, stops.count()):
        page.keyboard.press("Tab")
        assert stops.nth(number).evaluate("e => e === document.activeElement"), f"Tab misses control {number}"
    used = 0
    for stop in stops.all():
        kind = stop.evaluate(
            """e => e.getAttribute('role') === 'slider' ? 'slider' : e.type === 'checkbox' ? 'box'
                 : e.matches('.widget-toggle-button:not(.mod-active)') ? 'choice'
                 : e.matches('.widget-toggle-button, [contenteditable], .widget-button, .widget-play *') ? null
                 : e.tagName"""
        )
        if kind is None or stop.locator(f"xpath={IN_PLAYER}").count():  # the chosen one, a number, reset, the player
            continue
        last = stop.evaluate("e => e.getAttribute('aria-valuenow') === e.getAttribute('aria-valuemax')")
        key = {"slider": "ArrowLeft" if last else "ArrowRight", "SELECT": "ArrowDown"}.get(kind, "Space")
        before = read(stop)
        press(page, stop, key)
        wait_for_picture(page, picture, lambda now: now != start, f"{key} on control {used} changes the picture")
        wait_until(page, lambda: read(stop) != before, f"{key} on control {used} changes what it says")  # noqa: B023
        press(page, reset, "Space")
        wait_for_picture(page, picture, lambda now: now == start, "reset brings the first picture back")
        wait_until(page, lambda: read(stop) == before, f"reset brings control {used} back")  # noqa: B023
        used += 1
    assert used, "an explorer without a control"
    if output.locator(".widget-play").count():
        use_player(page, output, picture, start)
    box = picture.locator(AROUND).bounding_box()
    assert box["height"] < HIGHEST, "controls, picture and sentence do not fit a laptop"


def use_player(page, output, picture, start):
    """A step forward, a step back, playing: the picture follows, and reset brings the first one back and stops."""
    words = output.locator("[role=status]")
    first = words.inner_text()
    for name in ("step forward", "step back", "to the start"):
        button = output.locator(f"button[title='{name}']")
        button.focus()
        page.keyboard.press("Space")
    wait_for_picture(page, picture, lambda now: now != start, "the player moves the picture")
    expect(words).not_to_have_text(first, timeout=PATIENCE * 1000)
    reset = output.get_by_role("button", name="reset")
    press(page, reset, "Space")
    wait_for_picture(page, picture, lambda now: now == start, "reset brings the first picture back")
    output.locator(".widget-play button").first.click()
    wait_for_picture(page, picture, lambda now: now != start, "it plays")
    press(page, reset, "Space")
    wait_for_picture(page, picture, lambda now: now == start, "reset stops it")
    page.wait_for_timeout(1000)
    assert picture.evaluate(DIGEST) == start, "it goes on after reset"


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_live(lab, page, path):
    """As opened, all pictures are there; Run All ends without an error; every explorer can be used by keyboard."""
    lab.open(page, path)
    check_folds(page, path)
    check_pictures(page, path)
    assert run_all(page) == []
    check_pictures(page, path)
    explorers = [
        number
        for number, cell in enumerate(nbformat.read(path, as_version=4).cells)
        if cell.cell_type == "code" and "\nexplore(" in "\n" + cell.source
    ]
    boxes = page.locator(".jp-Notebook .jp-Cell").filter(has=page.locator("img.widget-image"))
    assert boxes.count() == len(explorers), "cells with a live widget"
    for number in explorers:
        use_explorer(page, page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".jp-OutputArea"))


def test_sliders(lab, page, tmp_path):
    """A slider follows the arrow keys, whether the whole figure is drawn again or blitted."""
    path = tmp_path / "sliders.ipynb"
    ways = {way: source for way, source in WAYS.items() if way.startswith("explore")}
    write_notebook(path, ways)
    lab.open(page, path)
    assert run_all(page) == []
    assert page.locator("[role=slider]").count() == len(ways) == 2
    for number in range(1, 1 + len(ways)):
        use_explorer(page, page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".jp-OutputArea"))


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
    write_notebook(path, {"slow": SLOW})
    lab.open(page, path)
    assert run_all(page) == []
    output = page.locator(".jp-Notebook .jp-Cell").nth(1).locator(".jp-OutputArea")
    picture, slider = output.locator("img.widget-image"), output.locator("[role=slider]").first
    words, reset = output.locator("[role=status]"), output.get_by_role("button", name="reset")
    start = picture.evaluate(DIGEST)

    def is_back():
        return (words.inner_text(), float(read(slider)), picture.evaluate(DIGEST)) == ("at 4", 4, start)

    def hurried(presses):
        slider.focus()
        for _ in range(presses):
            page.keyboard.press("ArrowRight")

    def played(steps):
        output.locator(".widget-play button").first.click()
        wait_until(page, lambda: float(read(slider)) >= 4 + steps, "it plays")

    for move, count in ((hurried, 1), (hurried, 2), (hurried, 6), (played, 0), (played, 2)):
        move(count)
        reset.click()  # at once
        wait_until(page, is_back, f"reset after {move.__name__} {count}")
        for _ in range(30):
            assert is_back(), f"{move.__name__} {count}: it goes on after reset"
            page.wait_for_timeout(100)
    hurried(3)
    wait_until(page, lambda: (words.inner_text(), float(read(slider))) == ("at 7", 7), "and it follows again")


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_saved_without_kernel(lab, page, path):
    """JupyterLab without a kernel shows every picture of the file as it is committed."""
    lab.open(page, path, kernel=False)
    assert lab.api("kernels") == []
    check_folds(page, path)
    check_pictures(page, path)


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_html_page(browser, tmp_path, path):
    """The HTML page, read from disk without a network, shows every picture, each with its alternative text."""
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", tmp_path, "--log-level", "ERROR",
         f"--TemplateExporter.extra_template_basedirs={ROOT / 'tools'}", "--template", "html_template", path],
        check=True,
    )  # fmt: skip
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


PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
STILL = f"""
<div class="jp-Notebook"><div class="jp-Cell"><div class="jp-Cell-outputArea">
  <div class="noUi-handle" tabindex="0">|</div><img src="data:image/gif;base64,{PIXEL}">
</div></div></div>"""


def test_the_benchmark_gives_up_a_step_whose_picture_never_comes(page):
    page.set_content(STILL)
    with pytest.raises(TimeoutError, match=r"some way, step 3: no new picture within 0\.5 s"):
        step(page, 0, "some way, step 3", patience=0.5)


def test_the_benchmark_measures_from_the_key_to_the_new_picture(page):
    page.set_content(STILL)
    other = PIXEL.replace("AAAAAAAP///", "AAAAAP8AAP8")
    page.evaluate(
        """source => document.addEventListener("keydown", () => setTimeout(
            () => { document.querySelector("img").src = source; }, 200))""",
        f"data:image/gif;base64,{other}",
    )
    assert 200 <= step(page, 0, "some way, step 1") < 5000
