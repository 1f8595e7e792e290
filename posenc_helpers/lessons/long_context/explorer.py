"""The explorer of notebook 09: stretch 64 pairs by any cure, see divisors and angles, and what it says in a sentence."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from matplotlib.collections import LineCollection
from torch import Tensor

from posenc_helpers.classroom.colours import SEEN
from posenc_helpers.classroom.figures import counted, panels
from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import by_parts, linear, ntk_aware, turns, yarn
from posenc_helpers.lessons.long_context.pictures import LOOKS, NEW

RULES: dict[str, Callable[[Tensor, float, int, float, float], Tensor]] = {
    "nothing": lambda w, s, trained, alpha, beta: w,
    "position interpolation": lambda w, s, trained, alpha, beta: linear(w, s),
    "NTK-aware": lambda w, s, trained, alpha, beta: ntk_aware(w, s),
    "NTK-by-parts": lambda w, s, trained, alpha, beta: by_parts(w, s, trained, alpha, beta),
    "YaRN": lambda w, s, trained, alpha, beta: yarn(w, s, trained, beta_fast=beta, beta_slow=alpha),
}


class Stretched(NamedTuple):
    """What the explorer shows of 64 pairs: divisors, which meet new angles, and shares of a circle met in training and at
    s times the length, (64,) each; and the length up to which no angle is new."""

    divisors: Tensor
    fresh: Tensor
    before: Tensor
    after: Tensor
    reach: float


def stretched(method: str, s: float, alpha: float, beta: float, base: float, trained: int) -> Stretched:
    """Return what a cure does to 64 pairs. Raises ValueError for alpha above beta."""
    w = frequencies(128, base, dtype=torch.float64)  # (64,)
    divisors, circles = w / RULES[method](w, s, trained, alpha, beta), turns(w, trained)
    slow = circles < 1
    fresh = slow & (divisors < s * (1 - 1e-9))
    reach = (trained * divisors[slow]).min().item() if slow.any() else math.inf
    return Stretched(divisors, fresh, circles.clamp(max=1), (circles * s / divisors).clamp(max=1), reach)


def stretch_explorer(method: str, s: float, alpha: float, beta: float, base: float, trained: int):
    """Build the explorer of the cures: divisors, and the angles met before and at s times the length. For `explore`."""
    left, right = panels(9.2, 4.6, 2)
    (line,) = left.plot([], [], marker=".", ms=5)
    number = left.text(0.0, 1.03, "", va="bottom", transform=left.transAxes)
    counted(left, "y", [1, 2, 4, 8, 16, 32, 64])
    left.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", xlim=(-1, 64), ylim=(0.85, 80))
    met = right.add_collection(LineCollection([], colors=SEEN, lw=5))
    new = right.add_collection(LineCollection([], colors=NEW, lw=5))
    words = right.text(0.0, 1.03, "", va="bottom", transform=right.transAxes)
    right.set(ylabel="angles met (share of a circle)", xlim=(-1, 64), ylim=(0, 1.02))
    right.set_xlabel("pair i: fast to slow\n(grey: in training, orange: new)")

    def update(method, s, alpha, beta, base, trained):
        divisors, fresh, before, after, reach = stretched(method, s, alpha, beta, base, trained)
        line.set_data(range(64), divisors)
        line.set_color(LOOKS[method][0])
        number.set_text(f"{kept_and_full(divisors, s)}\n{neighbours(divisors)}")
        met.set_segments([[(i, 0), (i, top)] for i, top in enumerate(before.tolist())])
        new.set_segments([[(i, before[i]), (i, after[i])] for i in fresh.nonzero().flatten().tolist()])
        words.set_text(f"{pairs_that_meet(fresh)} new angles at {s * trained:,.0f}\n{spoken(reach)}")
        return [line, number, met, new, words]

    update(method, s, alpha, beta, base, trained)
    return left.figure, update


def kept_and_full(divisors: Tensor, s: float) -> str:
    """Say how many pairs keep their frequency and how many are divided by all of s."""
    kept, full = int((divisors < 1 + 1e-9).sum()), int((divisors > s * (1 - 1e-9)).sum())
    return f"pairs as they are: {kept}; divided by {s:g}: {full}"


def neighbours(divisors: Tensor) -> str:
    return f"neighbours in pair 0: {1 / divisors[0]:.2f} radian apart"


def pairs_that_meet(fresh: Tensor) -> str:
    count = int(fresh.sum())
    return "1 pair meets" if count == 1 else f"{count} pairs meet"


def spoken(reach: float) -> str:
    return "no pair ever meets a new angle" if reach == math.inf else f"no new angle up to {reach:,.0f} tokens"


def stretch_words(method: str, s: float, alpha: float, beta: float, base: float, trained: int) -> str:
    """Describe `stretch_explorer`."""
    divisors, fresh, _, _, reach = stretched(method, s, alpha, beta, base, trained)
    return (
        f"Divisors of 64 pairs, and the angles that they meet: {method}, s = {s:g}, base {base:,.0f}, trained on "
        f"{trained:,} tokens. {kept_and_full(divisors, s).capitalize()}; {neighbours(divisors)}. At "
        f"{s * trained:,.0f} tokens {pairs_that_meet(fresh)} new angles; {spoken(reach)}."
    )
