"""Experiments on pictures: who learns where a shape is, and what is left of it at another resolution (notebook 10)."""

import math
from collections.abc import Callable
from itertools import permutations

import torch

from posenc_helpers.encodings import (
    AxialRotaryEncoding,
    LearnedEncoding,
    PositionalEncoding,
    SinusoidalEncoding,
    WindowBias,
)
from posenc_helpers.lab.training import accuracy, seeded, train
from posenc_helpers.lessons.beyond_text.shapes import ShapesTask, Sinusoidal2d
from tools.experiments import patch_models as fit
from tools.experiments.patch_models import HEADS, WIDTH, PatchTransformer, accuracy_by_place

BASE = 100.0  # small, since grids are: DINOv3 has 100 too
TRAINED = (4, 4)  # patches
SIZES = (TRAINED, (6, 6), (2, 8))
WAVES = (2.25, 2.6, 3.0, 3.5, 4.0, 4.5, 5.0, 5.6, 6.0, 6.2832)  # patches; the last is 2 pi, plain sinusoids
WIDER = (3.0, 3.375, 4.0, 4.5, 5.0, 5.6, 6.0, 6.2832)  # for 6 columns; each next wave is 4/3 as long: 3.375, 4.5, 6
Build, Size = Callable[[], PositionalEncoding], tuple[int, int]
# Sums of about half the length of a patch's vector; Swin's table is for windows of up to 8 x 8.
ON_IMAGES: dict[str, Build] = {
    "nope": PositionalEncoding,
    "nope, lit": PositionalEncoding,
    "sinusoidal": lambda: SinusoidalEncoding(WIDTH, BASE, scale=0.3),
    "learned": lambda: LearnedEncoding(WIDTH, TRAINED[0] * TRAINED[1], std=0.15),
    "sinusoidal 2-D": lambda: Sinusoidal2d(WIDTH, BASE, scale=0.3),
    "axial rope": lambda: AxialRotaryEncoding(WIDTH // HEADS, BASE),
    "swin": lambda: WindowBias(HEADS, 8, 8),
}
REAL = ("sinusoidal 2-D", "axial rope")  # take rows and columns that are no integers


def trained(
    build: Build, task: ShapesTask, size: Size, seed: int, steps: int, rate: float = 1.0, speed: float = 1.0
) -> PatchTransformer:
    """Return one layer with the encoding that `build` makes, trained on pictures of `size` = (h, w) patches.

    What the encoding itself has to learn, a table, learns at `rate` times the rate of all else. At a `speed` of 0.5 all
    waves of the encoding are half as fast.
    """
    with seeded(seed):
        model = PatchTransformer(build(), speed)
    train(model, task, size, steps=steps, batch=32, seed=seed, label=None, encoding_rate=rate)
    return model


def pictures(question: str, encoding: str, seed: int, steps: int = 300, rate: float = 1.0) -> list[dict]:
    """Train on pictures of 4 x 4 patches: is the square above, or left of, the circle? Accuracies at 4 x 4, 6 x 6, 2 x 8.

    `table`: how a table was made to fit. A learned one is resized as the grid it is, as one line, or not at all ("as it
    is"). Swin's has room for 8 x 8 patches; "grid" is the part for 4 x 4, resized. "squeezed" stands for rows and columns
    that are spread over 4 x 4. The model without positions that was trained on lit pictures is asked about lit ones, and
    about others ("unlit").
    """
    task = ShapesTask(question, lit=encoding.endswith("lit"))
    model = trained(ON_IMAGES[encoding], task, TRAINED, seed, steps, rate)
    if encoding == "learned":
        models = [(size, "as it is", model) for size in (TRAINED, (2, 8))]
        tables = [(size, how) for size in SIZES[1:] for how in ("grid", "line")]
        models += [(size, how, fit.with_table_for(model, TRAINED, size, how)) for size, how in tables]
    else:
        models = [(size, "", model) for size in SIZES]
    if encoding in REAL:
        models += [(size, "squeezed", fit.squeezed(model, TRAINED)) for size in SIZES[1:]]
    if encoding == "swin":
        models += [(size, "grid", fit.with_window_for(model, TRAINED, size)) for size in SIZES[1:]]
    rows = [_row(fitted, task, size, table=table) for size, table, fitted in models]
    return rows + ([_row(model, ShapesTask(question), TRAINED, table="unlit")] if task.lit else [])


def _row(model: PatchTransformer, task: ShapesTask, size: Size, **columns) -> dict:
    return {"rows": size[0], "columns": size[1], **columns, "accuracy": accuracy(model, task, size)}


def waves(wavelength: float, columns: int, seed: int, steps: int = 300, scale: float = 0.3) -> list[dict]:
    """Train 1-D sinusoids whose fastest wave repeats every `wavelength` patches on "left", at columns x columns patches.

    The code is added times `scale`: 0.3 as in ON_IMAGES, or 1, its full length. `asked` says at how many rows and columns
    the accuracy was measured. Trained at 4 x 4: 2 x 6 is another width with numbers that training had, 6 x 4 the same
    width with new ones.
    """
    task = ShapesTask("left")
    build, speed = lambda: SinusoidalEncoding(WIDTH, BASE, scale=scale), math.tau / wavelength
    model = trained(build, task, (columns, columns), seed, steps, speed=speed)
    sizes = [(columns, columns)] + [(2, 6), (6, 4), (6, 6), (2, 8)] * (columns == TRAINED[1])
    return [{"asked": f"{h} x {w}", "accuracy": accuracy(model, task, (h, w))} for h, w in sizes]


def new_columns(encoding: str, seed: int, steps: int = 300, rate: float = 1.0) -> list[dict]:
    """Train on "left" at 4 x 4 patches; accuracy at 6 x 6 and 2 x 8, by what is new about the columns of both shapes.

    `new`: how many of the two shapes stand in columns from 4 on. `apart`: whether training had that distance ("old", up
    to 3 columns) or not ("new", 4 or more).
    """
    task, found = ShapesTask("left"), []
    model = trained(ON_IMAGES[encoding], task, TRAINED, seed, steps, rate)
    for size in SIZES[1:]:
        right = accuracy_by_place(model, task, size)  # (w, w)  columns of the square, columns of the circle
        place = torch.arange(size[1])
        beyond = (place >= TRAINED[1]).int()
        count, far = beyond[:, None] + beyond, (place[:, None] - place).abs() >= TRAINED[1]  # (w, w) each
        for new, apart in ((0, "old"), (1, "old"), (1, "new"), (2, "old")):
            here = (count == new) & (far == (apart == "new")) & ~right.isnan()
            mean = right[here].mean().item()
            found.append({"rows": size[0], "columns": size[1], "new": new, "apart": apart, "accuracy": mean})
    return found


def slower(encoding: str, speed: float, scale: float, seed: int, steps: int = 600) -> list[dict]:
    """Train on "left" at 4 x 4 patches with all waves `speed` times as fast; accuracy at three sizes and by place at 2 x 8.

    2-D sinusoids are added times `scale`: 0.3 as in ON_IMAGES, or 1, their full length; RoPE is not added, its scale is 1.
    `square` and `circle` are the columns of both shapes at 2 x 8; in the rows of a whole size they are empty.
    """
    task = ShapesTask("left")
    build = (lambda: Sinusoidal2d(WIDTH, BASE, scale=scale)) if encoding == "sinusoidal 2-D" else ON_IMAGES[encoding]
    model = trained(build, task, TRAINED, seed, steps, speed=speed)
    rows = [_row(model, task, size, square="", circle="") for size in SIZES]
    h, w = SIZES[-1]
    right = accuracy_by_place(model, task, (h, w)).tolist()  # w lists of w
    places = permutations(range(w), 2)
    return rows + [{"rows": h, "columns": w, "square": a, "circle": b, "accuracy": right[a][b]} for a, b in places]
