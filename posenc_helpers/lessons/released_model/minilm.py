"""all-MiniLM-L6-v2 as released: a BERT-like encoder with a learned table of 512 positions, which turns texts into vectors.

Sources: Wang et al. 2020, "MiniLM" (arXiv 2002.10957); Reimers, Gurevych 2019, "Sentence-BERT" (arXiv 1908.10084).
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

HEADS, LAYERS, EPS = 12, 6, 1e-12  # as its config.json has them


@dataclass(frozen=True)
class MiniLM:
    """The released encoder: weights by name, and the tokenizer, of the package `tokenizers`."""

    weights: dict[str, Tensor]
    tokenizer: object

    @property
    def table(self) -> Tensor:
        """The learned positions, (512, 384)."""
        return self.weights["embeddings.position_embeddings.weight"]

    def tokens(self, text: str) -> Tensor:
        """Return the tokens (L,) of a text, with [CLS] before it and [SEP] after it."""
        return torch.tensor(self.tokenizer.encode(text).ids)


def read(path: Path) -> MiniLM:
    """Return the encoder from the zip file in which it was released, in float32."""
    from safetensors.torch import load
    from tokenizers import Tokenizer

    with zipfile.ZipFile(path) as packed:
        tokenizer = Tokenizer.from_str(packed.read("tokenizer.json").decode())
        weights = load(packed.read("model.safetensors"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return MiniLM({name: weight.float() for name, weight in weights.items() if weight.is_floating_point()}, tokenizer)


@torch.no_grad()
def vector(model: MiniLM, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
    """Return the vector (384,) of length 1 for tokens (L,): the mean over the tokens of the last layer.

    `positions` (L,) are rows of the table, 0 ... L - 1 without it. Raises ValueError for rows that there are not.
    """
    positions = torch.arange(len(tokens)) if positions is None else positions
    if len(positions) != len(tokens) or int(positions.min()) < 0 or int(positions.max()) >= len(model.table):
        raise ValueError(
            f"positions run from {int(positions.min())} to {int(positions.max())} for {len(tokens)} tokens; "
            f"allowed: one for each token, from 0 to {len(model.table) - 1}, the rows of the table"
        )
    w = model.weights
    words = w["embeddings.word_embeddings.weight"][tokens] + w["embeddings.token_type_embeddings.weight"][0]
    x = _norm(words + model.table[positions], w, "embeddings.LayerNorm")  # (L, 384)
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        q, k, v = (
            _linear(x, w, f"{layer}attention.self.{name}").unflatten(-1, (HEADS, -1)).transpose(0, 1)  # (12, L, 32)
            for name in ("query", "key", "value")
        )
        mixed = functional.scaled_dot_product_attention(q[None], k[None], v[None])[0].transpose(0, 1).flatten(1)
        x = _norm(x + _linear(mixed, w, f"{layer}attention.output.dense"), w, f"{layer}attention.output.LayerNorm")
        h = functional.gelu(_linear(x, w, f"{layer}intermediate.dense"))
        x = _norm(x + _linear(h, w, f"{layer}output.dense"), w, f"{layer}output.LayerNorm")
    return functional.normalize(x.mean(dim=0), dim=0)


def _linear(x: Tensor, w: dict[str, Tensor], name: str) -> Tensor:
    return functional.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])


def _norm(x: Tensor, w: dict[str, Tensor], name: str) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], EPS)
