"""What each explorer shows at its settings, in a sentence with the numbers: for `explore`, beside its `build`."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.drawings.alibi import as_fraction, head_at
from posenc_helpers.classroom.drawings.learned import similarity
from posenc_helpers.classroom.drawings.naive_encodings import around, drowned
from posenc_helpers.classroom.drawings.relative import shared_buckets
from posenc_helpers.classroom.drawings.rope import score_at, turns
from posenc_helpers.classroom.drawings.sinusoidal import distances
from posenc_helpers.classroom.drawings.why_order_matters import SENTENCE, shuffled
from posenc_helpers.encodings import frequencies, sinusoidal, t5_buckets


def shuffle(order: tuple[int, ...], causal_mask: bool, positions: bool) -> str:
    """Describe `drawings.why_order_matters.shuffled_sentence`."""
    _, _, before, after = shuffled(order, causal_mask, positions)
    apart = (before - after).norm(dim=-1) > 0.01
    which = "all five crosses lie in their circles" if not apart.any() else f"{int(apart.sum())} of 5 words moved"
    return (
        f"Two tables of attention weights, “{' '.join(SENTENCE)}” and “{' '.join(SENTENCE[word] for word in order)}”, "
        f"and the outputs of both: {which}; largest difference {(before - after).abs().max():.2f}."
    )


def codes(encoding: str, length: int, width: int, position: int) -> str:
    """Describe `drawings.naive_encodings.codes_explorer`."""
    norm, distance, _ = around(encoding, length, width, position)
    others = torch.arange(length) != position
    nearest = int(distance.masked_fill(~others, torch.inf).argmin())
    equal = int(((distance - distance[nearest]).abs() < 1e-4)[others].sum()) - 1
    too = f" (and of {equal} more)" if equal else ""
    return (
        f"The {encoding} code of {length} positions as a table, its norms, and distances: position {position} has norm "
        f"{norm[position]:.1f}, an embedding {width**0.5:.1f}; the nearest other code is that of {nearest}"
        f"{too}, {distance[nearest]:.2f} away, the farthest {distance.max():.2f}."
    )


def drowning(embedding_size: float, vocabulary: int) -> str:
    """Describe `drawings.naive_encodings.drowning_explorer`."""
    word, code, nearest, probe_word, probe_place = drowned(embedding_size, vocabulary)
    return (
        f"Bars for {vocabulary} embeddings of size {embedding_size:g}: a word has norm {word:.2g}, the position code "
        f"{code:.2g}. Shares found: nearest embedding {nearest:.2f}, linear probe for the word {probe_word:.2f}, for the "
        f"place {probe_place:.2f}."
    )


def clocks(p: int, q: int, width: int, base: float) -> str:
    """Describe `drawings.sinusoidal.clock_explorer`."""
    speed = frequencies(width, base)
    rows = sinusoidal(torch.tensor([p, q]), width, base)  # (2, d)
    together = int((((p - q) * speed).cos() > 0.99).sum())
    return (
        f"Clock hands, table rows and dot product of positions {p} and {q}: {together} of {len(speed)} hands point the same "
        f"way; {abs(p - q)} apart the dot product is {rows.prod(0).sum() / (width / 2):.2f} of its largest, the distance "
        f"{(rows[0] - rows[1]).norm():.2f}."
    )


def bases(base: float, width: int) -> str:
    """Describe `drawings.sinusoidal.base_explorer`."""
    length = 1000
    speed = frequencies(width, base, dtype=torch.float64)
    offsets = torch.arange(1, length, dtype=torch.float64)
    distance = distances(offsets, speed)
    slow = int((length * speed < 2 * math.pi).sum())
    return (
        f"Turns of {len(speed)} hands and the distance of two codes, within 1000 tokens, at base {base:,.0f}: the fastest "
        f"hand turns {length * speed[0] / (2 * math.pi):.0f} times, {slow} hands finish no turn; the closest two codes are "
        f"{distance.min():.3g} apart (in the picture, over √d: {distance.min() / width**0.5:.3g}), at |p - q| = "
        f"{int(offsets[distance.argmin()])}."
    )


def training(tables: dict[int, Tensor], losses: list[float]) -> Callable[[int], str]:
    """Return the description of `drawings.learned.training_explorer` of these tables and losses."""

    def describe(step: int) -> str:
        rows = similarity(tables[step])
        recent = losses[max(0, step - 10) : step] or losses[:1]
        return (
            f"A learned table, the similarity of its rows, and the loss, after {step} steps: values have standard deviation "
            f"{tables[step].std():.3f}; rows 1 apart have cosine {rows.diagonal(1).mean():.2f}, rows 16 apart "
            f"{rows.diagonal(16).mean():.2f}; the loss is {sum(recent) / len(recent):.2f} nats."
        )

    return describe


def buckets(buckets: int, max_distance: int, keys: str, head: str) -> str:
    """Describe `drawings.relative.bucket_explorer`."""
    side = t5_buckets(-torch.arange(400), buckets, max_distance, keys == "bidirectional")  # to the left
    first, last = shared_buckets(side)
    return (
        f"{buckets} {keys} buckets: keys up to {first - 1} back have one each, {first} and {first + 1} share bucket "
        f"{side[first]}, all from {last} back on share the last; the made-up head ({head}) has one bias a bucket."
    )


def hands(m: int, n: int, move_both: int, pair: int, head_width: int, base: float, content: str) -> str:
    """Describe `drawings.rope.hands_explorer`."""
    speed = frequencies(head_width, base, dtype=torch.float64)
    chosen = min(pair, len(speed) - 1)
    turned = math.degrees(abs(n - m) * speed[chosen].item()) % 360
    return (
        f"Three pairs of q and k as clock hands, and the score by distance, {content}: q at {m + move_both}, k at "
        f"{n + move_both}, score {score_at(n - m, speed, content):.2f} of the largest; in pair {chosen}, k has turned "
        f"{turned:.0f} degrees {'less' if n < m else 'more'} than q."
    )


def context(base: float, trained_length: int, rotary_width: int) -> str:
    """Describe `drawings.rope.context_explorer`."""
    speed = frequencies(rotary_width, base, dtype=torch.float64)
    slow = int((turns(speed, trained_length) < 1).sum())
    return (
        f"The length of a full circle for {len(speed)} pairs, and released models by their slowest pair: at base "
        f"{base:,.0f}, {slow} pairs finish no circle in {trained_length:,} tokens; the slowest would take "
        f"{2 * math.pi / speed[-1]:,.0f}."
    )


def alibi_head(heads: int, head: int, length: int, content: float, causal: bool) -> str:
    """Describe `drawings.alibi.explorer`."""
    seen = head_at(heads, head, length, content, causal)
    best = int(seen.weights.argmax())
    return (
        f"Scores and weights of head {seen.head} of 0 to {heads - 1}, slope {as_fraction(seen.slope)}: the nearest "
        f"{seen.count} of {length} keys hold 90 % of the weight; the heaviest stands at n - m = {int(seen.distance[best])} "
        f"with {seen.weights[best]:.2f}."
    )
