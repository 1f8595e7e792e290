"""One attention layer and one TinyTransformer, both open at all three doors, so that every encoding is compared fairly.

    tokens -> embedding -> DOOR 1 -> [ norm -> q, k, v -> DOOR 2 -> scores -> DOOR 3 -> softmax -> mix v -> + ;
                                       norm -> feed-forward -> + ] x layers -> norm -> logits

Letters: B batch, L length, V vocabulary, d width, H heads, d_head = d / H.
Masks are boolean, True = may attend; a query that may attend to nothing gets zeros.
Norms stand before each sublayer, as in Xiong et al. 2020 (arXiv 2002.04745).
"""

import math

import torch
from torch import Tensor, nn

from posenc_helpers.checks import check_count, check_positive
from posenc_helpers.encodings.base import PositionalEncoding, check_is_encoding, of_layers

NOPE = PositionalEncoding()


def causal_mask(queries: int, keys: int, device=None) -> Tensor:
    """Return the mask (L_q, L_k) in which a query sees itself and what came before: the *last* query sees every key.

    With more keys than queries (a key cache) the queries are the last ones of the sequence.
    Raises ValueError for counts below 1 or more queries than keys.
    """
    check_count("queries", queries)
    check_count("keys", keys, least=queries)
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)  # (L_q, L_k)


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    q_positions: Tensor,
    k_positions: Tensor,
    encoding: PositionalEncoding = NOPE,
    mask: Tensor | None = None,
) -> Tensor:
    """Attend through doors 2 and 3: q (B, H, L_q, d_head), k and v (B, H, L_k, d_head) -> (B, H, L_q, d_head).

    `mask` is boolean, True = may attend, of shape (L_q, L_k), (B, L_q, L_k) or (B, H or 1, L_q, L_k).
    Raises TypeError for a mask that is not boolean, ValueError for one whose shape does not fit and for q, k or v that
    have no four axes.
    Source: Vaswani et al. 2017 (arXiv 1706.03762), eq. 1.
    """
    for name, part in (("q", q), ("k", k), ("v", v)):
        if part.ndim != 4:
            raise ValueError(f"{name} has shape {tuple(part.shape)}; allowed: (B, H, L, d_head)")
    scale = math.sqrt(q.shape[-1])  # that of the heads, also where door 2 makes q and k wider
    q, k = encoding.rotate(q, k, q_positions, k_positions)  # door 2
    bias = encoding.bias(q, k, q_positions, k_positions)  # door 3
    scores = q @ k.transpose(-2, -1) / scale  # (B, H, L_q, L_k)
    if bias is not None:
        scores = scores + bias
    if mask is None:
        return encoding.mix(scores.softmax(dim=-1), v, q_positions, k_positions)
    mask = _fit_mask(mask, scores.shape)
    some = mask.any(dim=-1, keepdim=True)  # (..., L_q, 1)  a row without any True would be NaN: it sees all, for 0
    hidden = scores.new_zeros(mask.shape).masked_fill(~mask & some, -math.inf)  # small as the mask, added: faster
    mixed = encoding.mix((scores + hidden).softmax(dim=-1), v, q_positions, k_positions)  # (B, H, L_q, d_head)
    return mixed * some.to(mixed.dtype)


def _fit_mask(mask: Tensor, shape: torch.Size) -> Tensor:
    """Return `mask` broadcastable to the scores' `shape` (B, H, L_q, L_k)."""
    if not isinstance(mask, Tensor) or mask.dtype is not torch.bool:
        kind = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a boolean tensor, True = may attend; got {kind}")
    batch, heads, queries, keys = shape
    of_each, of_all = (batch, heads, queries, keys), (batch, 1, queries, keys)  # a mask for each head, one for all
    if mask.shape in ((queries, keys), (batch, queries, keys), of_each, of_all):
        return mask[:, None] if mask.ndim == 3 else mask
    raise ValueError(
        f"mask has shape {tuple(mask.shape)}; allowed: ({queries}, {keys}), ({batch}, {queries}, {keys}) "
        f"or ({batch}, {heads} or 1, {queries}, {keys})"
    )


class KeyCache:
    """What one attention layer remembers while decoding: keys, values and the positions of the keys.

    Keys are kept as they were *before* door 2, so an encoding whose angles depend on the length stays correct.
    """

    def __init__(self):
        self.entries: tuple[Tensor, Tensor, Tensor] | None = None

    def __len__(self) -> int:
        return 0 if self.entries is None else self.entries[0].shape[-2]

    def extend(self, k: Tensor, v: Tensor, positions: Tensor, axis: int = -1) -> tuple[Tensor, Tensor, Tensor]:
        """Append k, v (B, H, L_new, d_head) and positions (L_new,) or (B, L_new); return all there is so far.

        `axis` is where positions count the tokens: -2 if a last axis of coordinates follows.
        """
        if self.entries is None:
            self.entries = k, v, positions
            return self.entries
        keys, values, before = self.entries
        if before.ndim != positions.ndim:
            shape, cached = tuple(positions.shape), tuple(before.shape)
            raise ValueError(f"positions has shape {shape}, but the cached ones have {cached}")
        keys, values = torch.cat([keys, k], dim=-2), torch.cat([values, v], dim=-2)
        self.entries = keys, values, torch.cat([before, positions], dim=axis)
        return self.entries


class Attention(nn.Module):
    """Multi-head self-attention: x (B, L, d) -> (B, L, d), position only through `encoding` and the causal mask.

    Raises ValueError where `heads` does not divide `width` or x does not fit, TypeError for an `encoding` that is none.
    Source: Vaswani et al. 2017 (arXiv 1706.03762), section 3.2.
    """

    def __init__(self, width: int, heads: int, encoding: PositionalEncoding = NOPE, causal: bool = False):
        super().__init__()
        check_count("width", width)
        check_count("heads", heads)
        if width % heads:
            raise ValueError(f"heads={heads} does not divide width={width}")
        check_is_encoding(encoding)
        self.heads, self.causal, self.encoding = heads, causal, encoding
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(
        self, x: Tensor, positions: Tensor, mask: Tensor | None = None, cache: KeyCache | None = None
    ) -> Tensor:
        """Attend from x (B, L, d) to itself, and to what `cache` holds from before.

        `mask` (see `attend`) narrows the causal mask further, and covers the cached keys too.
        """
        width = self.qkv.in_features
        if x.ndim != 3 or x.shape[-1] != width:  # (L, d) would attend over the heads without a word
            raise ValueError(f"x has shape {tuple(x.shape)}; allowed: (B, L, {width})")
        parts = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)  # (B, H, L, d_head) each
        k_positions = positions
        if cache is not None:
            k, v, k_positions = cache.extend(k, v, positions, axis=-2 if self.encoding.coordinates else -1)
        if self.causal:
            causal = causal_mask(q.shape[-2], k.shape[-2], x.device)  # (L_q, L_k)
            mask = causal if mask is None else causal & _fit_mask(mask, (*q.shape[:-1], k.shape[-2]))
        mixed = attend(q, k, v, positions, k_positions, self.encoding, mask)  # (B, H, L, d_head)
        return self.out(mixed.transpose(1, 2).flatten(-2))  # (B, L, d)


class Block(nn.Module):
    """Attention and a feed-forward net, each behind a norm and beside a residual path: (B, L, d) -> (B, L, d)."""

    def __init__(self, width: int, heads: int, encoding: PositionalEncoding, causal: bool):
        super().__init__()
        self.attention = Attention(width, heads, encoding, causal)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))
        self.norm = nn.LayerNorm(width, elementwise_affine=False)

    def forward(
        self, x: Tensor, positions: Tensor, mask: Tensor | None = None, cache: KeyCache | None = None
    ) -> Tensor:
        x = x + self.attention(self.norm(x), positions, mask, cache)
        return x + self.feed_forward(self.norm(x))


class TinyTransformer(nn.Module):
    """A Transformer small enough for a laptop: tokens (B, L) -> logits (B, L, outputs).

    `encoding` is one module shared by all layers, or a `PerLayer`. Another can be put in later, `model.encoding = other`:
    it reaches every layer, but no optimiser made before. `outputs` defaults to `vocabulary`. Embeddings start at
    standard deviation `embedding_std`; the sum of embedding and position is what door 1 returns.
    Raises ValueError where `heads` does not divide `width`, a count is below 1, `embedding_std` is not above 0 or a
    PerLayer does not fit `layers`, and TypeError for an `encoding` that is none.
    """

    def __init__(
        self,
        vocabulary: int,
        width: int = 64,
        heads: int = 4,
        layers: int = 2,
        encoding: PositionalEncoding | None = None,
        causal: bool = True,
        outputs: int | None = None,
        embedding_std: float = 0.3,
    ):
        super().__init__()
        outputs = vocabulary if outputs is None else outputs
        for name, count in (("vocabulary", vocabulary), ("width", width), ("layers", layers), ("outputs", outputs)):
            check_count(name, count)
        check_positive("embedding_std", embedding_std)
        self.encoding = PositionalEncoding() if encoding is None else encoding
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=embedding_std)
        self.blocks = nn.ModuleList(Block(width, heads, one, causal) for one in of_layers(self.encoding, layers))
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.head = nn.Linear(width, outputs, bias=False)

    def __setattr__(self, name: str, value: object) -> None:
        if name == "encoding" and "blocks" in self._modules:  # put in later: the layers hold it too
            for block, own in zip(self.blocks, of_layers(value, len(self.blocks)), strict=True):
                block.attention.encoding = own
        super().__setattr__(name, value)

    def forward(
        self,
        tokens: Tensor,
        positions: Tensor | None = None,
        mask: Tensor | None = None,
        caches: list[KeyCache] | None = None,
    ) -> Tensor:
        """Return the logits of every token. `positions` default to 0, 1, 2 ..., counted on from the cache."""
        if tokens.ndim != 2:
            raise ValueError(f"tokens has shape {tuple(tokens.shape)}; allowed: (B, L)")
        layers = len(self.blocks)
        if caches and len(caches) != layers:
            raise ValueError(f"caches holds {len(caches)} caches; allowed: one for each of the {layers} layers")
        if positions is None:
            past = len(caches[0]) if caches else 0
            positions = torch.arange(past, past + tokens.shape[1], device=tokens.device)  # (L,)
        x = self.encoding.embed(self.embedding(tokens), positions)  # (B, L, d)   door 1
        for layer, block in enumerate(self.blocks):
            x = block(x, positions, mask, caches[layer] if caches else None)
        return self.head(self.norm(x))  # (B, L, outputs)

    def new_caches(self) -> list[KeyCache]:
        """Return an empty key cache for every layer."""
        return [KeyCache() for _ in self.blocks]


@torch.no_grad()
def decode(model: TinyTransformer, prompt: Tensor, steps: int) -> Tensor:
    """Continue prompt (B, L) by the likeliest token, `steps` times, with a key cache: returns (B, L + steps).

    Raises ValueError for `steps` below 1 and for a model that is not causal: its past would change with every token.
    """
    check_count("steps", steps)
    if not all(block.attention.causal for block in model.blocks):
        raise ValueError("model has causal=False; decoding with a key cache needs causal=True")
    caches = model.new_caches()
    tokens = new = prompt
    for _ in range(steps):
        new = model(new, caches=caches)[:, -1:].argmax(dim=-1)  # (B, 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
