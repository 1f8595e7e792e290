"""The subject of the course: every encoding, a plain function and a thin Module each.

`ENCODINGS` lists them for the common tests and for the comparisons: name -> function of the model's width, its heads,
and the number of positions it must be able to tell apart.
"""

from collections.abc import Callable

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.naive import (
    BinaryEncoding,
    IndexEncoding,
    NormalisedEncoding,
    OneHotEncoding,
    RandomEncoding,
    binary,
    index,
    normalised,
    one_hot,
    random_codes,
)
from posenc_helpers.encodings.sinusoidal import SinusoidalEncoding, frequencies, sinusoidal

ENCODINGS: dict[str, Callable[[int, int, int], PositionalEncoding]] = {
    "nope": lambda width, heads, length: PositionalEncoding(),
    # One column, since a LayerNorm takes the same number out of all columns.
    "index": lambda width, heads, length: IndexEncoding(width, columns=1),
    "normalised": lambda width, heads, length: NormalisedEncoding(width, columns=1),
    # From here on scaled to be as large as the embeddings of TinyTransformer.
    "random": lambda width, heads, length: RandomEncoding(width, length, scale=0.3),
    "one-hot": lambda width, heads, length: OneHotEncoding(width),
    "binary": lambda width, heads, length: BinaryEncoding(width, scale=0.3),
    "sinusoidal": lambda width, heads, length: SinusoidalEncoding(width, scale=0.3),
}

__all__ = [
    "ENCODINGS",
    "BinaryEncoding",
    "IndexEncoding",
    "NormalisedEncoding",
    "OneHotEncoding",
    "PositionalEncoding",
    "RandomEncoding",
    "SinusoidalEncoding",
    "binary",
    "frequencies",
    "index",
    "normalised",
    "one_hot",
    "random_codes",
    "sinusoidal",
]
