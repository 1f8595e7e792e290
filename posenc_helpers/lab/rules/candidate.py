"""What a reader brings: an encoding, its class, or a function that builds one, made ready for the rules of `lab.rules`."""

import copy
import inspect
from bisect import bisect_right
from collections.abc import Callable, Sequence

import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings.base import PerLayer, PositionalEncoding
from posenc_helpers.lab.training import seeded
from posenc_helpers.transformer import TinyTransformer, attend

Build = Callable[[int, int, int], PositionalEncoding]  # (width, heads, length) -> encoding, as in ENCODINGS

VOCABULARY, LENGTH = 11, 320  # of the models that are asked; a table has room for 256 and 257
FAR = 4096  # tokens; what reaches so far has no table
# What an __init__ may call the sizes that it asks for
NAMES = {
    "width": ("width", "dim", "d", "d_model", "embed_dim", "embedding_dim", "hidden_size", "n_embd"),
    "heads": ("heads", "num_heads", "n_heads", "nhead", "n_head"),
    "head width": ("head_dim", "head_width", "d_head"),
    "length": ("length", "max_length", "max_len", "max_positions", "context", "rows", "n"),
}


def builder(mine: object) -> Build:
    """Return `mine` as a function (width, heads, length) -> encoding: itself, or one that calls the class `mine`.

    A class is given the sizes that its __init__ asks for by their usual names. Raises TypeError for anything else, an
    encoding that is built already among it; so does the function where it makes no PositionalEncoding.
    """
    if isinstance(mine, PositionalEncoding):
        raise TypeError(
            f"got a {type(mine).__name__} that is built already, but fresh ones are needed, of several sizes; "
            f"pass lambda width, heads, length: {type(mine).__name__}(...)"
        )
    if isinstance(mine, type) and issubclass(mine, PositionalEncoding):
        return _from_class(mine)
    if isinstance(mine, type | nn.Module) or not callable(mine):
        kind = f"the class {mine.__name__}" if isinstance(mine, type) else f"a {type(mine).__name__}"
        raise TypeError(
            f"got {kind}, which is no PositionalEncoding; write class Mine(PositionalEncoding) with the door that it "
            "uses, or pass a function (width, heads, length) -> PositionalEncoding"
        )

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        encoding = mine(width, heads, length)
        if not isinstance(encoding, PositionalEncoding):
            raise TypeError(
                f"the function returned a {type(encoding).__name__} for width={width}, heads={heads}, length={length}; "
                "allowed: a PositionalEncoding"
            )
        return encoding

    return build


def _from_class(mine: type[PositionalEncoding]) -> Build:
    kinds = {name: kind for kind, names in NAMES.items() for name in names}
    asked = [
        parameter.name
        for parameter in inspect.signature(mine).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    unknown = [name for name in asked if name not in kinds]
    if unknown:
        raise TypeError(
            f"{mine.__name__} asks for {', '.join(unknown)}, which is not known (width, heads, head_dim and length are); "
            f"pass lambda width, heads, length: {mine.__name__}(...)"
        )

    def build(width: int, heads: int, length: int) -> PositionalEncoding:
        sizes = {"width": width, "heads": heads, "head width": width // heads, "length": length}
        return mine(**{name: sizes[kinds[name]] for name in asked})

    return build


class Candidate:
    """An encoding to be asked, as often as needed afresh: its numbers moved away from their start, so that all show.

    `mine` is what `builder` takes, or an encoding that is built for this width and these heads.
    Raises TypeError for anything else.
    """

    def __init__(self, mine: object, width: int = 64, heads: int = 4):
        self.name = getattr(mine, "__name__", type(mine).__name__)
        self.width, self.heads = width, heads
        built = isinstance(mine, PositionalEncoding)
        self.build = (lambda width, heads, length: copied(mine)) if built else builder(mine)

    def encoding(self, seed: int = 0, moved: bool = True) -> PositionalEncoding:
        """Return a fresh encoding, in evaluation mode."""
        sizes = {"width": self.width, "heads": self.heads, "length": LENGTH}
        try:
            with seeded(seed):
                encoding = self.build(*sizes.values()).eval()
        except Exception as error:
            raise TypeError(f"{self.name} cannot be built for {sizes}: {type(error).__name__}: {error}") from error
        if moved:
            generator = Generator().manual_seed(7)
            with torch.no_grad():
                for parameter in encoding.parameters():
                    parameter.add_(0.5 * torch.randn(parameter.shape, generator=generator).to(parameter))
        return encoding

    def model(
        self, causal: bool = True, encoding: PositionalEncoding | None = None, layers: int = 2
    ) -> TinyTransformer:
        """Return a model around `encoding` or a fresh one: always the same other weights, as many layers as a PerLayer."""
        encoding = self.encoding() if encoding is None else encoding
        layers = len(parts(encoding)) if isinstance(encoding, PerLayer) else layers
        with seeded(0):
            return TinyTransformer(VOCABULARY, self.width, self.heads, layers, encoding, causal).eval()

    def tokens(self, length: int, batch: int = 1) -> Tensor:
        """Return always the same tokens (batch, length); a longer text goes on where a shorter one ends."""
        return torch.randint(VOCABULARY, (64, batch), generator=Generator().manual_seed(0)).T[:, :length]

    def read(self, model: TinyTransformer, positions: Sequence[int]) -> Tensor:
        """Return the logits (1, L, V) of `model` for as many of these tokens, at `positions`."""
        return model(self.tokens(len(positions)), torch.tensor(positions))

    def doors(self, positions: Tensor, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
        """Return what comes out of each door at positions (L,) for the same input in every place, batch 1.

        A bias that is None is left out. Doors of a PerLayer are named with their layer.
        """
        encoding, generator = self.encoding().to(dtype), Generator().manual_seed(1)
        x = torch.randn(1, 1, self.width, generator=generator).expand(-1, len(positions), -1).to(dtype)
        shape = (2, 1, self.heads, 1, self.width // self.heads)
        q, k = torch.randn(shape, generator=generator).expand(-1, -1, -1, len(positions), -1).to(dtype)
        out = {"embed": encoding.embed(x, positions)}
        for layer, one in enumerate(parts(encoding)):
            where = f" of layer {layer}" if isinstance(encoding, PerLayer) else ""
            turned = one.rotate(q, k, positions, positions)
            out["rotate (q)" + where], out["rotate (k)" + where] = turned
            bias = one.bias(*turned, positions, positions)
            if bias is not None:
                out["bias" + where] = bias
        return out


def parts(encoding: PositionalEncoding) -> list[PositionalEncoding]:
    """Return the encodings of a PerLayer, or the encoding itself."""
    return list(encoding.layers) if isinstance(encoding, PerLayer) else [encoding]


def copied(encoding: PositionalEncoding) -> PositionalEncoding:
    """Return a copy of `encoding`, with everything in it. Raises TypeError where that is impossible."""
    try:
        return copy.deepcopy(encoding)
    except Exception as error:
        raise TypeError(
            f"{type(encoding).__name__} cannot be copied ({error}); a tensor computed from a parameter belongs into a "
            "door, not into __init__"
        ) from error


@torch.no_grad()
def stops(encoding: PositionalEncoding, width: int, heads: int, positions: Tensor) -> Exception | None:
    """Return the exception with which a text at positions (L,) stops at a door, or None. Only its last token asks."""
    x = torch.zeros(1, len(positions), width)
    q, k = torch.zeros(1, heads, 1, width // heads), torch.zeros(1, heads, len(positions), width // heads)
    try:
        encoding.embed(x, positions)
        for part in parts(encoding):
            attend(q, k, k, positions[-1:], positions, part)
    except Exception as error:
        return error
    return None


def reach(encoding: PositionalEncoding, width: int, heads: int, most: int) -> int:
    """Return the longest text, up to `most` tokens, that `encoding` takes: where its table ends. 0 if it takes none."""

    def too_long(length: int) -> bool:
        return stops(encoding, width, heads, torch.arange(length)) is not None

    return bisect_right(range(1, most), False, key=too_long) if too_long(most) else most
