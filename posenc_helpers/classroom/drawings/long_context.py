"""Pictures of notebook 09: wheels, the angles each pair has met, by what a cure divides each frequency, its explorer."""

import math
from collections.abc import Callable

import torch
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle, Wedge
from torch import Tensor

from posenc_helpers.classroom.figures import figure, style
from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import by_parts, linear, ntk_aware, turns, yarn

SEEN, NEW, INK = "#b5b5b5", "#d55e00", "#444444"
# One look per cure, the same in all pictures of the notebook: colour, dashes.
LOOKS = {
    "nothing": (INK, ":"),
    "position interpolation": ("#0072b2", "-"),
    "NTK-aware": ("#cc79a7", "--"),
    "NTK-by-parts": ("#009e73", "-"),
    "YaRN": ("#e69f00", "-."),
    "llama3": ("#56b4e9", "--"),
    "base x 10": (INK, ":"),
    "base x 25": ("#8c6d31", "-."),
    "pairs 0, 1 slowed": ("#0072b2", "--"),
    "pairs 2-7 slowed": ("#009e73", "-."),
}


def wheels(before: list[set[int]], after: list[set[int]]) -> Figure:
    """Draw an odometer: a row per wheel (ones first), a box per digit, grey if shown before, orange if new after."""
    names = ["ones", "tens", "hundreds", "thousands", "ten thousands"]
    with style():
        fig = figure(8.4, 3.0)
        ax = fig.add_subplot()
        for row, (old, now) in enumerate(zip(before, after, strict=True)):
            for digit in range(10):
                colour = SEEN if digit in old else NEW if digit in now else "white"
                ax.add_patch(Rectangle((digit, row), 0.92, 0.86, facecolor=colour, edgecolor=INK, lw=0.8))
                ax.text(digit + 0.46, row + 0.43, str(digit), ha="center", va="center")
        ax.set_yticks([row + 0.43 for row in range(len(before))], names[: len(before)])
        ax.text(10.2, 0.43, "fast", va="center"), ax.text(10.2, len(before) - 0.57, "slow", va="center")
        ax.text(12.2, 1.4, "grey: shown\nbefore", va="center", color="#666666")
        ax.text(12.2, 3.2, "orange: new", va="center", color=NEW, weight="bold")
        ax.set(xlim=(-0.1, 14.8), ylim=(len(before), -0.1), xticks=[])
        ax.tick_params(length=0)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
    return fig


def dials(speed: Tensor, trained: int, longer: int) -> Figure:
    """Draw one dial a pair (pairs,): grey the angles met within `trained` tokens, orange those new within `longer`."""
    before, after = turns(speed, trained).tolist(), turns(speed, longer).tolist()
    with style():
        fig = figure(9.2, 2.3)
        for i, (ax, old, now) in enumerate(zip(fig.subplots(1, len(speed)), before, after, strict=True)):
            _dial(ax, old, now)
            ax.set_title(f"pair {i}")
            ax.text(0, -1.25, f"{old:.1f} turns" if old >= 1 else f"{old:.2g}", ha="center", va="top")
            ax.set_ylim(-1.8, 1.15)
    return fig


def _dial(ax, old: float, now: float) -> None:
    ax.add_patch(Circle((0, 0), 1, facecolor="white", edgecolor=INK, lw=1.2))
    ax.add_patch(Wedge((0, 0), 1, 360 * min(old, 1), 360 * max(min(now, 1), min(old, 1)), facecolor=NEW, lw=0))
    ax.add_patch(Wedge((0, 0), 1, 0, 360 * min(old, 1), facecolor=SEEN, lw=0))
    ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    ax.axis("off")


def cured_dials(speed: Tensor, cured: dict[str, Tensor], trained: int, longer: int) -> Figure:
    """Draw a row of dials per cure, its new speeds (pairs,): grey the angles of training, orange those new at `longer`."""
    with style():
        fig = figure(7.0, 0.95 * len(cured) + 0.3)
        for row, (axes, (name, slower)) in enumerate(zip(fig.subplots(len(cured), len(speed)), cured.items(), strict=True)):
            old, now = turns(speed, trained).tolist(), turns(slower, longer).tolist()
            for i, ax in enumerate(axes):
                _dial(ax, old[i], now[i])
                ax.text(1.25, 0, f"/ {speed[i] / slower[i]:.3g}", va="center")
                ax.set_title(f"pair {i}" if row == 0 else "")
            axes[0].text(-1.5, 0, name, ha="right", va="center", color=LOOKS[name][0])
    return fig


def divided_by(lines: dict[str, Tensor], unfinished: int, factor: float) -> Figure:
    """Draw by what each cure divides the frequency of each pair (pairs,); the last `unfinished` pairs lie on grey.

    Where a line leaves the range from 1 to `factor`, a thin one marks `factor`.
    """
    top = max(divisors.max().item() for divisors in lines.values())
    with style():
        fig = figure(9, 4.0)
        ax = fig.add_subplot()
        for name, divisors in lines.items():
            colour, dash = LOOKS[name]
            ax.plot(range(len(divisors)), divisors, color=colour, ls=dash, label=name.replace(" x ", " × "), lw=2.4)
        pairs = len(divisors)
        ax.axvspan(pairs - unfinished - 0.5, pairs - 0.5, color="#eeeeee", zorder=0)
        if top > 1.01 * factor:
            ax.axhline(factor, color="black", lw=1, zorder=0)
        height = ax.get_xaxis_transform()
        ax.text(pairs - unfinished, 0.1, "less than one turn\nin training", va="center", transform=height)
        ax.text(0.5, 0.1, "many turns", va="center", transform=height)
        ax.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", xlim=(-0.5, pairs - 0.5))
        ax.set_ylim(0.9 if top < 5 else 0, top * 1.06)
        ax.legend(loc="upper left", bbox_to_anchor=(0.0, 0.93 if top < 1.01 * factor else 1.0))
    return fig


def models_divided(models: dict[str, tuple[Tensor, int]]) -> Figure:
    """Draw by what each model divides each pair, its name at its line: {name: (divisors (pairs,), unfinished pairs)}.

    A ring marks the first pair that makes less than one turn in training.
    """
    looks = (("#56b4e9", "-"), ("#e69f00", "-."), ("#0072b2", "--"), (INK, ":"))
    with style():
        fig = figure(9, 4.2)
        ax = fig.add_subplot()
        for (name, (divisors, unfinished)), (colour, dash) in zip(models.items(), looks, strict=False):
            pairs = len(divisors)
            ax.plot(range(pairs), divisors, color=colour, ls=dash, lw=2.6)
            first = pairs - unfinished
            ax.plot([first], [divisors[first]], "o", mfc="white", mec=colour, mew=2.5, ms=10)
            last = divisors[-1].item()
            above = [other[-1] for other, _ in models.values()].count(last) > 1  # two names at one height
            ax.text(pairs + 0.5, last, name, color=colour, va={"--": "bottom", "-": "top"}.get(dash, "center") if above else "center")
        ax.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", yscale="log", xlim=(-1, pairs - 0.5))
        ax.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
        ax.minorticks_off()
        ax.set_ylim(0.9, 10)
    return fig


def configuration(w: Tensor, divisors: Tensor, trained: int) -> Figure:
    """Draw what a configuration does to each pair (pairs,): its full circle in tokens before and after, and its divisor."""
    pairs = range(len(w))
    with style():
        fig = figure(9.2, 3.6)
        left, right = fig.subplots(1, 2)
        for name, speed, colour, dash in (("as trained", w, "#777777", "--"), ("stretched", w / divisors, NEW, "-")):
            left.plot(pairs, 2 * math.pi / speed, color=colour, ls=dash, label=name)
        left.axhline(trained, color="black", lw=1.2, ls=":")
        left.text(0, trained * 1.2, f"{trained:,} tokens in training", va="bottom")
        left.set(xlabel="pair i: fast to slow", ylabel="full circle (tokens)", yscale="log")
        left.legend(loc="lower right")
        right.plot(pairs, divisors, color=NEW, marker=".")
        right.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", ylim=(0, 1.1 * divisors.max().item()))
    return fig


RULES: dict[str, Callable[[Tensor, float, int, float, float], Tensor]] = {
    "nothing": lambda w, s, trained, alpha, beta: w,
    "position interpolation": lambda w, s, trained, alpha, beta: linear(w, s),
    "NTK-aware": lambda w, s, trained, alpha, beta: ntk_aware(w, s),
    "NTK-by-parts": lambda w, s, trained, alpha, beta: by_parts(w, s, trained, alpha, beta),
    "YaRN": lambda w, s, trained, alpha, beta: yarn(w, s, trained, beta_fast=beta, beta_slow=alpha),
}


def stretched(method: str, s: float, alpha: float, beta: float, base: float, trained: int) -> tuple[Tensor, Tensor, float]:
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
    (line,) = left.plot([], [], color=LOOKS["NTK-by-parts"][0], marker=".", ms=5)
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
