"""A sliding window over an encoding, as the local layers of released models have it, in miniature."""

import torch
from torch import Tensor

from posenc_helpers.checks import check_count
from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.encodings.base import check_is_encoding

WINDOW = 8  # the keys that a local layer sees, its own among them


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
