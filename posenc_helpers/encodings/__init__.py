"""The subject of the course: every encoding, a plain function and a thin Module each.

`ENCODINGS` lists them for the common tests and for the comparisons: name -> function of the model's width, its heads,
and the number of positions it must be able to tell apart.
"""

from collections.abc import Callable

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.sinusoidal import SinusoidalEncoding, frequencies, sinusoidal

ENCODINGS: dict[str, Callable[[int, int, int], PositionalEncoding]] = {
    "nope": lambda width, heads, length: PositionalEncoding(),
    "sinusoidal": lambda width, heads, length: SinusoidalEncoding(width, scale=0.3),  # as large as the embeddings
}

__all__ = ["ENCODINGS", "PositionalEncoding", "SinusoidalEncoding", "frequencies", "sinusoidal"]
