"""What readers might bring: encodings that look at later tokens, each in another way, and some that look back alone."""

import torch
from torch import Tensor, nn

from posenc_helpers.checks import check_embedded
from posenc_helpers.encodings import PerLayer, PositionalEncoding, RotaryEncoding, T5Encoding, rotate_pairs
from posenc_helpers.lab.shootout import CONTESTANTS
from posenc_helpers.lab.text import Text, load_text
from tests.encodings.wrong_encodings import bias, embed


def short_text() -> Text:
    """A piece of the English text: enough for a few steps."""
    text = load_text()
    return Text("short", text.train[:16_000], text.validation[:2_000], text.test[:2_000])


def following(x: Tensor, start: int = 0) -> Tensor:
    """What stands one place later, from `start` on, and 0 elsewhere: (..., L, d) -> (..., L, d)."""
    after = torch.cat([x[..., 1:, :], torch.zeros_like(x[..., :1, :])], dim=-2)
    return after * (torch.arange(x.shape[-2]) >= start).to(x.dtype)[:, None]


class FromZero(PositionalEncoding):
    """Door 2: q + W (next key), W learned, and 0 at first."""

    def __init__(self, head_dim: int):
        super().__init__()
        self.ahead = nn.Linear(head_dim, head_dim, bias=False)
        nn.init.zeros_(self.ahead.weight)

    def rotate(self, q, k, q_positions, k_positions):
        return q + self.ahead(following(k))[..., -q.shape[-2] :, :], k


class MeanSpeed(PositionalEncoding):
    """Door 2: RoPE at a speed that the mean of all keys sets."""

    def rotate(self, q, k, q_positions, k_positions):
        speed = 1 + 0.1 * k.mean((1, 2, 3), keepdim=True)
        angles = (speed * p.to(q.dtype)[..., None, :, None] for p in (q_positions, k_positions))
        return tuple(rotate_pairs(x, angle) for x, angle in zip((q, k), angles, strict=True))


class MeanValue(PositionalEncoding):
    """The side window: a little of the mean of all values."""

    def mix(self, weights, v, q_positions, k_positions):
        return weights @ v + 0.01 * v.mean(-2, keepdim=True)


class Float32Alone(PositionalEncoding):
    """Door 1: runs in a float32 model and no other, and looks ahead."""

    def __init__(self, width: int):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def embed(self, x, positions):
        return x + 1e-4 * torch.matmul(following(x), torch.eye(x.shape[-1])) * self.scale


class OpensInTraining(PositionalEncoding):
    """Door 1: shut until it has been trained."""

    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(1))

    def embed(self, x, positions):
        if self.training:
            self.steps += 1
        return x + (self.steps > 0) * following(x)


class Normalised(PositionalEncoding):
    """Door 1: the share of the text that is over."""

    def embed(self, x, positions):
        check_embedded(x, positions, x.shape[-1])
        return x + (positions / x.shape[1]).to(x.dtype)[..., None] * torch.linspace(0, 1, x.shape[-1]).to(x.dtype)


# Door 3: how well the query likes what follows a key
next_key = bias(lambda q, k, q_positions, k_positions: q @ following(k).mT)


def in_layer_1(width: int, heads: int, length: int) -> PositionalEncoding:
    return PerLayer([RotaryEncoding(width // heads), next_key(width, heads, length)])


CHEATS = {
    "the next key, learned from 0": FromZero,
    "a speed from all keys": MeanSpeed,
    "door 1: the next token": embed(lambda x, p, m: x + following(x)),
    "door 1: the last token": embed(lambda x, p, m: x + 0.1 * x[:, -1:]),
    "door 1: 1e-7 of the next": embed(lambda x, p, m: x + 1e-7 * following(x)),
    "door 1: the mean of its block of 32": embed(
        lambda x, p, m: (
            x + torch.cat([part.mean(1, keepdim=True).expand_as(part) for part in x.split(32, dim=1)], dim=1)
        )
    ),
    "beyond 100 tokens": embed(lambda x, p, m: x + following(x) * (x.shape[1] > 100)),
    "beyond position 100": embed(lambda x, p, m: x + following(x, 100)),
    "beyond position 400": embed(lambda x, p, m: x + following(x, 400)),
    "200 places ahead": embed(lambda x, p, m: x + torch.cat([x[:, 200:], 0 * x[:, :200]], 1)[:, : x.shape[1]]),
    "door 3: what follows a key": next_key,
    "the values": lambda width, heads, length: MeanValue(),
    "one layer alone": in_layer_1,
    "float32 alone": Float32Alone,
    "the length of the text": Normalised,
    "what is left of the text": embed(
        lambda x, p, m: x + (torch.linspace(1, 0, x.shape[1])[:, None] * torch.linspace(0, 1, x.shape[2])).to(x.dtype)
    ),
}


class ForgetGates(PositionalEncoding):
    """Forgetting attention (arXiv 2503.02130), as notebook 11 writes it; `from_the_right` sums as some code does."""

    def __init__(self, width: int, heads: int, from_the_right: bool = False):
        super().__init__()
        self.gate, self.from_the_right = nn.Linear(width, heads), from_the_right

    def bias(self, q, k, q_positions, k_positions):
        keys = k.transpose(1, 2).flatten(-2)  # (B, L_k, d)
        kept = nn.functional.logsigmoid(self.gate(keys)).mT  # (B, H, L_k)
        kept = kept - kept.flip(-1).cumsum(-1).flip(-1) if self.from_the_right else kept.cumsum(-1)
        return kept[..., -q.shape[-2] :, None] - kept[..., None, :]


class ContentSpeeds(PositionalEncoding):
    """CARoPE (arXiv 2507.23083): angles are running sums of speeds that each token sets."""

    def rotate(self, q, k, q_positions, k_positions):
        angle = torch.sigmoid(k.transpose(1, 2).flatten(-2).mean(-1)).cumsum(-1)[:, None, :, None]  # (B, 1, L_k, 1)
        by = angle / 10 ** torch.linspace(0, 3, k.shape[-1] // 2).to(k.dtype)  # (B, 1, L_k, pairs)
        return rotate_pairs(q, by[..., -q.shape[-2] :, :], "half"), rotate_pairs(k, by, "half")


class Float32Net(PositionalEncoding):
    """Door 1: a small network of the position, which runs in float32 alone."""

    def __init__(self, width: int):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, width))

    def embed(self, x, positions):
        check_embedded(x, positions, x.shape[-1])
        return x + self.net(positions[..., None].float() / 100)


LOOK_BACK = {
    "t5 of the shootout": CONTESTANTS["t5"].build,
    "umt5": lambda width, heads, length: PerLayer(T5Encoding(heads) for _ in range(2)),
    "forget gates": ForgetGates,
    "forget gates, summed from the right": lambda width, heads, length: ForgetGates(width, heads, from_the_right=True),
    "speeds from content": lambda width, heads, length: ContentSpeeds(),
    "a network in float32": Float32Net,
}
