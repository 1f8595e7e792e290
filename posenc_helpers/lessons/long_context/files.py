"""What notebook 09 answers to a pasted config.json: a sentence and a picture, whatever was pasted."""

import math
import textwrap
from collections.abc import Mapping
from itertools import groupby

from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.figures import figure, style
from posenc_helpers.encodings import from_config
from posenc_helpers.encodings.rope import RotaryEncoding
from posenc_helpers.encodings.rope_scaling import turns
from posenc_helpers.encodings.rope_variants import WarmQueries
from posenc_helpers.encodings.sinusoidal import frequencies
from posenc_helpers.lessons.long_context.pictures import configuration

NOWHERE = "no positions here: queries and keys of this layer do not turn"


def read_file(config: Mapping, trained: int, layer: int | str | None = None) -> tuple[Tensor, Tensor] | str:
    """Return the frequencies (pairs,) of a layer and what divides them beyond `trained` tokens, or why there are none.

    A pair that the stretched model lets stand still is divided by infinity. What is refused comes back as a sentence.
    """
    try:
        rope = from_config(config, layer)
        if isinstance(rope, WarmQueries):
            return f"{NOWHERE}; queries grow with their position"
        if not isinstance(rope, RotaryEncoding):
            return NOWHERE
        if len(rope.coordinates) and rope.coordinates != (3,):
            return "this one turns by rows and columns of a picture, not by tokens: notebook 10"
        w = frequencies(rope.rotary_dim, rope.base)  # (pairs,)
        turns(w, trained)  # refuses what is no length
        return w, w / rope.frequencies(trained + 1)  # one token beyond L
    except (TypeError, ValueError) as error:
        return f"not read: {error}"


def file_words(config: Mapping, trained: int, layer: int | str | None = None) -> str:
    """Say in a sentence which pairs of a layer a configuration slows and by how much, or why that cannot be said."""
    found = read_file(config, trained, layer)
    if isinstance(found, str):
        return found
    by = found[1].tolist()
    most = max((d for d in by if d < math.inf), default=1.0)
    kinds = ["still" if d == math.inf else "kept" if d < 1.001 else "full" if d > 0.999 * most else "part" for d in by]
    runs = [(kind, [i for i, _ in run]) for kind, run in groupby(enumerate(kinds), key=lambda pair: pair[1])]
    if len(runs) > 4:
        return f"{len(by)} pairs, divided by {min(by):.3g} to {most:.3g}, up and down"
    said = []
    for kind, run in runs:
        low, high = min(by[i] for i in run), max(by[i] for i in run)
        divided = f"divided by {low:.3g}" + f" to {high:.3g}" * (kind == "part" and low < high)
        what = {"still": "still", "kept": "as trained"}.get(kind, divided)
        said.append(f"pairs {run[0]} to {run[-1]} {what}" if len(run) > 1 else f"pair {run[0]} {what}")
    return ", ".join(said)


def of_file(config: Mapping, trained: int, layer: int | str | None = None) -> Figure:
    """Draw what a configuration does to each pair of a layer, or write why there is nothing to draw."""
    found = read_file(config, trained, layer)
    if not isinstance(found, str):
        return configuration(*found, trained)
    with style():
        fig = figure(9.2, 1.6)
        fig.text(0.02, 0.5, textwrap.fill(textwrap.shorten(found, 400), 95), va="center")
    return fig


def effective_words(config: Mapping, trained: int, layer: int | str | None = None) -> str:
    """Say up to how many tokens no pair of a layer meets a new angle, or why that cannot be said."""
    found = read_file(config, trained, layer)
    if isinstance(found, str):
        return found
    w, by = found
    unfinished = by[turns(w, trained) < 1].tolist()  # infinity where a pair stands still: it meets no new angle
    reach = min(unfinished, default=math.inf)
    return "no new angle at any length" if reach == math.inf else f"no new angle up to {trained * reach:,.0f} tokens"
