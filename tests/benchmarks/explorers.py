"""One step of every explorer of the course, from the key to the new picture on the screen, against ipywidgets' `interact`.

    python -m tests.benchmarks.explorers [STEPS]

The notebooks run as they are, but each `explore` also shows the same figure the plain way: made anew at every step. Both
stand in one output and take turns. Prints the median milliseconds of each, and how many times as fast the explorer is.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median

import nbformat
from playwright.sync_api import Locator, Page

from tests.browser import Lab, chromium, run_all, watch
from tools.course import notebook_paths

# Runs behind the setup cell, before any cell imports `explore`.
BOTH = """\
import ipywidgets
import posenc_helpers.classroom as classroom
from IPython.core.pylabtools import select_figure_formats
from IPython.display import display
from posenc_helpers.classroom.controls import control
from posenc_helpers.classroom.figures import style

select_figure_formats(get_ipython(), {"png"})

def both(build, describe, *, alone=classroom.explore, **settings):
    alone(build, describe, **settings)
    widgets = {name: control(name, spec) for name, spec in settings.items() if name not in ("caption", "play")}

    def fresh(**values):
        with style():
            figure, update = build(**values)
            update(**values)
            display(figure)

    display(ipywidgets.VBox([*widgets.values(), ipywidgets.interactive_output(fresh, widgets)]))

classroom.explore = both"""

PATIENCE = 20.0  # seconds until a step is given up
# Sets window.took to the milliseconds from the key to the frame in which another picture than before is painted.
STEP = """
    output => {
        window.took = null;
        const shown = () => output.querySelector("img"), before = shown().src;
        let start;
        document.addEventListener("keydown", () => { start = performance.now(); }, {capture: true, once: true});
        const look = () => {
            const picture = shown();
            if (start && picture?.complete && picture.naturalWidth && picture.src !== before)
                setTimeout(() => { window.took = performance.now() - start; });  // after this frame
            else
                requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    }
"""
CONTROL = ".noUi-handle, input[type=checkbox]"  # the first slider; where there is none, the first tick box


def with_both(path: Path, folder: Path) -> Path:
    """Write the notebook at `path` into `folder`, with BOTH behind its setup cell; return where."""
    notebook = nbformat.read(path, as_version=4)
    setup = next(number for number, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    notebook.cells.insert(setup + 1, nbformat.v4.new_code_cell(BOTH))
    nbformat.write(notebook, folder / path.name)
    return folder / path.name


def timed(page: Page, box: Locator, control: str, key: str) -> float:
    """Press `key` on the first `control` of `box`; return the milliseconds until the new picture is on the screen."""
    box.locator(control).first.focus()
    page.wait_for_timeout(300)  # let everything of the last step come to rest
    box.evaluate(STEP)
    page.keyboard.press(key)
    return page.wait_for_function("window.took", timeout=PATIENCE * 1000).json_value()


def measure(page: Page, cell: Locator, steps: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of `steps` steps of the explorer in `cell`, and of its plain twin; they take turns."""
    boxes = cell.locator(".jp-OutputArea-output").filter(has=page.locator(".widget-vbox"))
    pair = [boxes.nth(0), boxes.nth(1)]
    slides = pair[0].locator(".noUi-handle").count()
    last = slides and pair[0].locator(".noUi-handle").first.evaluate("e => e.ariaValueNow === e.ariaValueMax")
    keys = ["ArrowLeft", "ArrowRight"] if last else ["ArrowRight", "ArrowLeft"]
    times = ([], [])
    for number in range(steps + 2):  # two to warm up
        for way, box in enumerate(pair):
            box.locator("img").first.scroll_into_view_if_needed()
            times[way].append(timed(page, box, CONTROL, keys[number % 2] if slides else "Space"))
    return times[0][2:], times[1][2:]


def main(steps: int = 12) -> None:
    ratios = []
    with tempfile.TemporaryDirectory() as folder, Lab() as lab, chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 2400})
        watch(context)
        page = context.new_page()
        print(f"one step, key to painted picture, medians of {steps}")
        for path in notebook_paths():
            lab.open(page, with_both(path, Path(folder)))
            if errors := run_all(page):
                sys.exit("\n".join(errors))
            cells = page.locator(".jp-Notebook .jp-Cell").filter(has=page.locator("img.widget-image"))
            for number in range(cells.count()):
                ours, plain = map(median, measure(page, cells.nth(number), steps))
                ratios.append(plain / ours)
                took = f"{ours:4.0f} ms; {plain:5.0f} ms with interact; {ratios[-1]:.1f} times as fast"
                print(f"  {path.name[:2]}, explorer {number + 1}: {took}", flush=True)
    print(f"median of all {median(ratios):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
