"""Pictures that one plays with on a page of their own, and how a test reads them."""

import random
from pathlib import Path

from tools.pages.playable import Playable, playable_html

# until what has moved is drawn
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
STATIC = Path(__file__).resolve().parents[2] / "tools" / "pages" / "static"


def page_of(one: Playable, folder: Path) -> str:
    """Write a page that holds the picture alone into `folder`, and return its address."""
    still = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="still">'
    markup = playable_html(one, "picture", still)
    script = f'<script src="{(STATIC / "playable.js").as_uri()}" defer></script>'
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    body = f'<title>picture</title>{script}<main style="max-width: 900px">{markup}</main></html>'
    (folder / "page.html").write_text(head + body, encoding="utf-8")
    return (folder / "page.html").as_uri()


def random_states(one: Playable, count: int = 10, seed: int = 0) -> list[dict]:
    """Return `count` states that the controls of the picture allow."""
    draw = random.Random(seed)

    def value(control: dict):
        if "values" in control:
            return draw.choice(control["values"])
        return control["min"] + control["step"] * draw.randint(
            0, round((control["max"] - control["min"]) / control["step"])
        )

    return [{name: value(control) for name, control in one.constants["controls"].items()} for _ in range(count)]


def said(page, values: dict | None = None, at: str = "picture") -> str:
    """Return the sentence of the picture of cell `at`, after `values` were set and drawn."""
    return page.evaluate(
        """async ([id, values]) => {
            const box = document.getElementById(`at-${id}`), frame = () => new Promise(requestAnimationFrame);
            while (!box.model) await frame(); // it is being imported
            Object.entries(values ?? {}).forEach(([name, value]) => box.model.set(name, value));
            await frame(); await frame();
            return box.querySelector("[role=status]").textContent;
        }""",
        [at, values],
    )


def drag(page, *places: tuple[float, float], steps: int = 5, release: bool = True) -> None:
    """Press the pointer at the first of `places`, in pixels, move it from one to the next, and let go where `release`."""
    for number, place in enumerate(places):
        page.mouse.move(*place, steps=steps)
        if not number:
            page.mouse.down()
        page.evaluate(FRAMES)
    if release:
        page.mouse.up()


def within(box: dict, x: float, y: float) -> tuple[float, float]:
    """Return the place at the shares `x` and `y` of the width and height of a bounding box, in pixels."""
    return box["x"] + x * box["width"], box["y"] + y * box["height"]
