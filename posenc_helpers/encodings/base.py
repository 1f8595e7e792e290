"""The three doors through which position can enter a Transformer.

    tokens -> embedding --(1 embed)--> x -> q, k, v --(2 rotate q, k)--> scores --(3 bias)--> softmax -> output

Every encoding of the course is a subclass of `PositionalEncoding` that overrides the door it uses and nothing else.

Letters: B batch, L length, d width, H heads, d_head head width.
"""

from torch import Tensor, nn


class PositionalEncoding(nn.Module):
    """The encoding that does nothing (NoPE): all three doors stay shut.

    `positions` are always given explicitly: integers or reals of shape (L,) or (B, L); encodings of grids take a last
    axis of coordinates. Queries and keys have positions of their own, since a key cache holds more keys than queries.

    `coordinates` is how many numbers a position consists of where it is no single number: (2,) on a grid.

    Source: Haviv, Ram, Press, Izsak, Levy 2022 (arXiv 2203.16634) train language models without any encoding.
    """

    coordinates: tuple[int, ...] = ()

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        """Door 1: add to the token embeddings x (B, L, d), once, before the first layer."""
        return x

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """Door 2: transform queries (B, H, L_q, d_head) and keys (B, H, L_k, d_head), in every layer."""
        return q, k

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        """Door 3: return what is added to the scores, broadcastable to (B, H, L_q, L_k), or None for nothing."""
        return None

    def mix(self, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """Side window: average the values v (B, H, L_k, d_head) by weights (B, H, L_q, L_k).

        It is here for the value term of Shaw, Uszkoreit, Vaswani 2018 (arXiv 1803.02155, eq. 3) alone.
        """
        return weights @ v
