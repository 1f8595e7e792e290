"""The subject of the course: every encoding, a plain function and a thin Module each.

`ENCODINGS`: name -> function of the model's width, its heads, and the number of positions it must be able to tell apart.
"""

from collections.abc import Callable

from posenc_helpers.encodings.alibi import AlibiEncoding, alibi_bias, alibi_score_mod, alibi_shortcut, alibi_slopes
from posenc_helpers.encodings.base import PerLayer, PositionalEncoding
from posenc_helpers.encodings.distance_bias import CopeEncoding, FireEncoding, KerpleEncoding, SandwichEncoding
from posenc_helpers.encodings.grid import (
    Time2Vec,
    WindowBias,
    fourier_features,
    grid_positions,
    interpolate_grid,
    sinusoidal_2d,
    window_index,
)
from posenc_helpers.encodings.grid_rope import (
    AxialRotaryEncoding,
    MultimodalRotaryEncoding,
    mixed_angles,
    mrope_positions,
)
from posenc_helpers.encodings.learned import LearnedEncoding, resize_table
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
from posenc_helpers.encodings.positions import (
    next_position_ids,
    packed_position_ids,
    position_ids,
    roberta_position_ids,
)
from posenc_helpers.encodings.relative import (
    RelativeBiasEncoding,
    ShawEncoding,
    T5Encoding,
    clipped_index,
    relative_positions,
    relative_shift,
    shaw_scores,
    shaw_scores_naive,
    shaw_scores_skewed,
    t5_buckets,
)
from posenc_helpers.encodings.relative_scores import DebertaEncoding, TransformerXLEncoding
from posenc_helpers.encodings.rope import RotaryEncoding, apply_rope, convert_layout, layout_permutation, rotate_pairs
from posenc_helpers.encodings.rope_config import from_config
from posenc_helpers.encodings.rope_scaling import dynamic_ntk, turns
from posenc_helpers.encodings.sinusoidal import SinusoidalEncoding, frequencies, sinusoidal
from posenc_helpers.encodings.xpos import XPosEncoding

ENCODINGS: dict[str, Callable[[int, int, int], PositionalEncoding]] = {
    "nope": lambda width, heads, length: PositionalEncoding(),
    # One column, since a LayerNorm takes the same number out of all columns.
    "index": lambda width, heads, length: IndexEncoding(width, columns=1),
    "normalised": lambda width, heads, length: NormalisedEncoding(width, columns=1),
    # From here on door 1 is of the size of TinyTransformer's embeddings: times their length, over 32 positions at width
    # 32, random 1.0, one-hot 0.6, binary 0.9, sinusoidal 0.7, learned 0.5. (Codes of equal size: notebook 02.)
    "random": lambda width, heads, length: RandomEncoding(width, length, scale=0.3),
    "one-hot": lambda width, heads, length: OneHotEncoding(width),
    "binary": lambda width, heads, length: BinaryEncoding(width),
    "sinusoidal": lambda width, heads, length: SinusoidalEncoding(width, scale=0.3),
    "learned": lambda width, heads, length: LearnedEncoding(width, length, std=0.15),
    "relative bias": lambda width, heads, length: RelativeBiasEncoding(heads, max_distance=16),
    "shaw": lambda width, heads, length: ShawEncoding(width // heads, max_distance=16),
    "t5": lambda width, heads, length: T5Encoding(heads),
    "transformer-xl": lambda width, heads, length: TransformerXLEncoding(width, heads),
    "deberta": lambda width, heads, length: DebertaEncoding(heads, width // heads, max_distance=length),
    "rope": lambda width, heads, length: RotaryEncoding(width // heads),
    "xpos": lambda width, heads, length: XPosEncoding(width // heads),
    "alibi": lambda width, heads, length: AlibiEncoding(heads, kind="symmetric"),  # as causal, behind a causal mask
    "kerple": lambda width, heads, length: KerpleEncoding(heads),
    "sandwich": lambda width, heads, length: SandwichEncoding(heads),
    "fire": lambda width, heads, length: FireEncoding(heads, length),
    "cope": lambda width, heads, length: CopeEncoding(width // heads),
}
