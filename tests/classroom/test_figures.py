"""Every picture carries words, is opaque and white behind, and leaves Matplotlib's settings as they were."""

import base64
import io
import threading
from itertools import pairwise

import matplotlib
import matplotlib.style
import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.colors import TwoSlopeNorm, to_rgb
from matplotlib.figure import Figure
from PIL import Image

from posenc_helpers.classroom import figures
from posenc_helpers.classroom.colours import MAGNITUDE, PALETTE, SIGNED
from posenc_helpers.classroom.figures import STYLE, bars, figure, picture, png, show, show_caption, style
from tests.classroom.test_colours import lightness

ALT, CAPTION = "A line that rises from 0 to 1.", "The line rises."


def drawn(width: float = 5, height: float = 3) -> Figure:
    with style():
        fig = figure(width, height)
        ax = fig.add_subplot()
        ax.plot([0, 1], color=PALETTE["sinusoidal"])
        ax.set(xlabel="position p (token)", ylabel="value")
    return fig


def image(data: bytes | str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data) if isinstance(data, str) else data))


def test_show_emits_the_picture_with_its_alternative_text_and_then_the_caption(outputs):
    show(drawn(), ALT, CAPTION)
    shown, caption = outputs
    assert shown["data"].keys() == {"image/png", "text/plain"}
    assert shown["data"]["text/plain"] == ALT
    assert shown["metadata"] == {"image/png": {"alt": ALT, "width": 500, "height": 300}}
    assert caption["data"] == {"text/markdown": f"**Figure.** {CAPTION}", "text/plain": f"Figure. {CAPTION}"}


def test_the_picture_is_sharper_than_its_size_on_the_page():
    bundle, metadata = picture(drawn(), ALT)
    size = image(bundle["image/png"]).size
    assert size == (750, 450)
    assert size[0] / metadata["image/png"]["width"] == size[1] / metadata["image/png"]["height"] == 1.5
    assert image(png(drawn(), scale=1)).size == (500, 300)


def banded(bands: int) -> Figure:
    """Return lines over translucent bands that cross, one a method: each crossing has a colour of its own."""
    names = list(dict.fromkeys(PALETTE))[:bands]
    with style():
        fig = figure(8, 4)
        ax = fig.add_subplot()
        for row, name in enumerate(names):
            line = np.array([row, bands - row, 0.3 * row + 2])
            ax.fill_between([0, 1, 2], line - 0.4, line + 0.4, color=PALETTE[name], alpha=0.25, lw=0)
            ax.plot(line, color=PALETTE[name])
    return fig


def heat() -> Figure:
    with style():
        fig = figure(8, 4)
        for ax, cmap in zip(fig.subplots(1, 2), (MAGNITUDE, SIGNED), strict=True):
            ax.imshow(np.add.outer(np.arange(64.0), np.arange(64.0)) / 126, cmap=cmap)
    return fig


@pytest.mark.parametrize("make", [lambda: banded(12), heat], ids=["bands", "heat"])
def test_what_covers_an_area_keeps_its_colour(make):
    fig = make()
    drawn = io.BytesIO()
    with style():
        fig.savefig(drawn, format="png", dpi=150)
    picture = Image.open(drawn).convert("RGB")
    kept = figures.in_few_colours(picture)
    full, few = (np.asarray(i.convert("RGB")).reshape(-1, 3).astype(int) for i in (picture, kept))
    found, which, count = np.unique(full, axis=0, return_inverse=True, return_counts=True)
    change = np.zeros(len(found))
    np.maximum.at(change, which.ravel(), np.abs(full - few).max(axis=1))
    assert change[count > len(full) / 5000].max() <= 8  # of 255: not seen
    assert change.max() <= 40  # edges of letters and lines
    assert len(kept.getcolors()) <= 256 and image(png(fig)).mode == "P"


@pytest.mark.parametrize(
    "settings",
    [{}, {"savefig.transparent": True}, {"savefig.bbox": "tight"}, matplotlib.style.library["dark_background"]],
    ids=["none", "transparent", "tight", "dark"],
)
def test_the_picture_is_opaque_white_whatever_the_readers_settings(settings):
    expected = png(drawn())
    with matplotlib.rc_context(settings):
        data = picture(drawn(), ALT)[0]["image/png"]
    assert base64.b64decode(data) == expected
    seen = image(data)
    assert seen.size == (750, 450)
    pixels = np.asarray(seen.convert("RGBA"))
    assert (pixels[..., 3] == 255).all()
    edge = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert (edge == 255).all()
    # and something is drawn, in the colour asked for
    colour = np.round(255 * np.array(to_rgb(PALETTE["sinusoidal"])))
    assert (np.abs(pixels[..., :3] - colour).max(axis=-1) < 3).sum() > 300


def test_a_figure_shows_nothing_by_itself(outputs):
    before = matplotlib.get_backend()
    drawn()
    assert outputs == []
    assert matplotlib.get_backend() == before
    assert not Gcf.get_all_fig_managers()


def test_style_holds_inside_and_leaves_the_settings_alone_after_an_error_too():
    before = dict(matplotlib.rcParams)
    with style():
        assert all(matplotlib.rcParams[name] == value for name, value in STYLE.items())
        assert matplotlib.rcParams["font.size"] >= 12
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(RuntimeError, match="inside"), style():
        raise RuntimeError("inside")
    assert dict(matplotlib.rcParams) == before
    picture(drawn(), ALT)
    assert dict(matplotlib.rcParams) == before


def test_style_lets_one_thread_in_and_restores_settings():
    """JupyterLab handles sliders in a thread of their own, beside the cell that is running."""
    before = {name: matplotlib.rcParams[name] for name in STYLE}
    inside = threading.Event()

    def other():
        with style():
            inside.set()

    thread = threading.Thread(target=other)
    with style(), style():  # the same thread may enter twice
        thread.start()
        assert not inside.wait(0.2)
    assert inside.wait(10)
    thread.join()
    assert {name: matplotlib.rcParams[name] for name in STYLE} == before


def test_text_is_12_points_or_larger():
    ax = drawn().axes[0]
    texts = [ax.xaxis.label, ax.yaxis.label, ax.title, *ax.get_xticklabels(), *ax.get_yticklabels()]
    assert min(text.get_fontsize() for text in texts) >= 12


def test_maps_for_magnitudes_and_signs():
    levels = np.linspace(0, 1, 33)
    rising = [lightness(tuple(rgb[:3])) for rgb in matplotlib.colormaps[MAGNITUDE](levels)]
    assert all(low < high for low, high in pairwise(rising))
    signed = matplotlib.colormaps[SIGNED]
    light = [lightness(tuple(rgb[:3])) for rgb in signed(levels)]
    assert int(np.argmax(light)) == 16 and light[16] > 0.85  # 0, in the middle, is nearly white
    assert np.linalg.norm(np.subtract(signed(0.0), signed(1.0))) > 0.3
    assert signed(TwoSlopeNorm(0, -1, 1)(0)) == signed(0.5)


def test_a_chart_that_says_nothing_else_is_described_by_its_own_words(outputs):
    show(bars({"RNN": 0.216, "attention": 0.0}, "difference"), caption=CAPTION)
    assert outputs[0]["data"]["text/plain"] == "difference: RNN 0.22, attention 0.00."  # by `in_words`
    with pytest.raises(ValueError, match="alt"):
        show(drawn(), caption=CAPTION)


@pytest.mark.parametrize("words", ["", "   ", "\n"])
def test_a_picture_without_words_is_refused(words, outputs):
    with pytest.raises(ValueError, match="alt"):
        show(drawn(), words, CAPTION)
    with pytest.raises(ValueError, match="alt"):
        picture(drawn(), words)
    with pytest.raises(ValueError, match="caption"):
        show(drawn(), ALT, words)
    with pytest.raises(ValueError, match="caption"):
        show_caption(words)
    assert outputs == []  # nothing half shown
