"""The pages in a real Chromium: their weight before and after use, and one step of an explorer, key to painted picture.

    make pages && python -m tests.benchmarks.pages

Sixty steps are sent as fast as keys repeat, and the pictures shown are counted. Live explorers: tests.benchmarks.frames.
"""

import functools
import http.server
import threading
from statistics import median

from playwright.sync_api import Browser, Locator, Page

from tests.browser import chromium
from tools.course import ROOT, notebook_paths

PAGES = ROOT / "build" / "pages"
REPEAT = 33  # milliseconds between two keys of one that is held down
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
SHOWN = """box => { window.shown = 0; new MutationObserver(() => shown++).observe(box, { childList: true }); }"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_words):
        pass


def timed(page: Page, box: Locator, control: str, key: str) -> float:
    """Press `key` on the first `control` of `box`; return the milliseconds until the new picture is on the screen."""
    box.locator(control).first.focus()
    page.wait_for_timeout(300)  # let everything of the last step come to rest
    box.evaluate(STEP)
    page.keyboard.press(key)
    return page.wait_for_function("window.took", timeout=PATIENCE * 1000).json_value()


def weights(browser: Browser, address: str) -> tuple[int, int]:
    """Return the bytes that a page loads before it is touched, and with every value of every control seen."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page, sizes = context.new_page(), []
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        page.goto(address, wait_until="networkidle")
        before = sum(sizes)
        for box in page.locator(".explorer").all():
            for control in box.locator("input").all():
                control.focus()
            page.wait_for_timeout(700)
        return int(before), int(sum(sizes))


def pulled(page: Page, address: str, steps: int = 60) -> int:
    """Return how many of `steps` keys of a slider that is pulled to and fro reach the screen as another picture."""
    page.goto(address, wait_until="networkidle")
    box = page.locator(".explorer").first
    slider = box.locator("input[type=range]").first
    slider.focus()
    page.wait_for_timeout(1500)
    box.evaluate(SHOWN)
    key, last = "ArrowRight", int(slider.get_attribute("max"))
    for _ in range(steps):
        at = int(slider.input_value())
        key = "ArrowLeft" if at == last else "ArrowRight" if at == 0 else key
        page.keyboard.press(key)
        page.wait_for_timeout(REPEAT)
    page.wait_for_timeout(200)
    return page.evaluate("shown")


def main(steps: int = 15) -> None:
    handler = functools.partial(Quiet, directory=str(PAGES))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        print("page                          kB before use   kB after")
        for name in ("index", "models", *(f"notebooks/{path.stem}" for path in notebook_paths())):
            before, after = weights(browser, f"{base}/{name}.html")
            print(f"{name:32} {before / 1000:8,.0f} {after / 1000:12,.0f}")
        held = f"{base}/notebooks/04_learned.html"
        print(f"steps shown, a key held down: {pulled(page, held)} of 60")
        page.goto(held, wait_until="networkidle")
        box = page.locator(".explorer")
        keys = [("ArrowRight", "ArrowLeft")[number % 2] for number in range(steps)]
        ms = [timed(page, box, "input[type=range]", key) for key in keys]
        print(f"one step: median {median(ms):.1f} ms, slowest {max(ms):.1f}")
    server.shutdown()


if __name__ == "__main__":
    main()
