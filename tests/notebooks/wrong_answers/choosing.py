"""Answers to the exercises of notebook 11, as readers write them: wrong ones with the hint they deserve, and right ones
that look unlike the folded solution.

`WRONG[exercise]` lists (what is wrong, answer, part of the hint that names it); `RIGHT[exercise]` lists (how, answer).
"""

import statistics

import numpy as np
import torch
from torch import nn

from posenc_helpers.encodings import AlibiEncoding, LearnedEncoding, PerLayer, PositionalEncoding, RotaryEncoding
from posenc_helpers.lab.shootout import Contestant

# 1. jobs: {job: encoding}

JOBS = {"sensors": "nope", "encoder": "rope", "decoder": "kerple", "forms": "learned", "kernel": "binary"}


# 2. verdict(mine, theirs) -> "better", "worse" or "cannot say"


def _shared(mine, theirs):
    return sorted(set(mine) & set(theirs))


def _verdict(pairs=_shared, least=6, lower=lambda a, b: a < b, enough=lambda wins, count: wins == count,
             counted=lambda mine, theirs, pairs: len(pairs), says=("better", "worse", "cannot say")):  # fmt: skip
    """Return a verdict that is right but for what is given."""

    def verdict(mine, theirs):
        seeds = pairs(mine, theirs)
        if counted(mine, theirs, seeds) < least or not seeds:
            return says[2]
        wins = sum(lower(mine[seed], theirs[seed]) for seed in seeds)
        losses = sum(lower(theirs[seed], mine[seed]) for seed in seeds)
        return says[0] if enough(wins, len(seeds)) else says[1] if enough(losses, len(seeds)) else says[2]

    return verdict


def _means(mine, theirs):
    a, b = (sum(losses.values()) / len(losses) for losses in (mine, theirs))
    return "better" if a < b else "worse" if a > b else "cannot say"


def _apart(mine, theirs):  # the two clouds must not overlap
    if max(mine.values()) < min(theirs.values()):
        return "better"
    return "worse" if min(mine.values()) > max(theirs.values()) else "cannot say"


def _t_test(mine, theirs):
    gaps = [mine[seed] - theirs[seed] for seed in _shared(mine, theirs)]
    if len(gaps) < 6 or not statistics.stdev(gaps):
        return "cannot say"
    t = statistics.mean(gaps) / statistics.stdev(gaps) * len(gaps) ** 0.5
    return "better" if t < -2 else "worse" if t > 2 else "cannot say"


def _zipped(mine, theirs):
    pairs = list(zip(mine.values(), theirs.values(), strict=False))
    if len(pairs) < 6:
        return "cannot say"
    return "better" if all(a < b for a, b in pairs) else "worse" if all(a > b for a, b in pairs) else "cannot say"


def _zipped_in_order(mine, theirs):
    return _zipped(dict(sorted(mine.items())), dict(sorted(theirs.items())))


def _six_for_a_win_alone(mine, theirs):
    shared = mine.keys() & theirs.keys()
    if len(shared) >= 6 and all(mine[seed] < theirs[seed] for seed in shared):
        return "better"
    return "worse" if shared and all(mine[seed] > theirs[seed] for seed in shared) else "cannot say"


def _no_third_word(mine, theirs):
    return "better" if all(mine[seed] < theirs[seed] for seed in _shared(mine, theirs)) else "worse"


def _missing_is_endless(mine, theirs):
    if len(mine) < 6:
        return "cannot say"
    pairs = [(mine[seed], theirs.get(seed, float("inf"))) for seed in mine]
    return "better" if all(a < b for a, b in pairs) else "worse" if all(a > b for a, b in pairs) else "cannot say"


def _prints(mine, theirs):
    print(_verdict()(mine, theirs))


def _by_max(mine, theirs):
    gaps = [mine[seed] - theirs[seed] for seed in mine if seed in theirs]
    if len(gaps) > 5 and max(gaps) < 0:
        return "better"
    return "worse" if len(gaps) > 5 and min(gaps) > 0 else "cannot say"


def _by_array(mine, theirs):
    both = np.array([[mine[seed], theirs[seed]] for seed in mine if seed in theirs]).reshape(-1, 2)
    signs = np.unique(np.sign(both[:, 0] - both[:, 1]))
    words = np.array(["better", "cannot say", "worse"])
    return words[int(signs[0]) + 1] if len(signs) == 1 and len(both) >= 6 else words[1]


def _by_loop(mine, theirs):
    lower = higher = ties = 0
    for seed, loss in mine.items():
        match theirs.get(seed):
            case None:
                continue
            case other if loss == other:
                ties += 1
            case other:
                lower, higher = lower + (loss < other), higher + (loss > other)
    if ties or lower * higher or lower + higher < 6:
        return "cannot say"
    return "better" if lower else "worse"


def _turned_over(mine, theirs):  # a loss is the other one's win
    wins = lambda a, b: len(a.keys() & b.keys()) > 5 and all(a[s] < b[s] for s in a.keys() & b.keys())  # noqa: E731
    return {(True, False): "better", (False, True): "worse"}.get((wins(mine, theirs), wins(theirs, mine)), "cannot say")


def _in_place(mine, theirs):
    for seed in [*mine]:
        if seed not in theirs:
            del mine[seed]
    return _by_max(mine, theirs)


# 3. Mine, or a function (width, heads, length) -> encoding


def _far(q_positions, k_positions):  # (L_q, L_k), or (B, 1, L_q, L_k)
    far = (q_positions[..., None] - k_positions[..., None, :]).abs().float()
    return far if far.ndim == 2 else far[:, None]


def _mine(bias, **start):
    """Return a class Mine with `bias(self, q, k, far)`; `start` holds the first values of parameters."""

    class Mine(PositionalEncoding):
        def __init__(self, heads):
            super().__init__()
            for name, value in start.items():
                setattr(self, name, nn.Parameter(torch.full((heads,), value)))

        def bias(self, q, k, q_positions, k_positions):
            return bias(self, q, k, _far(q_positions, k_positions))

    return Mine


def _per_head(slopes, far):
    return slopes[:, None, None] * far


class LogDistance(PositionalEncoding):  # as notebook 11 has it
    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(torch.linspace(0.5, 4, heads))

    def bias(self, q, k, q_positions, k_positions):
        distance = q_positions[..., :, None] - k_positions[..., None, :]
        price = torch.log1p(distance.abs()[..., None, :, :].float())
        return (-self.slopes[:, None, None] * price).to(q.dtype)


class FirstPositionsAlone(PositionalEncoding):
    def bias(self, q, k, q_positions, k_positions):
        return -(q_positions[:, None] - k_positions[None, :]).abs().to(q.dtype)


class CountsTokens(PositionalEncoding):
    def bias(self, q, k, q_positions, k_positions):
        places = torch.arange(k.shape[-2])
        return -(places[:, None] - places).abs().to(q.dtype)


class TokenAhead(PositionalEncoding):
    def embed(self, x, positions):
        return x + x.roll(-1, dims=1)


class MeanOfKeys(PositionalEncoding):
    def bias(self, q, k, q_positions, k_positions):
        return (q * k.mean(-2, keepdim=True)).sum(-1, keepdim=True) * -_far(q_positions, k_positions).to(q.dtype)


SLOPES = nn.Parameter(torch.ones(4))


class Together(PositionalEncoding):  # every Mine trains the same four numbers on
    def __init__(self, heads):
        super().__init__()
        self.slopes = SLOPES

    def bias(self, q, k, q_positions, k_positions):
        return -_per_head(self.slopes, _far(q_positions, k_positions)).to(q.dtype)


class WithNetwork(PositionalEncoding):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 8 * width), nn.GELU(), nn.Linear(8 * width, width))

    def embed(self, x, positions):
        return x + self.net(x * positions[..., None].log1p().to(x.dtype))


class AsksForMore(PositionalEncoding):
    def __init__(self, heads, temperature):
        super().__init__()

    def bias(self, q, k, q_positions, k_positions):
        return -_far(q_positions, k_positions)


class Misspelt(PositionalEncoding):
    def biases(self, q, k, q_positions, k_positions):
        return -_far(q_positions, k_positions)


class DistanceAlone(PositionalEncoding):
    def bias(self, distance):
        return -distance


class QueriesAlone(PositionalEncoding):
    def rotate(self, q, k, q_positions, k_positions):
        return q


class Unregistered(PositionalEncoding):
    def __init__(self, heads):
        super().__init__()
        self.slopes = torch.linspace(0.1, 1, heads)

    def bias(self, q, k, q_positions, k_positions):
        return -_per_head(self.slopes, _far(q_positions, k_positions)).to(q.dtype)


class NoModule:
    def __init__(self, heads):
        self.heads = heads

    def bias(self, q, k, q_positions, k_positions):
        return -_far(q_positions, k_positions)


def three_layers(width, heads, length):
    return PerLayer(AlibiEncoding(heads) for _ in range(3))


def windowed(width, heads, length):
    """RoPE of the last 8 keys, in both layers: the puzzle's A."""

    class Near(RotaryEncoding):
        def bias(self, q, k, q_positions, k_positions):
            return torch.zeros(()).where(_far(q_positions, k_positions) < 8, -1e4).to(q.dtype)

    return Near(width // heads)


class Waves(PositionalEncoding):
    """A log for all heads; a line and a wave of period 5, which only heads of small `reach` feel."""

    def __init__(self, heads):
        super().__init__()
        self.reach = nn.Parameter(torch.linspace(0.0, 4.0, heads).exp())

    def bias(self, q, k, q_positions, k_positions):
        far = _far(q_positions, k_positions)
        wave = (2 * torch.pi * far / 5).cos()
        return (_per_head(1 / self.reach, wave - far) - far.add(1).log()).to(q.dtype)


WRONG = {
    "jobs": [
        ("ALiBi for sensors", JOBS | {"sensors": "alibi"}, "Job sensors: look at the column distance: with some seed"),
        ("FIRE for sensors", JOBS | {"sensors": "fire"}, "Job sensors: look at the column distance"),
        ("a set has no order, but an index", JOBS | {"sensors": "index"}, "Job sensors: look at the column order"),
        ("T5 for the encoder", JOBS | {"encoder": "t5"}, "Job encoder: look at the column parameters"),
        ("Shaw for the encoder", JOBS | {"encoder": "shaw"}, "Job encoder: look at the column parameters"),
        ("sinusoids for the encoder", JOBS | {"encoder": "sinusoidal"}, "Job encoder: look at the column ranked"),
        ("by the mean, not by every seed", JOBS | {"encoder": "one-hot"}, "Job encoder: look at the column order"),
        ("ALiBi for the encoder", JOBS | {"encoder": "alibi"}, "without a mask"),
        ("RoPE for the decoder", JOBS | {"decoder": "rope"}, "Job decoder: look at the column language 4x: it reads worse"),
        ("one-hot for the decoder", JOBS | {"decoder": "one-hot"}, "its table ends before"),
        ("the lowest loss, but no recall", JOBS | {"decoder": "transformer-xl"}, "look at the column recall 4x: not every"),
        ("NoPE for the decoder", JOBS | {"decoder": "nope"}, "Job decoder: look at the column language 4x"),
        ("RoPE for forms", JOBS | {"forms": "rope"}, "Job forms: look at the column shift"),
        ("the index for forms", JOBS | {"forms": "index"}, "Job forms: look at the column bounded"),
        ("normalised for forms", JOBS | {"forms": "normalised"}, "Job forms: look at the column consistent"),
        ("nothing for forms", JOBS | {"forms": "nope"}, "Job forms: look at the column shift"),
        ("a learned table for the kernel", JOBS | {"kernel": "learned"}, "Job kernel: look at the column parameters"),
        ("RoPE for the kernel", JOBS | {"kernel": "rope"}, "it does not go through door 1"),
        ("normalised for the kernel", JOBS | {"kernel": "normalised"}, "Job kernel: look at the column consistent"),
        ("one-hot for the kernel", JOBS | {"kernel": "one-hot"}, "Job kernel: look at the column ranked"),
        ("sinusoids for the kernel", JOBS | {"kernel": "sinusoidal"}, "Job kernel: look at the column ranked"),
        ("the index for the kernel", JOBS | {"kernel": "index"}, "Job kernel: look at the column bounded"),
        ("a job is left out", {job: JOBS[job] for job in list(JOBS)[:-1]}, "no choice yet for the job kernel"),
        ("a job misspelt", {"sensor": "nope"} | {job: JOBS[job] for job in list(JOBS)[1:]}, "for the job sensors"),
        ("dots for one", JOBS | {"forms": ...}, "Job forms: the choice is still the dots"),
        ("a wrong one and dots", dict.fromkeys(JOBS, ...) | {"kernel": "rope"}, "Job kernel: look at the column unique"),
        ("several names", JOBS | {"decoder": ["kerple", "alibi"]}, "Job decoder: give one name"),
        ("the class", JOBS | {"encoder": RotaryEncoding}, "Job encoder: give one name"),
        ("nothing is None", JOBS | {"sensors": None}, "Job sensors: give one name"),
        ("a name of its own", JOBS | {"sensors": "none"}, "take a name from the scorecard's first column"),
        ("the family", JOBS | {"kernel": "binary code"}, "ake a name from the scorecard's first column"),
        ("a list", list(JOBS.values()), "Give a dict"),
    ],
    "verdict": [
        ("means", _means, "Two of eight seeds went the other way"),
        ("clouds must not overlap", _apart, "further apart than the two models"),
        ("a t-test", _t_test, "One of eight seeds went the other way"),
        ("higher is better", _verdict(lower=lambda a, b: a > b), "lower is better"),
        ("a majority", _verdict(enough=lambda wins, count: wins > count / 2), "Two of eight seeds went the other way"),
        ("all but one", _verdict(enough=lambda wins, count: wins >= count - 1), "One of eight seeds went the other way"),
        ("in the order of the dict", _zipped, "pair them by seed"),
        ("sorted, then in order", _zipped_in_order, "that only one of the two has are no pairs"),
        ("ties win", _verdict(lower=lambda a, b: a <= b), "A tie is neither lower nor higher"),
        ("ties are forgiven", _verdict(lower=lambda a, b: a < b or a == b == 2.4), "One seed of eight is a tie"),
        ("small differences are ties", _verdict(lower=lambda a, b: a < b - 0.01), "some by little, is a win"),
        ("two decimals", _verdict(lower=lambda a, b: round(a, 2) < round(b, 2)), "some by little, is a win"),
        ("more than six", _verdict(least=7), "Six shared seeds, all lower"),
        ("five are enough", _verdict(least=5), "Five shared seeds are too few"),
        ("any number is enough", _verdict(least=0), "Five shared seeds are too few"),
        ("six for a win alone", _six_for_a_win_alone, "Five shared seeds are too few"),
        ("six of mine", _verdict(counted=lambda mine, theirs, pairs: len(mine)), "count the shared ones"),
        ("six in all", _verdict(counted=lambda mine, theirs, pairs: len(mine | theirs)), "count the shared ones"),
        ("all seeds of mine", _verdict(pairs=lambda mine, theirs: list(mine)), "it asks for a seed that not both have"),
        ("eight seeds, always", _verdict(pairs=lambda mine, theirs: range(8)), "it asks for a seed that not both have"),
        ("a missing loss is endless", _missing_is_endless, "Seeds that only one of the two has are no pairs"),
        ("no third word", _no_third_word, "Two of eight seeds went the other way"),
        ("never sure", lambda mine, theirs: "cannot say", "some by little, is a win"),
        ("always better", lambda mine, theirs: "better", "as clear as a win"),
        ("better and worse exchanged", _verdict(says=("worse", "better", "cannot say")), "lower is better"),
        ("capitals", _verdict(says=("Better", "Worse", "Cannot say")), "one of the three texts"),
        ("True and False", lambda mine, theirs: _by_max(mine, theirs) == "better", "one of the three texts"),
        ("with a full stop", lambda mine, theirs: _by_max(mine, theirs) + ".", "one of the three texts"),
        ("prints", _prints, "Is the `return` missing?"),
    ],
    # All but the last two are refused before anything is trained.
    "beats_rope": [
        ("its own rate", Contestant(AlibiEncoding, rate=8.0), "Not raced (own rate tuned, RoPE's not)"),
        ("an object", RotaryEncoding(16), "without brackets"),
        ("a name", "alibi", "Give a class, or a function"),
        ("an entry of the shootout", {"mine": AlibiEncoding}, "Give a class, or a function"),
        ("no PositionalEncoding", NoModule, "the class NoModule, which is no PositionalEncoding"),
        ("an unknown argument", AsksForMore, "asks for temperature, which is not known"),
        ("a function of heads", lambda heads: AlibiEncoding(heads), "A function is called with width, heads and length"),
        ("a function that returns the class", lambda width, heads, length: AlibiEncoding, "returned a type"),
        ("one parameter for all", Together, "Not raced (not fresh)"),
        ("a network", WithNetwork, "It trains 66112 numbers; allowed: 34000"),
        ("three layers", three_layers, "Its PerLayer holds 3"),
        ("a table of 32", lambda width, heads, length: LearnedEncoding(width, 32), "It ends after 32 positions"),
        ("the next token", TokenAhead, "Not raced (looks at the future). It looks at the future: in a text of 2 tokens"),
        ("the mean of all keys", MeanOfKeys, "Not raced (looks at the future)"),
        ("return forgotten", _mine(lambda self, q, k, far: print(end="")), "is a `return` missing"),
        ("door misspelt", Misspelt, "the name of a door misspelt"),
        ("the same for every key", _mine(lambda self, q, k, far: (0 * far).to(q.dtype)), "the same for every key"),
        ("other arguments", DistanceAlone, "takes 2 positional arguments but 5 were given"),
        ("k is lost", QueriesAlone, "breaks a rule: gives numbers"),
        ("slopes along the keys", _mine(lambda self, q, k, far: -self.s * far, s=1.0), "bias returns shape (1, 4)"),
        ("log of 0", _mine(lambda self, q, k, far: -far.log()), "NaN or infinity comes out"),
        ("positions (L,) alone", FirstPositionsAlone, "breaks a rule: takes positions of each row"),
        ("float32 stays", _mine(lambda self, q, k, far: -_per_head(self.s, far), s=1.0), "bias returns torch.float32"),
        ("counts tokens", CountsTokens, "breaks a rule: decodes with a key cache"),
        ("no gradient", _mine(lambda self, q, k, far: -_per_head(self.s.detach(), far).to(q.dtype), s=1.0),
         "no gradient reaches s"),
        ("a plain attribute", Unregistered, "self.slopes holds a tensor that is neither parameter nor buffer"),
        ("drawn anew", _mine(lambda self, q, k, far: (-torch.rand(()) * far).to(q.dtype)), "gives the same twice"),
        ("LogDistance", LogDistance, "this is LogDistance, which the lesson built"),
        ("LogDistance with slopes of its own", _mine(lambda self, q, k, far: _per_head(
            self.s, -torch.log2(1 + far)).to(q.dtype), s=0.7), "this is LogDistance, which the lesson built"),
        ("ALiBi", AlibiEncoding, "does any head see near tokens sharply enough"),
        ("A of the puzzle", windowed, "can any head still look that far back"),
    ],
}  # fmt: skip
RIGHT = {
    "jobs": [
        ("xPos, Shaw, one-hot", JOBS | {"encoder": "xpos", "decoder": "shaw", "forms": "one-hot"}),
        ("as the text writes them", JOBS | {"sensors": "NoPE", "encoder": "RoPE", "decoder": "ALiBi"}),
        ("relative bias, sinusoidal", JOBS | {"decoder": "relative bias", "forms": "sinusoidal"}),
        ("FIRE, random, and a job of my own", JOBS | {"decoder": "fire", "forms": "random", "images": "rope"}),
        ("CoPE, binary twice", JOBS | {"decoder": "cope", "forms": "binary", "kernel": "binary "}),
    ],
    "verdict": [
        ("by the largest gap", _by_max),
        ("by signs in an array", _by_array),
        ("by counting in a loop", _by_loop),
        ("a loss is the other one's win", _turned_over),
        ("seeds deleted in place", _in_place),
        ("by wins and losses", _verdict()),
    ],
    "beats_rope": [("a wave, a line and a log", Waves)],  # it trains; others that are let in: test_bring_your_own.py
}
