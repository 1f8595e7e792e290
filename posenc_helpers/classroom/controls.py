"""The controls of an explorer: a widget for each, a player for one that has an order, all on a page of few lines.

Only what ipywidgets 7.7.1 (Colab) and 8 share is used.
"""

import math
import threading
import time
from collections.abc import Callable

import ipywidgets

SPEEDS = (0.25, 0.5, 1.0, 2.0)
STEP = 400  # milliseconds a step at speed 1
MARK = "_dom_classes"  # the trait that says which reset a control knows of
WIDE = 45  # characters: a group of buttons with more than this takes a line of its own


def control(name: str, spec) -> ipywidgets.Widget:
    """Return the widget that `spec` asks for; `explore` says what it may be. Raises ValueError for anything else."""
    label = {"description": name.replace("_", " "), "style": {"description_width": "8.5em"}}
    layout = {"layout": ipywidgets.Layout(width="auto")}  # as wide as its column
    if isinstance(spec, bool):
        return ipywidgets.Checkbox(value=spec, indent=False, description=label["description"], **layout)
    choices, start = spec if isinstance(spec, tuple) and len(spec) == 2 else (spec, None)
    if isinstance(choices, list | dict) and choices:
        options = list(choices.items()) if isinstance(choices, dict) else [(str(choice), choice) for choice in choices]
        if start is not None and start not in [choice for _, choice in options]:
            raise ValueError(f"control {name} starts at {start!r}; allowed: {', '.join(text for text, _ in options)}")
        if isinstance(choices, list) and all(map(_is_number, choices)):
            menu = ipywidgets.SelectionSlider(options=options, **label, **layout)
        else:
            # not a Dropdown: JupyterLab takes its arrow keys away, and moves to the next cell
            label["style"]["button_width"] = "auto"  # as wide as the words
            menu = ipywidgets.ToggleButtons(options=options, **label, **layout)
            if sum(len(text) for text, _ in options) > WIDE:
                menu.layout.grid_area = "auto / 1 / auto / -1"  # JupyterLab drops grid_column
        if start is not None:
            menu.value = start
        return menu
    if isinstance(spec, tuple) and len(spec) in (3, 4) and all(map(_is_number, spec)):
        low, high, value = spec[:3]
        whole = all(isinstance(n, int) for n in spec)
        step = spec[3] if len(spec) == 4 else (1 if whole else (high - low) / 100)
        if low <= value <= high and step > 0 and low < high and all(map(math.isfinite, spec)):
            slider = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
            return slider(min=low, max=high, value=value, step=step, **label, **layout)
    raise ValueError(
        f"control {name}={spec!r}; allowed: (lowest, highest, start[, step]) with start between them and step above 0, "
        "True or False, a list or dict of choices, or (choices, start)"
    )


def choices(widget: ipywidgets.Widget) -> dict:
    """Return every value of a control, in order, under the words that name it."""
    if isinstance(widget, ipywidgets.Checkbox):
        return {"off": False, "on": True}
    if isinstance(widget, ipywidgets.ToggleButtons):
        return dict(widget.options)
    values = places(widget)
    if widget.value not in values:  # a start between two steps
        values = sorted([*values, widget.value])
    return {f"{int(value):,}" if value == int(value) else f"{round(value, 9):,}": value for value in values}


def on_page(inputs: dict[str, ipywidgets.Widget], page: dict[str, list]) -> dict[str, dict]:
    """Return {name: choices} of an explorer without a kernel: all values of each control, or those that `page` names.

    Raises ValueError for a `page` that names no control, a value that its control does not have, or not its start.
    """
    if unknown := page.keys() - inputs.keys():
        raise ValueError(f"page names {', '.join(sorted(unknown))}; allowed: {', '.join(inputs)}")
    found = {}
    for name, widget in inputs.items():
        everything = choices(widget)
        wanted = page.get(name, list(everything.values()))
        if strange := [value for value in wanted if value not in everything.values()]:
            raise ValueError(f"page[{name!r}] holds {strange[0]!r}; allowed: {', '.join(everything)}")
        if widget.value not in wanted:
            raise ValueError(f"page[{name!r}]={wanted} must hold the start, {widget.value!r}")
        found[name] = {words: value for words, value in everything.items() if value in wanted}
    return found


def places(slider: ipywidgets.Widget) -> list:
    """Return every value of a slider in order. Raises ValueError for a widget without an order."""
    if isinstance(slider, ipywidgets.SelectionSlider):
        return [value for _, value in slider.options]
    if isinstance(slider, ipywidgets.IntSlider | ipywidgets.FloatSlider):
        count = int((slider.max - slider.min) / slider.step + 1e-9)
        return [slider.min + k * slider.step for k in range(count + 1)]
    raise ValueError(f"play names a {type(slider).__name__}; allowed: a slider")


class Gate:
    """Tells what the browser sent before it knew of a reset from what it sent after.

    Each reset gets a number, as a CSS class of `button`. In the browser, links hand it on to every control, and each
    sends it back with, or behind, its last move from before. Until then its moves are late. A control that has never
    answered, in a front end without links, is waited for a second. JupyterLab hands the messages of different controls
    to different threads: whoever holds `turn` moves a control, and nobody else does.
    """

    def __init__(self, button: ipywidgets.Button):
        self.button, self.number, self.links = button, 0, []
        self.late_until: dict[ipywidgets.Widget, float] = {}
        self.answered: set[ipywidgets.Widget] = set()
        self.turn = threading.RLock()
        self.ask()

    def watch(self, widget: ipywidgets.Widget) -> None:
        """Ask `widget` for an answer to each reset."""
        widget.observe(self._hear, names=MARK)
        self.links.append(ipywidgets.jsdlink((self.button, MARK), (widget, MARK)))
        self.late_until[widget] = 0.0

    def shut(self) -> None:
        """From now on the moves of a control are late, until it has answered."""
        self.number += 1
        for widget in self.late_until:
            self.late_until[widget] = time.monotonic() + (60 if widget in self.answered else 1)

    def ask(self) -> None:
        """Ask all controls for their answer. Call it when they are back where they began."""
        setattr(self.button, MARK, self._mark())

    def late(self, widget: ipywidgets.Widget) -> bool:
        """Whether the change of `widget` that is told of now was made in the browser before it knew of the last reset."""
        sent = widget._property_lock  # what a message of the browser holds, while it is taken over (ipywidgets 7 and 8)
        return bool(sent) and (MARK in sent or self.waits_for(widget))

    def waits_for(self, widget: ipywidgets.Widget) -> bool:
        """Whether the browser may not yet have known of the last reset when it last told of `widget`."""
        return time.monotonic() < self.late_until[widget]

    def _mark(self) -> tuple[str]:
        return (f"reset-{self.number}",)

    def _hear(self, change) -> None:
        if tuple(change["new"]) == self._mark() and change["owner"]._property_lock:
            self.answered.add(change["owner"])
            self.late_until[change["owner"]] = 0.0


def player(slider: ipywidgets.Widget, gate: Gate) -> tuple[list[ipywidgets.Widget], Callable[[], None]]:
    """Return the controls that play `slider`, and a function that stops it: to the start, back, play, forward, speed.

    Nothing moves until it is asked to, and nothing that `gate` calls late.
    """
    values = places(slider)
    nearest = lambda: min(range(len(values)), key=lambda k: abs(values[k] - slider.value))  # noqa: E731
    small = ipywidgets.Layout(width="3em")
    play = ipywidgets.Play(min=0, max=len(values) - 1, value=nearest(), interval=STEP)
    buttons = {"fast-backward": "to the start", "step-backward": "step back", "step-forward": "step forward"}
    first, back, forward = (
        ipywidgets.Button(icon=icon, tooltip=words, layout=small) for icon, words in buttons.items()
    )
    speed = ipywidgets.SelectionSlider(
        options=SPEEDS,
        value=1.0,
        description="speed",
        layout=ipywidgets.Layout(width="15em"),
        style={"description_width": "3.5em"},
    )

    def go(index: int) -> None:
        slider.value = values[max(0, min(index, len(values) - 1))]

    def on_press(button: ipywidgets.Button, index: Callable[[], int]) -> None:
        def pressed(_button) -> None:
            with gate.turn:
                if not gate.waits_for(button):
                    go(index())

        gate.watch(button)
        button.on_click(pressed)

    def follow(_change) -> None:
        play.value = nearest()

    def move(change) -> None:
        with gate.turn:
            if gate.late(play):
                play.value = nearest()
            elif change["new"] != nearest():
                go(change["new"])

    def pace(change) -> None:
        if gate.late(speed):
            speed.value = 1.0
        play.interval = round(STEP / speed.value)

    for widget in (play, speed):
        gate.watch(widget)
    play.observe(move, names="value")
    slider.observe(follow, names="value")  # a hand on the slider: playing goes on from there
    speed.observe(pace, names="value")
    on_press(first, lambda: 0)
    on_press(back, lambda: nearest() - 1)
    on_press(forward, lambda: nearest() + 1)

    def stop() -> None:
        setattr(play, "playing" if play.has_trait("playing") else "_playing", False)  # ipywidgets 8, 7
        speed.value = 1.0

    return [first, back, play, forward, speed], stop


def arranged(controls: list[ipywidgets.Widget], buttons: list[ipywidgets.Widget]) -> list[ipywidgets.Widget]:
    """Return the rows above a picture: `controls` in as many columns as fit (two on a laptop), then `buttons` in a line."""
    columns = ipywidgets.Layout(grid_template_columns="repeat(auto-fit, minmax(21em, 1fr))", grid_gap="0 1.5em")
    line = ipywidgets.Layout(flex_flow="row wrap", align_items="center")
    return [ipywidgets.GridBox(controls, layout=columns), ipywidgets.HBox(buttons, layout=line)]


def _is_number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
