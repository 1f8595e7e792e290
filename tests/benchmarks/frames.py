"""Pictures a second while 03's clocks are dragged, drawn in five ways, in one run, one Chromium:

    make pages && python -m tests.benchmarks.frames [--rounds 3] [--write]     # on a machine that does nothing else

nothing but a dot that follows the pointer (what the browser can do), the clocks on their page, in JupyterLab, and the same
picture by Matplotlib, live in JupyterLab: by `explore`, which keeps the figure, and by ipywidgets' `interact`, which makes
one anew for each value. The ways take turns; each is dragged to and fro, as fast as the browser takes the pointer's moves.
A picture counts in the frame that shows it. --write puts the table into CONTRIBUTING.md.
"""

import argparse
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

import nbformat
from playwright.sync_api import Locator, Page

from posenc_helpers.lab.files import replace_file
from tests.benchmarks.classroom import OPENING, machine
from tests.benchmarks.pages import PAGES
from tests.browser import Lab, chromium, run_all, watch
from tools.course import ROOT, notebook_paths
from tools.guide import put

PAGE, NAME, BY = ROOT / "CONTRIBUTING.md", "frames", "python -m tests.benchmarks.frames --write"
SECONDS, STEPS = 4, 64  # of one drag; places from one end of it to the other
EMPTY = """<!doctype html><title>empty</title><div class=kit-pad style="height: 400px; background: #eee">
<i style="position: absolute; background: black; width: 9px; height: 9px"></i></div><script>
let y = 0, asked = 0;
const dot = document.querySelector("i"), draw = () => { asked = 0; dot.style.transform = `translateY(${y}px)`; };
document.querySelector("div").onpointermove = e => { y = e.offsetY; asked ||= requestAnimationFrame(draw); };</script>"""
# Two cells behind the clocks: the figure of `clock_still`, kept (only what p moves is drawn anew), and made anew.
TWINS = (
    """
def build(p):
    fig = pictures.clock_still(p, 45, 64, 10000.0)
    *faces, table, curve = fig.axes
    codes, speed = sinusoidal(torch.arange(128), 64), frequencies(64)
    hands = [(face.lines[-1], speed[k].item()) for face, k in zip(faces, (0, 6, 12, 19, 25, 31))]
    row, dot, title = table.lines[1], curve.lines[1], curve.title
    def update(p):
        for hand, turn in hands:
            hand.set_data([0, math.sin(p * turn)], [0, math.cos(p * turn)])
        product = (codes[p] @ codes[45]).item() / 32
        row.set_ydata([p + 0.5] * 2)
        dot.set_data([p - 45], [product])
        title.set_text(f"p - q = {p - 45}: dot product {product:.2f}")
        return [*(hand for hand, _ in hands), row, dot, title]
    return fig, update
explore(build, lambda p: f"p is {p}, q is 45.", caption="The clocks, kept.", p=(0, 127, 40))""",
    """
import ipywidgets
from IPython.core.pylabtools import select_figure_formats
from IPython.display import display
from posenc_helpers.classroom.figures import style
select_figure_formats(get_ipython(), {"png"})
def fresh(p):
    with style():
        display(pictures.clock_still(p, 45, 64, 10000.0))
ipywidgets.interact(fresh, p=ipywidgets.IntSlider(value=40, min=0, max=127));""",
)
# Counts the frames in which something of `box` is another than before, and painted.
COUNT = """box => {
    const mine = (window.times = []); // that of the last drag is no longer counted
    let drawn = 0, before;
    new MutationObserver(() => drawn++).observe(box, { subtree: true, childList: true, attributes: true });
    const look = now => {
        if (window.times !== mine) return;
        const picture = box.querySelector("img"), state = picture ? picture.src : drawn;
        if (state !== before && (!picture || (picture.complete && picture.naturalWidth))) {
            if (before !== undefined) times.push(now);
            before = state;
        }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""

REST = """async () => { // until what is under way has come
    for (let seen = -1; seen !== times.length;) {
        seen = times.length;
        await new Promise(done => setTimeout(done, 2000));
    }
}"""


def notebook(folder: Path) -> Path:
    """Write a notebook with 03's clocks and their TWINS into `folder`; return where."""
    (path,) = [path for path in notebook_paths() if path.name.startswith("03")]
    made = nbformat.read(path, as_version=4)
    made.cells = [cell for cell in made.cells if cell.id in (*OPENING, "clocks-run")]
    made.cells += [nbformat.v4.new_code_cell(source.strip()) for source in TWINS]
    nbformat.write(made, folder / "frames.ipynb")
    return folder / "frames.ipynb"


def drag(page: Page, watched: Locator, track: Locator, handle: Locator | None = None) -> tuple[float, float]:
    """Drag along `track`, from `handle` on, else from its top; return pictures a second, and the longest gap in ms."""
    page.bring_to_front()
    track.scroll_into_view_if_needed()
    at, held = track.bounding_box(), (handle or track).bounding_box()
    x, y, across = held["x"] + held["width"] / 2, held["y"] + held["height"] / 2, handle is not None
    y = y if across else at["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    watched.evaluate(COUNT)
    started, number = time.monotonic(), 0
    while time.monotonic() < started + SECONDS:
        number += 1
        share = abs((number % (2 * STEPS)) - STEPS) / STEPS  # to and fro
        if across:
            page.mouse.move(at["x"] + share * at["width"], y)
        else:
            page.mouse.move(x, at["y"] + 20 + share * (at["height"] - 40))
    times, took = page.evaluate("times"), time.monotonic() - started
    page.mouse.up()
    page.evaluate(REST)
    gaps = [b - a for a, b in pairwise(times)]
    return len(times) / took, max(gaps, default=1000 * SECONDS)


def ways(empty: Page, page: Page, tab: Page) -> dict[str, tuple]:
    """Return {way: the arguments of `drag`} of what stands on three pages."""
    live = tab.locator(".jp-Notebook .jp-Cell")

    def slider(cell: Locator) -> tuple:
        output = cell.locator(".jp-Cell-outputWrapper")
        return tab, output, output.locator(".noUi-base").first, output.locator(".noUi-handle").first

    return {
        "a dot alone": (empty, empty.locator("div"), empty.locator("div")),
        "clocks, on the page": (page, page.locator("#at-clocks-run .kit-stage"), page.locator(".kit-pad").nth(6)),
        "clocks, JupyterLab": (tab, tab.locator(".kit-stage"), tab.locator(".kit-pad").nth(6)),
        "`explore`, JupyterLab": slider(live.nth(3)),
        "`interact`, JupyterLab": slider(live.nth(4)),
    }


def measure(rounds: int) -> str:
    """Return the Markdown of all ways."""
    with tempfile.TemporaryDirectory() as folder, Lab() as lab, chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        watch(context)
        empty, page, tab = (context.new_page() for _ in range(3))
        empty.set_content(EMPTY)
        page.goto(f"{(PAGES / 'notebooks' / '03_sinusoidal').as_uri()}.html")
        page.wait_for_function("document.querySelector('#at-clocks-run').model")
        lab.open(tab, notebook(Path(folder)))
        if errors := run_all(tab):
            raise RuntimeError("\n".join(errors))
        found = {way: [] for way in ways(empty, page, tab)}
        for number in range(rounds + 1):  # one to warm up
            for way, arguments in ways(empty, page, tab).items():
                result = drag(*arguments)
                found[way] += [result] if number else []
        version = browser.version.split(".")[0]
    lines = ["| the picture of 03's clocks | pictures a second | longest gap, ms |", "|---|---|---|"]
    for way, results in found.items():
        rate, gap = (median(values) for values in zip(*results, strict=True))
        lines.append(f"| {way} | {rate:.{rate < 10:d}f} | {gap:.0f} |")
    return "\n".join([*lines, "", f"Medians of {rounds} drags, Chromium {version} without a screen; {machine()}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the table into CONTRIBUTING.md")
    options = parser.parse_args()
    table = measure(options.rounds)
    print(table)
    if options.write:
        replace_file(PAGE, put(PAGE.read_text(encoding="utf-8"), NAME, table, by=BY))


if __name__ == "__main__":
    main()
