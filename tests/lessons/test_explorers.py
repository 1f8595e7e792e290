"""Every explorer redraws its moving parts alone, and leaves the picture that is drawn afresh at the same setting."""

from functools import partial

import pytest
import torch

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from posenc_helpers.lab.models import load_models
from posenc_helpers.lab.results import load_results
from posenc_helpers.lessons.alibi.pictures import explorer as alibi_explorer
from posenc_helpers.lessons.beyond_text.explorer import build as grid_explorer
from posenc_helpers.lessons.choosing.costs import costs_explorer
from posenc_helpers.lessons.learned.pictures import training_explorer
from posenc_helpers.lessons.long_context.explorer import stretch_explorer
from posenc_helpers.lessons.naive_encodings.pictures import codes_explorer, drowning_explorer
from posenc_helpers.lessons.relative.pictures import bucket_explorer
from posenc_helpers.lessons.released_model.explorer import pairs_explorer
from posenc_helpers.lessons.rope.pictures import context_explorer
from posenc_helpers.lessons.sinusoidal.pictures import base_explorer

TABLES = {step: torch.randn(20, 8, generator=torch.Generator().manual_seed(step)) for step in (0, 20)}
EXPLORERS = {  # what builds it, and two settings, name by name
    "codes": (
        codes_explorer,
        {"encoding": ("random", "index"), "length": (40, 64), "width": (16, 64), "position": (17, 31)},
    ),
    "drowning": (drowning_explorer, {"embedding_size": (0.05, 2.0), "vocabulary": (30, 60)}),
    "bases": (base_explorer, {"base": (1e4, 100.0), "width": (4, 128)}),
    "training": (training_explorer(TABLES, [3.0] * 20, pairs=2.3), {"step": (0, 20)}),
    "buckets": (
        bucket_explorer,
        {"buckets": (32, 8), "max_distance": (128, 24), "keys": ("causal", "bidirectional"), "head": ("bands", "left")},
    ),
    "context": (
        partial(context_explorer, models=[m for m in load_models() if m.model == "Llama-2 7B"]),
        {"base": (1e4, 8e6), "trained_length": (4096, 16), "rotary_width": (128, 16)},
    ),
    "head of alibi": (
        alibi_explorer,
        {"heads": (8, 40), "head": (2, 32), "length": (64, 512), "content": (1.0, 6.0), "causal": (True, False)},
    ),
    "stretch": (
        stretch_explorer,
        {
            **{"method": ("NTK-aware", "NTK-by-parts"), "s": (4.0, 8.0), "alpha": (1.0, 2.0), "beta": (32.0, 16.0)},
            **{"base": (1e4, 1e6), "trained": (4096, 32)},
        },
    ),
    "grid": (
        grid_explorer,
        {
            **{"encoding": ("2-D sinusoidal", "1-D sinusoidal"), "rows": (8, 10), "columns": (12, 2)},
            **{"query": (41, 7), "times": (1.5, 2.0), "resize": ("grid", "line")},
        },
    ),
    "pairs": (pairs_explorer(load_results("released_pairs")), {"end": ("fastest", "slowest"), "turn": (16, 4)}),
    "costs": (costs_explorer, {"length": (512, 131_072), "width": (256, 8192), "layers": (2, 96)}),
}


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_picture_that_was_moved_is_the_one_that_is_drawn_afresh_there(name):
    build, settings = EXPLORERS[name]
    start, other = ({name: pair[k] for name, pair in settings.items()} for k in (0, 1))
    with style():
        fig, update = build(**start)
        kept, whole = Screen(fig, update), Screen(*build(**start))
        first = kept.draw(start)
        assert kept.update(**start) == kept.update(**other), "the same artists"
        moved = kept.draw(other)
        whole.draw(start)
        whole.background = None  # drawn anew, so what is left of the start would show as a difference
        assert moved == whole.draw(other) and moved != first
