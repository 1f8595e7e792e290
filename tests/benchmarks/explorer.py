"""One step of a slider, from the key to the new picture on the screen: our explorers against ipywidgets' `interact`.

    python -m tests.benchmarks.explorer [STEPS]

All ways draw the same figure, a heatmap and lines, in one notebook and one browser run, taking turns. `interact` draws
a fresh figure at every step, as plain Matplotlib (the base of the ratios) and with the layout engine that our style uses.
Then the steps are filmed, and frames in which the picture's place has lost its ink are counted: that is flicker.
"""

import base64
import io
import platform
import sys
import tempfile
from pathlib import Path
from statistics import median

import nbformat
import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as TooLong

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

explore(build, "query at {{position}}".format, caption="A heatmap and lines.", position=(0, 63, 31))"""
WAYS = {
    "interact": INTERACT.format(layout=None),
    "interact, constrained layout": INTERACT.format(layout="constrained"),
    "explore, full redraw": EXPLORE.format(update="lambda position: update(position) and None"),
    "explore, blitted": EXPLORE.format(update="update"),
}
SLIDER, PICTURE = ".noUi-handle", "img"
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


def write_notebook(path: Path, ways: dict[str, str]) -> None:
    """Write a notebook whose first cell defines the figure and whose others show it, one way each."""
    cells = [nbformat.v4.new_code_cell(source) for source in (FIGURE, *ways.values())]
    kernel = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)


def output_of(page: Page, cell: int):
    """Return the output area of a cell, by its number in the notebook."""
    return page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-Cell-outputArea")


def timed(page: Page, box: Locator, control: str, key: str, patience: float = PATIENCE) -> float:
    """Press `key` on the first `control` of `box`; return the milliseconds until the new picture is on the screen."""
    box.locator(control).first.focus()
    page.wait_for_timeout(300)  # let everything of the last step come to rest
    box.evaluate(STEP)
    page.keyboard.press(key)
    return page.wait_for_function("window.took", timeout=patience * 1000).json_value()


def step(page: Page, cell: int, what: str, patience: float = PATIENCE) -> float:
    """Move the slider of a cell by one arrow key; return the milliseconds until the new picture is on the screen.

    Raises TimeoutError that names `what` if none has come after `patience` seconds.
    """
    try:
        return timed(page, output_of(page, cell), SLIDER, "ArrowRight", patience)
    except TooLong:
        raise TimeoutError(f"{what}: no new picture within {patience:g} s") from None


def film(page: Page, cell: int, way: str, steps: int) -> tuple[int, int]:
    """Film `steps` steps of a cell's slider; return how many painted frames lack the picture, and how many in all."""
    output_of(page, cell).locator(PICTURE).scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    frames = []
    camera = page.context.new_cdp_session(page)

    def keep(event):
        frames.append(event["data"])
        camera.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    camera.on("Page.screencastFrame", keep)
    camera.send("Page.startScreencast", {"format": "jpeg", "everyNthFrame": 1})
    for number in range(steps):
        step(page, cell, f"{way}, filmed step {number + 1}")
    camera.send("Page.stopScreencast")
    camera.remove_listener("Page.screencastFrame", keep)  # one more may be under way
    place = output_of(page, cell).locator(PICTURE).bounding_box()
    left, top = int(place["x"]), max(0, int(place["y"]))
    right, bottom = int(place["x"] + place["width"]), int(place["y"] + place["height"])
    ink = []
    for frame in frames:
        pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(frame))).convert("L"))
        ink.append((pixels[top:bottom, left:right] < 128).mean())
    camera.detach()
    return sum(share < 0.7 * median(ink) for share in ink), len(ink)


def measure(steps: int) -> tuple[dict[str, list[float]], dict[str, tuple[int, int]]]:
    """Return, for each way, the milliseconds of `steps` steps, the ways taking turns, and what `film` saw."""
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
        order = list(enumerate(WAYS, 1))  # number of the cell, way
        for cell, way in order:
            output_of(page, cell).locator(PICTURE).wait_for()
            for _ in range(2):
                step(page, cell, f"{way}, warming up")
        times = {way: [] for way in WAYS}
        for number in range(steps):
            for cell, way in order:
                times[way].append(step(page, cell, f"{way}, step {number + 1}"))
            order.append(order.pop(0))
        page.set_viewport_size({"width": 1300, "height": 700})
        return times, {way: film(page, cell, way, 10) for cell, way in order}


def main(steps: int = 15) -> None:
    times, films = measure(steps)
    base = median(times["interact"])
    print(f"one slider step, key to painted picture, median of {steps} ({platform.system()}, {platform.machine()})")
    for way, ms in times.items():
        blank, frames = films[way]
        print(
            f"  {way:29} {median(ms):5.0f} ms (fastest {min(ms):.0f}, slowest {max(ms):.0f}), "
            f"{base / median(ms):.1f} times as fast as interact, {blank} of {frames} frames without the picture"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
