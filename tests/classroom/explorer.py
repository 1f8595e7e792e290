"""A small explorer, a dot on a line, and what the tests read of it."""

import html
import io
import re

import ipywidgets
import numpy as np
from PIL import Image

from posenc_helpers.classroom.explorers import WIDGET_VIEW, explore
from posenc_helpers.classroom.figures import figure

CAPTION = "The dot moves along the line."


def describe(**values) -> str:
    """A sentence with every number."""
    return "A line with a dot on it: " + ", ".join(f"{name} {value}" for name, value in values.items()) + "."


def build(place: float = 0.0, *, blit: bool = True, calls: list | None = None):
    """A line, and a dot and a text at `place` (0 to 1); a negative place is refused."""
    fig = figure(4, 2)
    ax = fig.add_subplot()
    ax.set(xlim=(-0.2, 1.4), ylim=(-0.2, 1.2), xlabel="position p (token)")
    ax.plot([0, 1], [0, 1], color="0.7")
    (dot,) = ax.plot([], [], "o", markersize=9)
    words = ax.text(0, 0, "", va="center")

    def update(place: float = 0.0, **others):
        if calls is not None:
            calls.append({"place": place, **others})
        if place < 0:
            raise ValueError(f"place={place} must be at least 0")
        dot.set_data([place], [place])
        words.set_position((place + 0.1, place - 0.1))
        words.set_text(f"{place:.2f}")
        return [dot, words] if blit else None

    return fig, update


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)))


def shown(outputs, build=build, play=None, **controls) -> tuple[dict, ipywidgets.VBox]:
    """Call `explore`; return the displayed bundle and the live widget behind it."""
    outputs.clear()
    explore(build, describe, caption=CAPTION, play=play, **controls)
    bundle = outputs[0]
    name = f"IPY_MODEL_{bundle['data'][WIDGET_VIEW]['model_id']}"
    return bundle, ipywidgets.widget_serialization["from_json"](name, None)


def parts(box: ipywidgets.VBox):
    """Return the controls, the reset button, the picture and the sentence."""
    grid, buttons, view, words = box.children
    *_, reset = buttons.children
    assert isinstance(reset, ipywidgets.Button) and isinstance(view, ipywidgets.Image)
    return list(grid.children), reset, view, words


def said(words: ipywidgets.HTML) -> str:
    return html.unescape(re.sub("<[^>]+>", "", words.value))
