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

from posenc_helpers.classroom.figures import check_words, picture, show_caption, style

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def explore(build: Callable, *, alt: str, caption: str, **controls) -> None:
    """Show the figure of `build` under one control per keyword, redrawn whenever a control moves.

    A control is (lowest, highest, start) or (lowest, highest, start, step) for a slider, of integers or of reals; True
    or False for a check box; a list of choices, or a dict of label -> choice, for a menu; a list of numbers for a slider
    over them; (list or dict, start) where it should not start at the first; or an ipywidgets widget of your own (say, a
    slider with continuous_update=False for a slow computation).
    `alt` and `caption` describe the still picture. Raises ValueError for a control that is none of these.
    """
    check_words("caption", caption)
    inputs = {name: _control(name, spec) for name, spec in controls.items()}
    start = {name: control.value for name, control in inputs.items()}
    with style():
        fig, update = build(**start)
        update(**start)  # the still shows the start even where build leaves the first data to update
        still, metadata = picture(fig, alt)
        screen = Screen(fig, update)
        view = ipywidgets.Image(value=screen.draw(start), format="png", layout=ipywidgets.Layout(max_width="100%"))
    trouble = ipywidgets.Label(layout=ipywidgets.Layout(display="none"))
    reset = ipywidgets.Button(description="reset")
    held = False  # while several controls are being set back, draw only once

    def redraw(_change=None):
        if held:
            return
        try:
            with style():
                view.value = screen.draw({name: control.value for name, control in inputs.items()})
            trouble.layout.display = "none"
        except ValueError as error:  # a combination that the subject does not allow: say so, keep the last picture
            trouble.value, trouble.layout.display = str(error), "flex"

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
            # a pixel more on each side: the size in inches may round to one less than was drawn
            self.background = self.canvas.copy_from_bbox(self.fig.bbox.padded(1))
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
    choices, start = spec if isinstance(spec, tuple) and len(spec) == 2 else (spec, None)
    if isinstance(choices, list | dict) and choices:
        options = list(choices.items()) if isinstance(choices, dict) else [(str(choice), choice) for choice in choices]
        if start is not None and start not in [choice for _, choice in options]:
            raise ValueError(f"control {name} starts at {start!r}; allowed: {', '.join(text for text, _ in options)}")
        if isinstance(choices, list) and all(map(_is_number, choices)):
            menu = ipywidgets.SelectionSlider(options=options, **label, **wide)
        else:
            # not a Dropdown: JupyterLab takes its arrow keys away, and moves to the next cell
            label["style"]["button_width"] = "auto"  # as wide as the words
            menu = ipywidgets.ToggleButtons(options=options, **label)
        if start is not None:
            menu.value = start
        return menu
    if isinstance(spec, tuple) and len(spec) in (3, 4) and all(map(_is_number, spec)):
        low, high, value = spec[:3]
        whole = all(isinstance(n, int) for n in spec)
        step = spec[3] if len(spec) == 4 else (1 if whole else (high - low) / 100)
        if low <= value <= high and step > 0 and low < high and all(map(math.isfinite, spec)):
            slider = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
            return slider(min=low, max=high, value=value, step=step, **label, **wide)
    raise ValueError(
        f"control {name}={spec!r}; allowed: (lowest, highest, start[, step]) with start between them and step above 0, "
        "True or False, a list or dict of choices, (choices, start), or a widget"
    )


def _is_number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
