"""The three doors through which position can enter a Transformer.

    tokens -> embedding --(1 embed)--> x -> q, k, v --(2 rotate q, k)--> scores --(3 bias)--> softmax -> output

Every encoding of the course is a subclass of `PositionalEncoding` that overrides the door it uses and nothing else.

Letters: B batch, L length, d width, H heads, d_head head width.
"""

from collections.abc import Iterable

from torch import Tensor, nn

from posenc_helpers.checks import check_floating


class PositionalEncoding(nn.Module):
    """The encoding that does nothing (NoPE): all three doors stay shut.

    `positions` are always given explicitly: integers or reals of shape (L,) or (B, L); encodings of grids take a last
    axis of coordinates. Queries and keys have positions of their own, since a key cache holds more keys than queries.

    One that looks at x, as a forget gate does, works in door 2 or 3 from q and k (FoX in `tests/test_transformer.py`).
    `coordinates` is how many numbers a position consists of where it is no single number: (2,) on a grid.
    `reads_length` says that codes depend on how many tokens a call holds, which `lab.rules.fair` refuses otherwise.

    Source: Haviv, Ram, Press, Izsak, Levy 2022 (arXiv 2203.16634) train language models without any encoding.
    """

    coordinates: tuple[int, ...] = ()
    reads_length = False

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        """Door 1: add to the token embeddings x (B, L, d), once, before the first layer."""
        return x

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """Door 2: transform queries (B, H, L_q, d_head) and keys (B, H, L_k, d_head), in every layer.

        Both may come out wider, as with PoPE (arXiv 2509.10534); scores are divided by sqrt(d_head) all the same.
        """
        return q, k

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        """Door 3: return what is added to the scores, broadcastable to (B, H, L_q, L_k), or None for nothing."""
        return None

    def mix(self, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """Side window: average the values v (B, H, L_k, d_head) by weights (B, H, L_q, L_k).

        It is here for the value term of Shaw, Uszkoreit, Vaswani 2018 (arXiv 1803.02155, eq. 3) alone.
        """
        return weights @ v


class PerLayer(PositionalEncoding):
    """An encoding of its own for every layer: PerLayer(T5Encoding(8) for _ in range(12)) is UMT5's table a layer.

    `TinyTransformer` takes it where it takes an encoding; then layer i uses doors 2 and 3 of `layers[i]`. Door 1 opens
    once, before the first layer, and is that of `layers[0]`.
    Raises ValueError for none at all and for a door 1 further up, TypeError for what is no encoding.
    Source: Chung et al. 2023 (arXiv 2304.09151), whose released umT5 models hold a table in every layer.
    """

    def __init__(self, encodings: Iterable[PositionalEncoding]):
        super().__init__()
        encodings = list(encodings)
        if not encodings:
            raise ValueError("encodings is empty; allowed: one for each layer")
        for layer, encoding in enumerate(encodings):
            check_is_encoding(encoding, f"encoding of layer {layer}")
            if isinstance(encoding, PerLayer):
                raise TypeError(f"encoding of layer {layer} is a PerLayer; allowed: what one layer uses")
            if encoding is not encodings[0] and type(encoding).embed is not PositionalEncoding.embed:
                raise ValueError(
                    f"encoding of layer {layer} is a {type(encoding).__name__}, which uses door 1 (embed); door 1 opens "
                    "once, before layer 0, so it would do nothing here: make it the encoding of layer 0"
                )
        self.layers = nn.ModuleList(encodings)
        self.coordinates = encodings[0].coordinates

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.layers[0].embed(x, positions)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        raise TypeError("PerLayer holds one encoding a layer; a layer by itself takes one of them, as in .layers[0]")


def check_is_encoding(encoding: object, name: str = "encoding") -> None:
    """Refuse what is no PositionalEncoding."""
    if isinstance(encoding, PositionalEncoding):
        return
    kind = f"the class {encoding.__name__}" if isinstance(encoding, type) else type(encoding).__name__
    hint = "; for one a layer: PerLayer([...])" if isinstance(encoding, list | tuple | nn.ModuleList) else ""
    raise TypeError(f"{name} must be a PositionalEncoding, got {kind}{hint}")


def of_layers(encoding: PositionalEncoding, layers: int) -> list[PositionalEncoding]:
    """Return the encoding of each of `layers` layers: the same for all, or those of a PerLayer.

    Raises TypeError for what is no encoding, ValueError for a PerLayer of another number of layers.
    """
    check_is_encoding(encoding)
    if not isinstance(encoding, PerLayer):
        return [encoding] * layers
    if len(encoding.layers) != layers:
        raise ValueError(
            f"encoding holds {len(encoding.layers)} encodings, one a layer; this model has layers={layers}"
        )
    return list(encoding.layers)


def check_scores(
    q: Tensor,
    k: Tensor,
    q_positions: Tensor,
    k_positions: Tensor,
    heads: int = 0,
    head_dim: int = 0,
    coordinates: tuple[int, ...] = (),
) -> None:
    """Refuse an input of door 3 unless q, k (B, H, L, d_head), their positions and, if given, H and d_head fit.

    Positions are (L,) or (B, L), then `coordinates`.
    """
    for name, x, positions in (("q", q, q_positions), ("k", k, k_positions)):
        check_floating(name, x)
        if x.ndim != 4:
            raise ValueError(f"{name} has shape {tuple(x.shape)}; allowed: (B, H, L, d_head)")
        allowed = (x.shape[2], *coordinates), (x.shape[0], x.shape[2], *coordinates)
        if tuple(positions.shape) not in allowed:
            raise ValueError(
                f"{name}_positions has shape {tuple(positions.shape)}; allowed for {name} of shape {tuple(x.shape)}: "
                f"{allowed[0]} or {allowed[1]}"
            )
        if heads and x.shape[1] != heads:
            raise ValueError(f"{name} has {x.shape[1]} heads, but the encoding was made for heads={heads}")
        if head_dim and x.shape[3] != head_dim:
            raise ValueError(f"{name} has head width {x.shape[3]}, but the encoding was made for head_dim={head_dim}")
