"""Notebook 09, "Paste a model's config.json": whatever is pasted, its cells answer with a sentence, and raise nothing."""

import contextlib
import io
import math

import matplotlib.pyplot as plt
import pytest

from posenc_helpers.lessons.long_context import files
from tests.encodings.refused_files import REFUSED
from tests.encodings.released_files import FILES
from tests.notebooks.reading import path_of, read

CELLS = {cell.id: cell.source for cell in read(path_of("09_long_context")).cells}
PASTE, DRAW, ASK = (CELLS[name] for name in ("real-paste", "real-show", "effective-yours"))
OURS = "mine, trained_on, layer = llama_file, 8192, None"
LLAMA = {"model_type": "llama", "head_dim": 64}
STILL = {"rope_type": "proportional", "partial_rotary_factor": 0.01, "rope_theta": 1e6}
SOME = list(FILES.items())[::6]
GEMMA = {"model_type": "gemma4_text", "head_dim": 64, "global_head_dim": 64, "num_hidden_layers": 6}
STILL_EVERYWHERE = GEMMA | {"rope_parameters": {"full_attention": STILL, "sliding_attention": STILL}}
PASTED = {
    **{f"{name}, layer {layer}": (config, 8192, layer) for name, config in FILES.items() for layer in (None, 3)},
    **{name: (config, 8192, None) for name, (config, _) in REFUSED.items()},
    **{f"{name} of no family": ({k: v for k, v in c.items() if k != "model_type"}, 8192, 0) for name, c in SOME},
    **{f"{name} and a key": (config | {"rope_mode": False}, 8192, 0) for name, config in SOME},
    **{f"{name}, layer 0": (FILES[name], 8192, 0) for name in ("Pixtral's encoder", "Qwen3-Next 80B")},
    "Gemma 4 E2B, layer 4": (FILES["Gemma 4 E2B"], 8192, 4),
    "no dict": ("llama", 8192, None),
    "nothing": (None, 8192, None),
    "a list": ([LLAMA], 8192, None),
    "no length": (LLAMA, 0, None),
    "a length in words": (LLAMA, "8192", None),
    "no such layer": (LLAMA, 8192, -1),
    "all finish": (LLAMA | {"rope_theta": 100.0}, 8192, None),
    "all but one finish": (LLAMA, 40_000, None),
    "every pair stands": (STILL_EVERYWHERE, 8192, "full_attention"),
}


def run(pasted, draw=False):
    """Run the three cells with what is pasted; return what they print, and the words beside the picture."""
    config, trained, layer = pasted
    seen = {}

    def show(fig, alt, caption):
        seen["words"] = f"{alt} {caption}"
        for ax in fig.axes:
            assert all(math.isfinite(end) for end in (*ax.get_xlim(), *ax.get_ylim()))
        if draw:
            fig.canvas.draw()
        plt.close(fig)

    names = {"files": files, "show": show, "config": config}
    assert PASTE.count(OURS) == 1
    source = PASTE.replace(OURS, f"mine, trained_on, layer = config, {trained!r}, {layer!r}")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for cell in (source, DRAW, ASK):
            exec(cell, names)
    return said.getvalue().strip().splitlines(), seen["words"]


@pytest.mark.parametrize("name", PASTED)
def test_whatever_is_pasted_is_answered_with_a_sentence(name):
    (first, *_, last), words = run(PASTED[name])
    assert len(first.split()) >= 4 and first.strip(".") in words
    assert first.startswith(("pair", "not read: ", "no positions here", "this one turns by rows"))
    assert "no new angle " in last or first in last
    assert not any(bad in f"{first} {last}" for bad in ("nan", "inf ", "tensor", "Traceback", "object"))


SPECIAL = [
    ("SmolLM3 3B, layer 3", "no positions here", "no positions here"),
    ("Qwen3-Next 80B, layer 0", "no positions here", "no positions here"),
    ("Llama 4 Scout, layer 3", "queries grow with their position", "no positions here"),
    ("Nemotron-H 8B, layer None", "no positions here", "no positions here"),
    ("Pixtral's encoder, layer 0", "rows and columns", "rows and columns"),
    ("all finish", "pairs 0 to 31 as trained", "no new angle at any length"),
    ("every pair stands", "pairs 0 to 31 still", "no new angle at any length"),
    ("Gemma 4 E2B, layer 4", "pairs 0 to 63 as trained, pairs 64 to 255 still", ""),
    ("Gemma 3 1B, layer None", "the layers differ, pass layer=", "the layers differ"),
    ("PixArt", "no model_type", "no model_type"),
    ("no length", "must be a finite number above 0", "not read"),
]


@pytest.mark.parametrize(("name", "first", "last"), SPECIAL)
def test_what_is_said_of_special_cases(name, first, last):
    lines, _ = run(PASTED[name], draw=True)
    assert first in lines[0] and last in lines[-1]
