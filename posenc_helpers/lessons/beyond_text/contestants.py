"""Who is compared on pictures in notebook 10, with the sizes that all share."""

from collections.abc import Callable

from posenc_helpers.encodings import AxialRotaryEncoding, LearnedEncoding, SinusoidalEncoding, WindowBias
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lessons.beyond_text.shapes import Sinusoidal2d

WIDTH, HEADS, BASE = 32, 2, 100.0  # the base is small, since grids are: DINOv3 has 100 too
TRAINED = (4, 4)  # patches
# Sums of about half the length of a patch's vector; Swin's table is for windows of up to 8 x 8.
ON_IMAGES: dict[str, Callable[[], PositionalEncoding]] = {
    "nope": PositionalEncoding,
    "nope, lit": PositionalEncoding,
    "sinusoidal": lambda: SinusoidalEncoding(WIDTH, BASE, scale=0.3),
    "learned": lambda: LearnedEncoding(WIDTH, TRAINED[0] * TRAINED[1], std=0.15),
    "sinusoidal 2-D": lambda: Sinusoidal2d(WIDTH, BASE, scale=0.3),
    "axial rope": lambda: AxialRotaryEncoding(WIDTH // HEADS, BASE),
    "swin": lambda: WindowBias(HEADS, 8, 8),
}
