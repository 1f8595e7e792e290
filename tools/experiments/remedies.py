"""Changes to a trained model, made when it reads a longer text: RoPE stretched, or one new thing taken away."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from posenc_helpers.encodings import PositionalEncoding, RotaryEncoding, apply_rope
from posenc_helpers.encodings import rope_scaling as rules
from posenc_helpers.lab.shootout import TRAINED
from posenc_helpers.lab.stretching import ALPHA, BETA, with_encoding
from posenc_helpers.transformer import TinyTransformer

METHODS = ("none", "linear", "ntk", "by-parts", "yarn")  # yarn: by-parts, larger logits

SCALED = ("q . k", "bias", "whole score")


def stretch(
    model: TinyTransformer, method: str, factor: float, alpha: float = ALPHA, beta: float = BETA, trained: int = TRAINED
) -> TinyTransformer:
    """Return a copy of a model with RoPE, trained on `trained` tokens, stretched by `factor`; `model` stays as it is.

    The frequencies that are stretched are those of its base, whatever scaling it has.
    """
    scaling = {  # of frequencies (pairs,), whatever the length
        "none": lambda w, length: w,
        "linear": lambda w, length: rules.linear(w, factor),
        "ntk": lambda w, length: rules.ntk_aware(w, factor),
        "by-parts": lambda w, length: rules.by_parts(w, factor, trained, alpha, beta),
    }
    scaling["yarn"] = scaling["by-parts"]
    return _with_speeds(model, scaling[method], rules.yarn_attention_factor(factor) if method == "yarn" else 1.0)


def slow_some(model: TinyTransformer, pairs: Iterable[int], factor: float) -> TinyTransformer:
    """Return a copy of a model with RoPE in which only these pairs, by index, turn `factor` times slower."""
    divisors = torch.ones(model.encoding.rotary_dim // 2)
    divisors[list(pairs)] = factor
    return _with_speeds(model, lambda w, length: w / divisors.to(w))


def _with_speeds(model: TinyTransformer, scaling: Callable, attention_factor: float = 1.0) -> TinyTransformer:
    old = model.encoding
    new = RotaryEncoding(old.head_dim, old.base, old.layout, old.rotary_dim, scaling, attention_factor)
    return with_encoding(model, new)


class NoNewDistance(RotaryEncoding):
    """RoPE in which a key more than `furthest` back is turned as if it stood exactly `furthest` back.

    All keys stay in sight, and no distance is new where training met `furthest` (its length - 1). For causal models.
    Source: Su 2023, "ReRoPE" (github.com/bojone/rerope), the rule without its step.
    """

    def __init__(self, head_dim: int, base: float = 10000.0, layout: str = "interleaved", furthest: int = 15):
        super().__init__(head_dim, base, layout)
        self.furthest = furthest

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        turn = (self.furthest - q_positions, -k_positions)  # q and k come turned: back to `furthest` and 0
        q_far, k_0 = (apply_rope(x, p, self.base, self.layout) for x, p in zip((q, k), turn, strict=True))
        far = q_positions[:, None] - k_positions > self.furthest  # (L_q, L_k)
        return torch.where(far, q_far @ k_0.mT - q @ k.mT, 0.0) / q.shape[-1] ** 0.5  # (B, H, L_q, L_k)


class LogScaled(PositionalEncoding):
    """An encoding whose scores grow with the logarithm of the query's place: times max(1, ln(p + 1) / ln(trained)).

    The softmax of a query at place p is shared by p + 1 keys; a larger score keeps the share of the one that counts.
    `of` says what grows: "q . k" (what door 3 adds stays), "bias" (what door 3 adds, alone), "whole score" (both).
    Source: Chiang, Cholak 2022 (arXiv 2202.12172), who scale all scores of a text by the logarithm of its length.
    """

    def __init__(self, encoding: PositionalEncoding, trained: int, of: str = "q . k"):
        super().__init__()
        self.encoding, self.trained, self.of = encoding, trained, of

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.encoding.embed(x, positions)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        q, k = self.encoding.rotate(q, k, q_positions, k_positions)
        return (q if self.of == "bias" else q * self.growth(q_positions)), k

    def growth(self, q_positions: Tensor) -> Tensor:
        """Return by what scores are multiplied, one number a query: positions (L_q,) -> (L_q, 1)."""
        keys = (q_positions + 1.0).clamp(min=self.trained)  # (L_q,)
        return (keys.log() / torch.tensor(float(self.trained)).log())[:, None]

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        added = self.encoding.bias(q, k, q_positions, k_positions)  # (H, L_q, L_k), or with a batch before
        return added if added is None or self.of == "q . k" else added * self.growth(q_positions)

    def mix(self, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return self.encoding.mix(weights, v, q_positions, k_positions)
