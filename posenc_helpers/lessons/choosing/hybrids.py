"""Mixtures of encodings, layer by layer, as released models have them: in miniature, of four layers.

Layers 0 to 2 are alike, layer 3 is another: one in four, as in SmolLM3, Command-R7B, OLMo 3 and Llama 4, whose layers with
RoPE see chunks of 8,192 tokens (not the last so many) and which belongs beside "windows, nope layer".
"""

import torch
from torch import Tensor

from posenc_helpers.checks import check_choice, check_count
from posenc_helpers.encodings import PerLayer, PositionalEncoding, RotaryEncoding
from posenc_helpers.encodings.base import check_is_encoding

LAYERS, WINDOW = 4, 8  # WINDOW: the keys that a local layer sees, its own among them
HYBRIDS = (*("rope", "partial rotary", "nope layer"), *("windows", "windows, nope layer", "windows, two bases"))


class Window(PositionalEncoding):
    """An encoding whose queries see the last `keys` keys by position, their own among them, and no others behind.

    For causal models. Raises ValueError for `keys` below 1 and an `encoding` that uses door 1, TypeError for what is none.
    Source: Beltagy, Peters, Cohan 2020 (arXiv 2004.05150), section 3.1, sliding window attention.
    """

    def __init__(self, encoding: PositionalEncoding, keys: int = WINDOW):
        super().__init__()
        check_is_encoding(encoding)
        check_count("keys", keys)
        if type(encoding).embed is not PositionalEncoding.embed:
            raise ValueError(
                f"encoding is a {type(encoding).__name__}, which uses door 1; allowed: doors 2 and 3 alone"
            )
        self.encoding, self.keys = encoding, keys

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.encoding.rotate(q, k, q_positions, k_positions)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        far = q_positions[..., :, None] - k_positions[..., None, :] >= self.keys  # (L_q, L_k) or (B, L_q, L_k)
        own = self.encoding.bias(q, k, q_positions, k_positions)
        hidden = torch.zeros(far.shape, dtype=q.dtype, device=q.device)
        hidden = hidden.masked_fill(far, torch.finfo(q.dtype).min / 2)  # finite, so that a sum with it stays finite
        hidden = hidden[:, None] if far.ndim == 3 else hidden
        return hidden if own is None else own + hidden

    def mix(self, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return self.encoding.mix(weights, v, q_positions, k_positions)


def hybrid(name: str, head_dim: int) -> PerLayer:
    """Return the encodings of four layers, for heads of `head_dim` columns.

    rope                 RoPE in every layer, base 10,000
    partial rotary       RoPE on the first quarter of every head's columns (GPT-NeoX, StableLM)
    nope layer           RoPE, and none in the last layer (SmolLM3)
    windows              RoPE, the last 8 keys in sight, in every layer
    windows, nope layer  the same, but all keys and no encoding in the last layer (Command-R7B)
    windows, two bases   RoPE of base 100 on the last 8 keys, and of base 10^6 on all keys in the last layer (Gemma 3)

    Raises ValueError for another name, and for what RotaryEncoding refuses.
    """
    check_choice("name", name, HYBRIDS)
    rope = RotaryEncoding(head_dim)
    local, last = {
        "rope": (rope, rope),
        "partial rotary": (RotaryEncoding(head_dim, rotary_dim=head_dim // 4),) * 2,
        "nope layer": (rope, PositionalEncoding()),
        "windows": (Window(rope), Window(rope)),
        "windows, nope layer": (Window(rope), PositionalEncoding()),
        "windows, two bases": (Window(RotaryEncoding(head_dim, base=100.0)), RotaryEncoding(head_dim, base=1e6)),
    }[name]
    return PerLayer([local] * (LAYERS - 1) + [last])
