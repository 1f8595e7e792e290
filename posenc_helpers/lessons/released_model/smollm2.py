"""SmolLM2-135M-Instruct as its released file has it (GGUF, 4 bits): weights, tokenizer, numbers, turns
of its queries and keys; and a forward pass.

Source: Allal et al. 2025, "SmolLM2" (arXiv 2502.02737); the file is a conversion of the released checkpoint by llama.cpp.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from posenc_helpers.checks import check_count
from posenc_helpers.encodings import frequencies, rotate_pairs
from posenc_helpers.encodings.precision import angles
from posenc_helpers.lessons.released_model.fetching import fetch

Turn = Callable[[Tensor], Tensor]  # what is done to queries and keys: (heads, L, 64) -> the same shape
PAIRS, BASE = 32, 100_000.0
W = frequencies(2 * PAIRS, BASE)  # (32,) radians a token, fastest first


def turning(w: Tensor = W, start: int = 0, layout: str = "interleaved", times: float = 1.0, scale: float = 1.0) -> Turn:
    """Return a turn of x (heads, L, 64): token number p, counted from `start`, by (start + p) * times * w.

    `scale` multiplies what was turned, as YaRN's attention factor does. Raises ValueError for an unknown layout.
    """

    def turn(x: Tensor) -> Tensor:
        positions = (start + torch.arange(x.shape[-2])) * times
        return rotate_pairs(x, angles(positions, w), layout, scale)

    return turn


@dataclass(frozen=True)
class SmolLM2:
    """A released model.

    weights     by name: "token_embd.weight" (V, 576), "blk.0.attn_q.weight" (out, in), ...
    tokenizer   of the package `tokenizers`
    base, eps   of RoPE's frequencies; inside the square root of RMSNorm
    context     tokens that the file declares it can read
    """

    weights: dict[str, Tensor]
    tokenizer: object
    layers: int
    heads: int
    key_heads: int
    base: float
    context: int
    eps: float

    def tokens(self, text: str) -> Tensor:
        """Return the tokens (L,) of a text."""
        return torch.tensor(self.tokenizer.encode(text).ids)

    def text(self, tokens: Tensor) -> str:
        """Return the text of tokens (L,)."""
        return self.tokenizer.decode(tokens.tolist())

    def layer(self, number: int) -> dict[str, Tensor]:
        """Return the weights of a layer by their short names: attn_norm, attn_q, attn_k, attn_v, attn_output, ffn_norm,
        ffn_gate, ffn_up, ffn_down. Raises ValueError for a layer that there is not."""
        check_count("number", number, least=0)
        if number >= self.layers:
            raise ValueError(f"number={number} must be below {self.layers}: layers are counted from 0")
        start = f"blk.{number}."
        return {
            name.removeprefix(start).removesuffix(".weight"): weight
            for name, weight in self.weights.items()
            if name.startswith(start)
        }


@lru_cache(maxsize=1)
def read(path: Path) -> SmolLM2:
    """Return the model of a GGUF file, its weights in float32; the same object for the same path: they take 540 MB.

    The rows of attn_q and attn_k lie in the interleaved order, as llama.cpp's converter of Llama-like models leaves them.
    Raises ValueError for a file of another architecture.
    """
    from gguf import GGUFReader, dequantize  # of this notebook alone, as is `tokenizers`

    file = GGUFReader(path)
    said = {name: field.contents() for name, field in file.fields.items() if not name.startswith("tokenizer.")}
    if said["general.architecture"] != "llama":
        raise ValueError(f"path={str(path)!r} holds a {said['general.architecture']!r}; allowed: 'llama'")
    weights = {t.name: torch.tensor(dequantize(t.data, t.tensor_type)) for t in file.tensors}
    heads, key_heads = said["llama.attention.head_count"], said["llama.attention.head_count_kv"]
    base, eps = said["llama.rope.freq_base"], said["llama.attention.layer_norm_rms_epsilon"]
    layers, context = said["llama.block_count"], said["llama.context_length"]
    return SmolLM2(weights, _tokenizer(file), layers, heads, key_heads, base, context, eps)


@lru_cache(maxsize=1)
def load() -> SmolLM2:
    """Return the model that `fetching` keeps, fetched and held to its hash once. Raises what `fetch` raises."""
    return read(fetch("SmolLM2-135M-Instruct"))


def _tokenizer(file):
    """Return the byte-level BPE whose vocabulary and merges stand in the file; digits are tokens one by one."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    names = file.fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(line.split(" ")) for line in file.fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@torch.no_grad()
def hidden(
    model: SmolLM2,
    tokens: Tensor,
    turn: Turn,
    keep: Tensor | None = None,
    watch: Callable[[int, Tensor], None] | None = None,
) -> Tensor:
    """Return what the last layer hands to the output matrix, (L, 576).

    `keep` (L, L) is True where a query sees a key; without it, each sees itself and all before. `watch` is called with the
    number of each layer and its weights of attention (heads, L, L), which are computed for it alone: they are large.
    """
    embedding = model.weights["token_embd.weight"]
    x = embedding[tokens]  # (L, 576)
    for number in range(model.layers):
        w = model.layer(number)
        h = functional.rms_norm(x, x.shape[-1:], w["attn_norm"], model.eps)
        q, k, v = (
            (h @ w[name].T).unflatten(-1, (heads, -1)).transpose(0, 1)  # (heads, L, 64)
            for name, heads in (("attn_q", model.heads), ("attn_k", model.key_heads), ("attn_v", model.key_heads))
        )
        q, k = turn(q), turn(k)
        k, v = (t.repeat_interleave(model.heads // model.key_heads, dim=0) for t in (k, v))  # (heads, L, 64)
        if watch:
            watch(number, _attention(q, k, keep))
        mixed = functional.scaled_dot_product_attention(q[None], k[None], v[None], keep, is_causal=keep is None)[0]
        x = x + mixed.transpose(0, 1).flatten(1) @ w["attn_output"].T
        h = functional.rms_norm(x, x.shape[-1:], w["ffn_norm"], model.eps)
        x = x + (functional.silu(h @ w["ffn_gate"].T) * (h @ w["ffn_up"].T)) @ w["ffn_down"].T
    return functional.rms_norm(x, x.shape[-1:], model.weights["output_norm.weight"], model.eps)


def _attention(q: Tensor, k: Tensor, keep: Tensor | None) -> Tensor:
    seen = torch.ones(q.shape[1], k.shape[1]).tril().bool() if keep is None else keep
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).masked_fill(~seen, -torch.inf).softmax(dim=-1)


def losses(model: SmolLM2, tokens: Tensor, turn: Turn, keep: Tensor | None = None) -> Tensor:
    """Return the loss (nats) of each next token: tokens (L,) -> (L - 1,). `keep` is (L - 1, L - 1), as in `hidden`.

    Raises ValueError for fewer than two tokens.
    """
    if len(tokens) < 2:
        raise ValueError(f"tokens has shape {tuple(tokens.shape)}; allowed: (L,) with L of 2 or more")
    x = hidden(model, tokens[:-1], turn, keep)
    output = model.weights["token_embd.weight"].T
    parts = zip(x.split(1024), tokens[1:].split(1024), strict=True)  # the logits of 12,000 tokens would take 2.4 GB
    return torch.cat([functional.cross_entropy((h @ output).float(), t, reduction="none") for h, t in parts])
