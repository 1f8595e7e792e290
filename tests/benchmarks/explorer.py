"""One step of a slider, from the key to the new picture on the screen: our explorers against ipywidgets' `interact`.

    python -m tests.benchmarks.explorer [STEPS]

All ways draw the same figure, a heatmap and lines, in one notebook and one browser run, taking turns. `interact` draws
a fresh figure at every step, as plain Matplotlib (the base of the ratios) and with the layout engine that our style uses.
Every frame the browser is asked whether the picture is there, so flicker shows as frames without one.
"""

import platform
import sys
import tempfile
from pathlib import Path
from statistics import median

import nbformat
from playwright.sync_api import Page

from tests.browser import NOTEBOOK, Lab, chromium, run_all, watch

FIGURE = """\
import torch
from posenc_helpers.classroom.figures import MAGNITUDE, figure, style
from posenc_helpers.encodings import sinusoidal

def draw(fig, position):
    heat, line = fig.subplots(1, 2)
    code = sinusoidal(torch.arange(64), 32)  # (64, 32)
    similarity = lambda p: code[p] @ code.T / 16  # (64,)
    image = heat.imshow(code.roll(-position, 0), cmap=MAGNITUDE, aspect="auto")
    fig.colorbar(image, ax=heat, label="value")
    heat.set(xlabel="column", ylabel="position p (token)", title="sinusoidal code")
    curve, = line.plot(similarity(position), label="similarity")
    mark = line.axvline(position, color="black", ls="--", label="query position")
    line.set(xlabel="position n (token)", ylabel="similarity", ylim=(-0.5, 1.1), title="similarity with the query")
    line.legend(loc="lower right")

    def update(position):
        image.set_data(code.roll(-position, 0))
        curve.set_ydata(similarity(position))
        mark.set_xdata([position, position])
        return [image, curve, mark]

    return update"""
INTERACT = """\
%matplotlib inline
import matplotlib.pyplot as plt
from ipywidgets import interact

def fresh(position=(0, 63)):
    draw(plt.figure(figsize=(10, 4), dpi=100, layout={layout!r}), position)
    plt.show()

interact(fresh, position=(0, 63));"""
EXPLORE = """\
from posenc_helpers.classroom.explorers import explore

def build(position):
    fig = figure(10, 4)
    update = draw(fig, position)
    return fig, {update}

explore(build, alt="a heatmap and lines", caption="A heatmap and lines.", position=(0, 63, 31))"""
WAYS = {
    "interact": INTERACT.format(layout=None),
    "interact, constrained layout": INTERACT.format(layout="constrained"),
    "explore, full redraw": EXPLORE.format(update="lambda position: update(position) and None"),
    "explore, blitted": EXPLORE.format(update="update"),
}
SLIDER, PICTURE = ".noUi-handle", "img"
# Resolves when another picture than before is painted: milliseconds since the key, frames seen, frames without one.
STEP = """
    output => new Promise(resolve => {
        const shown = () => output.querySelector("img"), before = shown().src, height = output.offsetHeight;
        let start, frames = 0, blank = 0, jumps = 0;
        document.addEventListener("keydown", () => { start = performance.now(); }, {capture: true, once: true});
        const look = () => {
            const picture = shown();
            frames += 1;
            jumps += Math.abs(output.offsetHeight - height) > 4;
            if (!picture || !picture.naturalWidth || !picture.offsetHeight) blank += 1;
            else if (start && picture.complete && picture.src !== before)
                return setTimeout(() => resolve({ms: performance.now() - start, frames, blank, jumps}));
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    })
"""


def write_notebook(path: Path, ways: dict[str, str]) -> None:
    """Write a notebook whose first cell defines the figure and whose others show it, one way each."""
    cells = [nbformat.v4.new_code_cell(source) for source in (FIGURE, *ways.values())]
    kernel = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)


def output_of(page: Page, cell: int):
    """Return the output area of a cell, by its number in the notebook."""
    return page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-Cell-outputArea")


def step(page: Page, cell: int) -> dict[str, float]:
    """Move the slider of a cell by one arrow key; return milliseconds, frames seen, blank frames, jumps of the layout."""
    output = output_of(page, cell)
    slider = output.locator(SLIDER)
    slider.focus()
    page.wait_for_timeout(300)  # let everything of the last step come to rest
    output.evaluate(f"(output) => {{ window.step = ({STEP})(output); }}")
    page.keyboard.press("ArrowRight")
    return page.evaluate("window.step")


def measure(steps: int) -> dict[str, list[dict[str, float]]]:
    """Return, for each way, what `step` returned `steps` times, the ways taking turns."""
    with tempfile.TemporaryDirectory() as folder, Lab() as lab, chromium() as browser:
        path = Path(folder) / "explorer.ipynb"
        write_notebook(path, WAYS)
        context = browser.new_context(viewport={"width": 1500, "height": 3600})  # every picture stays on the screen
        watch(context)
        page = context.new_page()
        lab.open(page, path)
        if errors := run_all(page):
            sys.exit("\n".join(errors))
        page.evaluate(f"{NOTEBOOK}.widgets.forEach(cell => {{ cell.inputHidden = true; }})")
        for cell in range(1, 1 + len(WAYS)):
            output_of(page, cell).locator(PICTURE).wait_for()
            for _ in range(2):  # warm up
                step(page, cell)
        rows = {way: [] for way in WAYS}
        for turn in range(steps):
            order = list(enumerate(WAYS, 1))
            for cell, way in order[turn % len(order) :] + order[: turn % len(order)]:
                rows[way].append(step(page, cell))
        return rows


def main(steps: int = 15) -> None:
    rows = measure(steps)
    base = median(row["ms"] for row in rows["interact"])
    print(f"one slider step, median of {steps}, key to painted picture ({platform.machine()}, {platform.system()})")
    for way, steps_of_way in rows.items():
        times = sorted(row["ms"] for row in steps_of_way)
        blank, jumps, frames = (sum(row[key] for row in steps_of_way) for key in ("blank", "jumps", "frames"))
        print(
            f"  {way:27} {median(times):5.0f} ms (fastest {times[0]:.0f}, slowest {times[-1]:.0f}), "
            f"{base / median(times):.1f} times as fast as interact, "
            f"{blank} of {frames} frames without picture, {jumps} with the layout moved"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
