"""Explorers: a picture that follows its sliders, and leaves a still of itself where no kernel runs.

`build(**values)` makes the figure once and returns `(fig, update)`; `update(**values)` changes the data of what is
already drawn. Two ways to redraw, chosen by what `update` returns:
    None                the whole figure is drawn again
    a list of artists   only these are drawn, over a background kept from the first time: about twice as fast, right
                        as long as nothing else changes and the list is the same every time
The figure is drawn by Agg into an `ipywidgets.Image`, which neither flickers nor needs a front-end extension of its own.
Only what ipywidgets 7.7.1 (Colab) and 8 share is used.
"""

import io
import math
from collections.abc import Callable

import ipywidgets
import numpy as np
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from posenc_helpers.classroom.figures import picture, show_caption, style

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def explore(build: Callable, *, alt: str, caption: str, **controls) -> None:
    """Show the figure of `build` under one control per keyword, redrawn whenever a control moves.

    A control is (lowest, highest, start) or (lowest, highest, start, step) for a slider, of integers or of reals; True
    or False for a check box; a list of choices, or a dict of label -> choice, for a menu that starts at the first; or an
    ipywidgets widget of your own (say, a slider with continuous_update=False for a slow computation).
    `alt` and `caption` describe the still picture. Raises ValueError for a control that is none of these.
    """
    inputs = {name: _control(name, spec) for name, spec in controls.items()}
    start = {name: control.value for name, control in inputs.items()}
    with style():
        fig, update = build(**start)
        still, metadata = picture(fig, alt)
        screen = Screen(fig, update)
        view = ipywidgets.Image(value=screen.draw(start), format="png", layout=ipywidgets.Layout(max_width="100%"))
    trouble = ipywidgets.Label()
    reset = ipywidgets.Button(description="reset")
    held = False  # while several controls are being set back, draw only once

    def redraw(_change=None):
        if held:
            return
        try:
            with style():
                view.value = screen.draw({name: control.value for name, control in inputs.items()})
            trouble.value = ""
        except ValueError as error:  # a combination that the subject does not allow: say so, keep the last picture
            trouble.value = str(error)

    def set_back(_button):
        nonlocal held
        held = True
        for name, control in inputs.items():
            control.value = start[name]
        held = False
        redraw()

    for control in inputs.values():
        control.observe(redraw, names="value")
    reset.on_click(set_back)
    box = ipywidgets.VBox([*inputs.values(), reset, view, trouble])
    bundle = {WIDGET_VIEW: {"version_major": 2, "version_minor": 0, "model_id": box.model_id}, **still}
    display(bundle, metadata=metadata, raw=True)
    show_caption(caption)


class Screen:
    """A figure kept in memory, drawn to PNG bytes again and again. `draw(values)` calls `update(**values)`."""

    def __init__(self, fig: Figure, update: Callable):
        self.fig, self.update = fig, update
        self.canvas = FigureCanvasAgg(fig)
        self.background = None

    def draw(self, values: dict) -> bytes:
        """Return the figure at `values` as PNG bytes."""
        moving = self.update(**values)
        if moving is None:
            self.canvas.draw()
            self.fig.set_layout_engine("none")  # laid out once: axes do not jump while a slider moves
        else:
            self._blit(moving)
        buffer = io.BytesIO()
        pixels = np.asarray(self.canvas.buffer_rgba())[..., :3]
        Image.fromarray(pixels).save(buffer, format="png", compress_level=1)
        return buffer.getvalue()

    def _blit(self, moving: list) -> None:
        if self.background is None:
            for artist in moving:
                artist.set_animated(True)  # leaves the artist out of canvas.draw()
            self.canvas.draw()
            self.fig.set_layout_engine("none")
            self.background = self.canvas.copy_from_bbox(self.fig.bbox)
        self.canvas.restore_region(self.background)
        for artist in moving:
            self.fig.draw_artist(artist)


def _control(name: str, spec) -> ipywidgets.Widget:
    label = {"description": name.replace("_", " "), "style": {"description_width": "9em"}}
    wide = {"layout": ipywidgets.Layout(width="32em", max_width="100%")}
    if isinstance(spec, ipywidgets.Widget):
        return spec
    if isinstance(spec, bool):
        return ipywidgets.Checkbox(value=spec, indent=False, description=label["description"])
    if isinstance(spec, list | dict) and spec:
        # not a Dropdown: JupyterLab takes its arrow keys away, and moves to the next cell
        options = list(spec.items()) if isinstance(spec, dict) else spec
        label["style"]["button_width"] = "auto"  # as wide as the words
        return ipywidgets.ToggleButtons(options=options, **label)
    if isinstance(spec, tuple) and len(spec) in (3, 4) and all(isinstance(n, int | float) for n in spec):
        low, high, value = spec[:3]
        if low <= value <= high and all(map(math.isfinite, spec)):
            whole = all(isinstance(n, int) for n in spec)
            step = spec[3] if len(spec) == 4 else (1 if whole else (high - low) / 100)
            slider = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
            return slider(min=low, max=high, value=value, step=step, **label, **wide)
    raise ValueError(
        f"control {name}={spec!r}; allowed: (lowest, highest, start[, step]) with start between them, True or False, "
        "a list or dict of choices, or a widget"
    )
