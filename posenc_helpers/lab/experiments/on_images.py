"""Experiments on pictures: who learns where a shape is, and what is left of it at another resolution (notebook 10)."""

from collections.abc import Callable

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import AxialRotaryEncoding, LearnedEncoding, SinusoidalEncoding, WindowBias
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.pictures import (
    PatchTransformer,
    ShapesTask,
    Sinusoidal2d,
    SinusoidalFrom,
    accuracy_by_place,
    squeezed,
    with_table_for,
)
from posenc_helpers.lab.training import accuracy, seeded, train

WIDTH, HEADS, BASE = 32, 2, 100.0  # the base is small, since grids are: DINOv3 has 100 too
TRAINED = (4, 4)  # patches
SIZES = (TRAINED, (6, 6), (2, 8))
REAL = ("sinusoidal 2-D", "axial rope")  # take rows and columns that are no integers
# Sums of about half the length of a patch's vector; Swin's table is for windows of up to 8 x 8.
ON_IMAGES: dict[str, Callable[[], PositionalEncoding]] = {
    "nope": PositionalEncoding,
    "nope, lit": PositionalEncoding,
    "sinusoidal": lambda: SinusoidalEncoding(WIDTH, BASE, scale=0.3),
    "sinusoidal, wave of 4": lambda: SinusoidalFrom(TRAINED[1], WIDTH, BASE, scale=0.3),
    "learned": lambda: LearnedEncoding(WIDTH, TRAINED[0] * TRAINED[1], std=0.15),
    "sinusoidal 2-D": lambda: Sinusoidal2d(WIDTH, BASE, scale=0.3),
    "axial rope": lambda: AxialRotaryEncoding(WIDTH // HEADS, BASE),
    "swin": lambda: WindowBias(HEADS, 8, 8),
}


def picture_model(encoding: str, question: str, seed: int = 0, steps: int = 300) -> tuple[PatchTransformer, ShapesTask]:
    """Return one layer trained on pictures of 4 x 4 patches to answer `question`, and its task.

    Raises ValueError for an encoding that is not in ON_IMAGES, and for another question.
    """
    check_choice("encoding", encoding, tuple(ON_IMAGES))
    task = ShapesTask(question, lit=encoding.endswith("lit"))
    with seeded(seed):
        model = PatchTransformer(ON_IMAGES[encoding](), width=WIDTH, heads=HEADS)
    rate = 8.0 if encoding == "swin" else 1.0
    train(model, task, TRAINED, steps=steps, batch=32, seed=seed, label=None, encoding_rate=rate)
    return model, task


def pictures(question: str, encoding: str, seed: int, steps: int = 300) -> list[dict]:
    """Train on pictures of 4 x 4 patches: is the square above, or left of, the circle? Accuracies at 4 x 4, 6 x 6, 2 x 8.

    `table`: how a learned table was made to fit, as the grid it is, as one line, or not at all ("as it is"). "squeezed"
    stands for rows and columns that are spread over 4 x 4. The model without positions that was trained on lit pictures
    is asked about lit ones, and about others ("unlit").
    """
    model, task = picture_model(encoding, question, seed, steps)

    def row(size: tuple[int, int], table: str = "", fitted: PatchTransformer = model, asked: ShapesTask = task) -> dict:
        return {"rows": size[0], "columns": size[1], "table": table, "accuracy": accuracy(fitted, asked, size)}

    if encoding == "learned":
        found = [row(TRAINED, "as it is"), row((2, 8), "as it is")]
        return found + [
            row(size, how, with_table_for(model, TRAINED, size, how)) for size in SIZES[1:] for how in ("grid", "line")
        ]
    found = [row(size) for size in SIZES]
    if encoding in REAL:
        found += [row(size, "squeezed", squeezed(model, TRAINED)) for size in SIZES[1:]]
    return found + ([row(TRAINED, "unlit", model, ShapesTask(question))] if task.lit else [])


def new_columns(encoding: str, seed: int, steps: int = 300) -> dict:
    """Train on "left" at 4 x 4 patches; accuracy at 6 x 6 where both shapes stand in the new columns, 4 and 5."""
    model, task = picture_model(encoding, "left", seed, steps)
    right = accuracy_by_place(model, task, (6, 6))  # (columns of the square, columns of the circle)
    return {"accuracy": (right[4, 5] + right[5, 4]).item() / 2}
