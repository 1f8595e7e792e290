"""Figures: one style, and `show`, which never leaves a picture without words."""

import base64
import io
import threading
from collections.abc import Sequence
from contextlib import contextmanager

import matplotlib
import numpy as np
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from posenc_helpers.classroom.colours import BLUE, WHITE

STYLE = {
    "figure.facecolor": WHITE,  # opaque, so that axes stay readable in dark themes
    "savefig.facecolor": WHITE,
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 2,
}

# JupyterLab hands sliders to a thread beside the one that runs cells, and Matplotlib's settings belong to both.
_one_at_a_time = threading.RLock()


@contextmanager
def style():
    """Draw inside the course's style, whatever the reader's own is, one thread at a time; leave Matplotlib's as it was."""
    with _one_at_a_time, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def figure(width: float = 8, height: float = 4) -> Figure:
    """Return an empty figure (inches) that no window or notebook shows by itself. Draw on it inside `style()`."""
    return Figure(figsize=(width, height))


def panels(width: float, height: float, count: int = 1, **more: object) -> list[Axes]:
    """Return the axes of a new figure (inches), a row of `count`. Draw on them inside `style()`."""
    return list(figure(width, height).subplots(1, count, squeeze=False, **more)[0])


@style()
def bars(values: dict[str, float], label: str) -> Figure:
    """Draw one horizontal bar per entry of `values`, each with its number; `label` names the axis."""
    (ax,) = panels(8, 0.9 + 0.5 * len(values))
    names = list(values)[::-1]
    ax.barh(names, [values[name] for name in names], color=BLUE, height=0.6)
    for row, name in enumerate(names):
        ax.text(max(values[name], 0), row, f" {values[name]:.2f}", va="center")  # right of a negative bar too
    ax.set(xlabel=label)
    ax.margins(x=0.12)
    ax.figure.set_label(f"{label}: {in_words(values)}.")
    return ax.figure


def counted(ax: Axes, axis: str, ticks: Sequence[int]) -> None:
    """Make "x" or "y" of `ax` a log axis with these whole numbers on it, and no others."""
    getattr(ax, f"set_{axis}scale")("log")
    getattr(ax, f"set_{axis}ticks")(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()


def spread_out(heights: dict[str, float], gap: float) -> dict[str, float]:
    """Return `heights` moved up where needed, so that labels at them are at least `gap` apart."""
    placed: dict[str, float] = {}
    lowest = float("-inf")
    for name in sorted(heights, key=heights.get):
        lowest = placed[name] = max(heights[name], lowest + gap)
    return placed


def png(fig: Figure, scale: float = 1.5) -> bytes:
    """Return `fig` drawn as PNG at `scale` times its nominal resolution, in 256 colours: a third of the size."""
    drawn, small = io.BytesIO(), io.BytesIO()
    with style():
        fig.savefig(drawn, format="png", dpi=fig.dpi * scale, pil_kwargs={"compress_level": 1})
    in_few_colours(Image.open(drawn).convert("RGB")).save(small, format="png", optimize=True)
    return small.getvalue()


def in_few_colours(image: Image.Image) -> Image.Image:
    """Return an RGB image in 256 colours, each pixel in the nearest of them, without dithering, which speckles even areas.

    Half of them are its commonest colours, so that what is drawn in a colour keeps it; the others lie as far apart as
    they can, so that the edges of letters and lines are not far from their own.
    """
    red, green, blue = (np.asarray(image)[..., i].astype(np.int32) for i in range(3))
    found, which, count = np.unique(red << 16 | green << 8 | blue, return_inverse=True, return_counts=True)
    colours = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=-1).astype(np.float32)  # (colours, 3)
    apart = image.quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette()
    common = colours[np.argsort(-count, kind="stable")[:128]]
    kept = np.concatenate([common, np.reshape(apart, (-1, 3))[:128]]).astype(np.float32)  # (256, 3)
    nearest = ((kept**2).sum(axis=1) - 2 * colours @ kept.T).argmin(axis=1).astype(np.uint8)  # (colours,)
    few = Image.fromarray(nearest[which].reshape(red.shape), "P")
    few.putpalette(kept.astype(np.uint8).flatten().tolist())
    return few


def show(fig: Figure, alt: str | None = None, caption: str = "") -> None:
    """Show `fig` with its alternative text in the output's metadata, and under it the caption that everyone sees.

    `alt` says what the picture shows to someone who cannot see it, by default the words that a chart has for itself.
    Raises ValueError where either is missing.
    """
    check_words("caption", caption)
    bundle, metadata = picture(fig, fig.get_label() if alt is None else alt)
    display(bundle, metadata=metadata, raw=True)
    show_caption(caption)


def picture(fig: Figure, alt: str) -> tuple[dict, dict]:
    """Return the MIME bundle of `fig` and its metadata: the PNG, its alternative text, its size on the page."""
    check_words("alt", alt)
    width, height = (round(side * fig.dpi) for side in fig.get_size_inches())
    bundle = {"image/png": base64.b64encode(png(fig)).decode(), "text/plain": alt}
    return bundle, {"image/png": {"alt": alt, "width": width, "height": height}}


def in_words(values: dict[str, float]) -> str:
    """Return numbers as words for an alternative text: "RNN 0.22, attention 0.00"."""
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items())


def show_caption(caption: str) -> None:
    """Show the sentence under a picture. Raises ValueError where it is missing."""
    check_words("caption", caption)
    display({"text/markdown": f"**Figure.** {caption}", "text/plain": f"Figure. {caption}"}, raw=True)


def check_words(name: str, words: str) -> None:
    """Refuse words that are missing."""
    if not words.strip():
        raise ValueError(f"{name}={words!r} must say in a sentence what the picture shows")
