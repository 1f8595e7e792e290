"""The explorer of notebook 09: stretch 64 pairs by any cure, see divisors and angles, and what it says in a sentence."""

import math
from collections.abc import Callable

import torch
from matplotlib.collections import LineCollection
from torch import Tensor

from posenc_helpers.classroom.figures import figure
from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import by_parts, linear, ntk_aware, turns, yarn
from posenc_helpers.lessons.long_context.pictures import LOOKS, NEW, SEEN

RULES: dict[str, Callable[[Tensor, float, int, float, float], Tensor]] = {
    "nothing": lambda w, s, trained, alpha, beta: w,
    "position interpolation": lambda w, s, trained, alpha, beta: linear(w, s),
    "NTK-aware": lambda w, s, trained, alpha, beta: ntk_aware(w, s),
    "NTK-by-parts": lambda w, s, trained, alpha, beta: by_parts(w, s, trained, alpha, beta),
    "YaRN": lambda w, s, trained, alpha, beta: yarn(w, s, trained, beta_fast=beta, beta_slow=alpha),
}


def stretched(
    method: str, s: float, alpha: float, beta: float, base: float, trained: int
) -> tuple[Tensor, Tensor, float]:
    """Return what the explorer shows of 64 pairs: divisors (64,), which meet new angles (64,), the length without any.

    Raises ValueError for alpha above beta.
    """
    w = frequencies(128, base, dtype=torch.float64)  # (64,)
    divisors = w / RULES[method](w, s, trained, alpha, beta)
    slow = turns(w, trained) < 1
    fresh = slow & (divisors < s * (1 - 1e-9))
    return divisors, fresh, (trained * divisors[slow]).min().item() if slow.any() else math.inf


def stretch_explorer(method: str, s: float, alpha: float, beta: float, base: float, trained: int):
    """Build the explorer of the cures: divisors, and the angles met before and at s times the length. For `explore`."""
    fig = figure(9.2, 4.6)
    left, right = fig.subplots(1, 2)
    place = torch.arange(64)
    (line,) = left.plot([], [], marker=".", ms=5)
    number = left.text(0.0, 1.03, "", va="bottom", transform=left.transAxes)
    left.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", yscale="log", xlim=(-1, 64), ylim=(0.85, 80))
    left.set_yticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
    left.minorticks_off()
    met = right.add_collection(LineCollection([], colors=SEEN, lw=5))
    new = right.add_collection(LineCollection([], colors=NEW, lw=5))
    words = right.text(0.0, 1.03, "", va="bottom", transform=right.transAxes)
    right.set(ylabel="angles met (share of a circle)", xlim=(-1, 64), ylim=(0, 1.02))
    right.set_xlabel("pair i: fast to slow\n(grey: in training, orange: new)")
    moving = [line, number, met, new, words]

    def update(method, s, alpha, beta, base, trained):
        divisors, fresh, reach = stretched(method, s, alpha, beta, base, trained)
        w = frequencies(128, base, dtype=torch.float64)  # (64,)
        before = turns(w, trained).clamp(max=1)
        after = (turns(w, trained) * s / divisors).clamp(max=1)
        line.set_data(place, divisors)
        line.set_color(LOOKS[method][0])
        number.set_text(f"{kept_and_full(divisors, s)}\nneighbours in pair 0: {1 / divisors[0]:.2f} radian apart")
        met.set_segments([[(i, 0), (i, top)] for i, top in enumerate(before.tolist())])
        ends = zip(before.tolist(), after.tolist(), fresh.tolist(), strict=True)
        new.set_segments([[(i, low), (i, high)] for i, (low, high, is_new) in enumerate(ends) if is_new])
        words.set_text(f"{counted(fresh)} new angles at {s * trained:,.0f}\n{spoken(reach)}")
        return moving

    update(method, s, alpha, beta, base, trained)
    return fig, update


def kept_and_full(divisors: Tensor, s: float) -> str:
    """Say how many pairs keep their frequency and how many are divided by all of s."""
    kept, full = int((divisors < 1 + 1e-9).sum()), int((divisors > s * (1 - 1e-9)).sum())
    return f"pairs as they are: {kept}; divided by {s:g}: {full}"


def counted(fresh: Tensor) -> str:
    count = int(fresh.sum())
    return "1 pair meets" if count == 1 else f"{count} pairs meet"


def spoken(reach: float) -> str:
    return "no pair ever meets a new angle" if reach == math.inf else f"no new angle up to {reach:,.0f} tokens"


def stretch_words(method: str, s: float, alpha: float, beta: float, base: float, trained: int) -> str:
    """Describe `stretch_explorer`."""
    divisors, fresh, reach = stretched(method, s, alpha, beta, base, trained)
    return (
        f"Divisors of 64 pairs, and the angles that they meet: {method}, s = {s:g}, base {base:,.0f}, trained on "
        f"{trained:,} tokens. {kept_and_full(divisors, s).capitalize()}. At {s * trained:,.0f} tokens "
        f"{counted(fresh)} new angles; {spoken(reach)}."
    )
