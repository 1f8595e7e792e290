"""Explorers: a picture that follows its sliders, and leaves a still of itself where no kernel runs.

`build(**values)` makes the figure once and returns `(fig, update)`; `update(**values)` changes the data of what is
already drawn. Two ways to redraw, chosen by what `update` returns:
    None                the whole figure is drawn again
    a list of artists   only these are drawn, over a background kept from the first time: about twice as fast, right
                        as long as nothing else changes and the list is the same every time
The figure is drawn by Agg into an `ipywidgets.Image`, which neither flickers nor needs a front-end extension of its own.
"""

import html
import io
from collections.abc import Callable

import ipywidgets
import numpy as np
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from PIL import Image

from posenc_helpers.classroom.colours import REFUSED
from posenc_helpers.classroom.controls import Gate, arranged, control, on_page, player
from posenc_helpers.classroom.figures import check_words, picture, show_caption, style

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def as_view(widget: ipywidgets.DOMWidget) -> dict[str, dict]:
    """Return what `display` takes for a live widget, beside which a still for other places may stand."""
    return {WIDGET_VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}


def explore(
    build: Callable,
    describe: Callable[..., str],
    *,
    caption: str,
    play: str | None = None,
    page: dict[str, list] | None = None,
    **controls,
) -> None:
    """Show the figure of `build` under one control per keyword, redrawn whenever a control moves.

    A control is (lowest, highest, start) or (lowest, highest, start, step) for a slider, of integers or of reals; True
    or False for a check box; a list of choices, or a dict of label -> choice, for a menu; a list of numbers for a slider
    over them; (list or dict, start) where it should not start at the first. `play` names the slider that a player
    moves. Where no kernel runs, every state was drawn beforehand: `page` names fewer values of controls that have too
    many for that.

    `describe(**values)` returns a sentence with the numbers of the picture. It stands under it and follows the controls;
    that of the start is the alternative text of the still picture, which `caption` goes with.
    Raises ValueError for a control that is none of these, a `play` that names no slider, and a `page` as `on_page` does.
    """
    check_words("caption", caption)
    inputs = {name: control(name, spec) for name, spec in controls.items()}
    start = {name: widget.value for name, widget in inputs.items()}
    if play is not None and play not in inputs:
        raise ValueError(f"play={play!r} is no control; allowed: {', '.join(inputs)}")
    if page:
        on_page(inputs, page)  # a wrong one is refused here, not first where the pages are built
    reset = ipywidgets.Button(description="reset", layout=ipywidgets.Layout(width="5em"))
    gate = Gate(reset)
    for widget in inputs.values():
        gate.watch(widget)
    moving, stop = player(inputs[play], gate) if play else ([], lambda: None)
    with style():
        fig, update = build(**start)
        update(**start)  # the still shows the start even where build leaves the first data to update
        sentence = describe(**start)
        still, metadata = picture(fig, sentence)
        screen = Screen(fig, update)
        view = ipywidgets.Image(value=screen.draw(start), format="png", layout=ipywidgets.Layout(max_width="100%"))
    words = ipywidgets.HTML(value=_status(sentence))
    held = False  # while several controls are being set back, draw only once

    def drawn():  # the picture, and the line below it
        values = {name: widget.value for name, widget in inputs.items()}
        try:
            with style():
                return screen.draw(values), _status(describe(**values))
        except ValueError as error:  # a combination that the subject does not allow: say so, keep the last picture
            return view.value, _status(str(error), REFUSED)

    def put_back(names):
        nonlocal held
        held = True
        for name in names:
            inputs[name].value = start[name]
        held = False

    def follow(change):
        with gate.turn:
            if held:
                return
            late = [name for name, widget in inputs.items() if widget is change["owner"] and gate.late(widget)]
            put_back(late)
            if not late:
                view.value, words.value = drawn()

    def set_back(_button):
        gate.shut()  # before it waits for a picture that is being drawn
        stop()
        with gate.turn:
            put_back(inputs)
            first = drawn()
            gate.ask()  # before the picture: whoever sees it and moves on is not late
            view.value, words.value = first

    for widget in inputs.values():
        widget.observe(follow, names="value")
    reset.on_click(set_back)
    box = ipywidgets.VBox([*arranged(list(inputs.values()), [*moving, reset]), view, words])
    display({**as_view(box), **still}, metadata=metadata, raw=True)
    show_caption(caption)


def _status(words: str, colour: str = "inherit") -> str:
    """Return `words` as a line that a screen reader says when it changes."""
    return f'<div role="status" style="line-height: 1.4; color: {colour}">{html.escape(words)}</div>'


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
            images = [artist for artist in moving if isinstance(artist, AxesImage)]
            for artist in moving:
                artist.set_animated(True)  # leaves the artist out of canvas.draw()
            for image in images:
                image.set_visible(False)  # before Matplotlib 3.11 an animated image is drawn all the same
            self.canvas.draw()
            self.fig.set_layout_engine("none")
            for image in images:
                image.set_visible(True)
            # a pixel more on each side: the size in inches may round to one less than was drawn
            self.background = self.canvas.copy_from_bbox(self.fig.bbox.padded(1))
        self.canvas.restore_region(self.background)
        for artist in moving:
            self.fig.draw_artist(artist)
