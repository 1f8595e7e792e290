"""Pictures that one plays with: drawn in the browser by one ES module, in a notebook (anywidget) and on the pages alike.

What a module may use, and what `kit.js`, which stands in front of it, does for it, is said there and in CONTRIBUTING.
"""

from collections.abc import Callable
from pathlib import Path

import ipywidgets
import matplotlib
import traitlets
from IPython.display import display
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from posenc_helpers.classroom import colours
from posenc_helpers.classroom.controls import choices, control
from posenc_helpers.classroom.explorers import as_view
from posenc_helpers.classroom.figures import check_words, picture, show_caption, style

try:
    import anywidget
except ImportError:  # the still is shown
    anywidget = None

KIT = Path(__file__).with_name("kit.js")
CSS = Path(__file__).with_name("kit.css")
RAMP = 33  # colours of a ramp
HOW_TO_GET_IT = (
    "*It moves where anywidget is installed: `pip install anywidget`, restart the kernel, load this page again.*"
)


def play(
    module: Path,
    state: dict,
    *,
    draw: Callable[..., Figure],
    describe: Callable[..., str],
    caption: str,
    data: dict | None = None,
) -> None:
    """Show the picture of the ES module in the file `module`, whose `state` a reader moves.

    `state` is {name: spec}, each spec as a control of `explore`: (lowest, highest, start[, step]), a list or dict of
    choices, (choices, start), True or False; or a string, for text that the module reads by itself. The module's model has
    the value of each under its name, `data`, JSON, the same way (curves, weights), `controls` (what each may be: see
    `traits`), and `colours`, in which no colour is new.
    `draw(**values)` draws the still picture of the start for places without a kernel; `describe(**values)` is the sentence
    with its numbers, the alternative text, and what the module must say at those values.
    Raises ValueError for a spec that is none of these, and for a caption or sentence that is missing.
    """
    check_words("caption", caption)
    values, constants = traits(state, data)
    with style():
        still, metadata = picture(draw(**values), describe(**values))
    if anywidget is not None:
        still = {**as_view(_widget(source(module), values | constants)), **still}
    display(still, metadata=metadata, raw=True)
    show_caption(caption)
    if anywidget is None:
        display({"text/markdown": HOW_TO_GET_IT, "text/plain": HOW_TO_GET_IT.strip("*")}, raw=True)


def source(module: Path) -> str:
    """Return the whole ES module: the kit, then what stands in the file `module`."""
    return KIT.read_text(encoding="utf-8") + "\n" + module.read_text(encoding="utf-8")


def traits(state: dict, data: dict | None = None) -> tuple[dict, dict]:
    """Return what the module's model holds: the values that move, {name: start}, and all that does not move.

    `controls` is there {name: {"min", "max", "step"}} for a slider, {name: {"words", "values"}} for choices, check boxes
    and text, which is marked {"text": True}, and where the one value is the start.
    """
    values, controls = {}, {}
    for name, spec in state.items():
        if isinstance(spec, str):
            values[name], controls[name] = spec, {"text": True, "words": [spec], "values": [spec]}
            continue
        widget = control(name, spec)  # which refuses a wrong one
        values[name] = widget.value
        if hasattr(widget, "min"):
            controls[name] = {key: getattr(widget, key) for key in ("min", "max", "step")}
        else:
            found = choices(widget)
            controls[name] = {"words": list(found), "values": list(found.values())}
        widget.close()
    return values, {"controls": controls, "colours": COLOURS, **(data or {})}


def _widget(text: str, values: dict) -> ipywidgets.DOMWidget:
    """Return a widget of anywidget with the ES module `text` and a trait for each of `values`."""
    each = {name: traitlets.Any(value).tag(sync=True) for name, value in values.items()}
    esm = {"_esm": traitlets.Unicode(text).tag(sync=True)}
    css = {"_css": traitlets.Unicode(CSS.read_text(encoding="utf-8")).tag(sync=True)}
    return type("Playable", (anywidget.AnyWidget,), {**esm, **css, **each})()


def _ramp(name: str) -> list[str]:
    """Return a colour map of Matplotlib as colours from its lowest to its highest value."""
    return [to_hex(matplotlib.colormaps[name](k / (RAMP - 1))) for k in range(RAMP)]


# Every colour of the course by its name in small letters: blue, mist, ..., methods.rope; two ramps for heat maps.
COLOURS = {
    **{name.lower(): value for name, value in vars(colours).items() if name.isupper() and isinstance(value, str)},
    **{"methods": colours.PALETTE, "heads": list(colours.HEADS)},
    **{"magnitude": _ramp(colours.MAGNITUDE), "signed": _ramp(colours.SIGNED)},
}
