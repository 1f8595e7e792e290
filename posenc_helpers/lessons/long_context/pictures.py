"""Pictures of notebook 09: wheels, the angles that each pair has met, by what a cure divides each frequency."""

import math

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle, Wedge
from torch import Tensor

from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import labels_at_right
from posenc_helpers.classroom.colours import PALETTE
from posenc_helpers.classroom.figures import counted, figure, panels, style
from posenc_helpers.encodings.rope_scaling import turns

NEW = hue.VERMILION
# One look per cure, the same in all pictures of the notebook: colour, dashes.
LOOKS = {
    "nothing": (hue.INK, ":"),
    "position interpolation": (PALETTE["position interpolation"], "-"),
    "NTK-aware": (PALETTE["NTK-aware"], "--"),
    "NTK-aware, factor 64": (hue.WINE, "--"),
    "NTK-by-parts": (PALETTE["NTK-by-parts"], "-"),
    "YaRN": (PALETTE["YaRN"], "-."),
    "llama3": (PALETTE["llama3"], "--"),
    "base x 10": (hue.INK, ":"),
    "base x 25": (hue.BROWN, "-."),
    "pairs 0, 1 slowed": (hue.BLUE, "--"),
    "pairs 2-7 slowed": (hue.GREEN, "-."),
    "pair 2 slowed": (hue.GREEN, "-"),
    "pairs 3-7 slowed": (hue.ORANGE, "--"),
}


@style()
def wheels(before: list[set[int]], after: list[set[int]]) -> Figure:
    """Draw an odometer: a row per wheel (ones first), a box per digit, grey if shown before, orange if new after."""
    names = ["ones", "tens", "hundreds", "thousands", "ten thousands"]
    (ax,) = panels(8.4, 3.0)
    for row, (old, now) in enumerate(zip(before, after, strict=True)):
        for digit in range(10):
            colour = hue.SEEN if digit in old else NEW if digit in now else hue.WHITE
            ax.add_patch(Rectangle((digit, row), 0.92, 0.86, facecolor=colour, edgecolor=hue.INK, lw=0.8))
            ax.text(digit + 0.46, row + 0.43, str(digit), ha="center", va="center")
    ax.set_yticks([row + 0.43 for row in range(len(before))], names[: len(before)])
    ax.text(10.2, 0.43, "fast", va="center"), ax.text(10.2, len(before) - 0.57, "slow", va="center")
    ax.text(12.2, 1.4, "grey: shown\nbefore", va="center", color=hue.WORDS)
    ax.text(12.2, 3.2, "orange: new", va="center", color=NEW, weight="bold")
    ax.set(xlim=(-0.1, 14.8), ylim=(len(before), -0.1), xticks=[])
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    return ax.figure


@style()
def dials(speed: Tensor, trained: int, longer: int) -> Figure:
    """Draw one dial a pair (pairs,): grey the angles met within `trained` tokens, orange those new within `longer`."""
    axes = panels(9.2, 2.3, len(speed))
    before, after = turns(speed, trained).tolist(), turns(speed, longer).tolist()
    for i, (ax, old, now) in enumerate(zip(axes, before, after, strict=True)):
        _dial(ax, old, now)
        ax.set_title(f"pair {i}")
        ax.text(0, -1.25, f"{old:.1f} turns" if old >= 1 else f"{old:.2g}", ha="center", va="top")
        ax.set_ylim(-1.8, 1.15)
    return axes[0].figure


def _dial(ax, old: float, now: float) -> None:
    ax.add_patch(Circle((0, 0), 1, facecolor=hue.WHITE, edgecolor=hue.INK, lw=1.2))
    ax.add_patch(Wedge((0, 0), 1, 360 * min(old, 1), 360 * max(min(now, 1), min(old, 1)), facecolor=NEW, lw=0))
    ax.add_patch(Wedge((0, 0), 1, 0, 360 * min(old, 1), facecolor=hue.SEEN, lw=0))
    ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    ax.axis("off")


@style()
def cured_dials(speed: Tensor, cured: dict[str, Tensor], trained: int, longer: int) -> Figure:
    """Draw a row of dials per cure, its new speeds (pairs,): grey the angles of training, orange those new at `longer`."""
    fig = figure(9.2, 1.0 * len(cured) + 0.3)
    widths = [1.1] + [1.0] * len(speed)
    rows = fig.subplots(len(cured), len(widths), gridspec_kw={"width_ratios": widths})
    for row, ((names, *axes), (name, slower)) in enumerate(zip(rows, cured.items(), strict=True)):
        names.axis("off")
        names.text(1.0, 0.5, name, ha="right", va="center", color=LOOKS[name][0], transform=names.transAxes)
        old, now = turns(speed, trained).tolist(), turns(slower, longer).tolist()
        for i, ax in enumerate(axes):
            _dial(ax, old[i], now[i])
            ax.text(1.25, 0, f"/ {speed[i] / slower[i]:.3g}", va="center")
            ax.set(xlim=(-1.15, 3.4), title=f"pair {i}" if row == 0 else "")
    return fig


@style()
def divided_by(lines: dict[str, Tensor], unfinished: int, factor: float) -> Figure:
    """Draw by what each cure divides the frequency of each pair (pairs,); the last `unfinished` pairs lie on grey.

    Where a line leaves the range from 1 to `factor`, a thin one marks `factor`.
    """
    top = max(divisors.max().item() for divisors in lines.values())
    (ax,) = panels(9, 4.0)
    for name, divisors in lines.items():
        colour, dash = LOOKS[name]
        ax.plot(range(len(divisors)), divisors, color=colour, ls=dash, label=name.replace(" x ", " × "), lw=2.4)
    pairs = len(divisors)
    ax.axvspan(pairs - unfinished - 0.5, pairs - 0.5, color=hue.SPAN, zorder=0)
    if top > 1.01 * factor:
        ax.axhline(factor, color=hue.BLACK, lw=1, zorder=0)
    low = {"va": "center", "transform": ax.get_xaxis_transform()}
    ax.text(pairs - unfinished, 0.1, "less than one turn\nin training", **low)
    ax.text(0.5, 0.2, "many turns", **low)
    ax.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", xlim=(-0.5, pairs - 0.5))
    ax.set_ylim(0.9 if top < 5 else 0, top * 1.06)
    ax.legend(loc="upper left", bbox_to_anchor=(0.0, 0.93 if top < 1.01 * factor else 1.0))
    return ax.figure


@style()
def models_divided(models: dict[str, tuple[Tensor, int]]) -> Figure:
    """Draw by what each model divides each pair, its name at its line: {name: (divisors (pairs,), unfinished pairs)}.

    A ring marks the first pair that makes less than one turn in training.
    """
    looks = ((hue.SKY, "-"), (hue.ORANGE, "-."), (hue.BLUE, "--"), (hue.INK, ":"))
    (ax,) = panels(9, 4.2)
    ends = {}
    for (name, (divisors, unfinished)), (colour, dash) in zip(models.items(), looks, strict=False):
        pairs = len(divisors)
        ax.plot(range(pairs), divisors, color=colour, ls=dash, lw=2.6)
        first = pairs - unfinished
        ax.plot([first], [divisors[first]], "o", mfc=hue.WHITE, mec=colour, mew=2.5, ms=10)
        ends[name] = (divisors[-1].item(), colour)
    counted(ax, "y", [1, 2, 4, 8])
    ax.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", xlim=(-1, pairs - 0.5), ylim=(0.9, 10))
    labels_at_right(ax, ends, 0.06)
    return ax.figure


@style()
def configuration(w: Tensor, divisors: Tensor, trained: int) -> Figure:
    """Draw what a configuration does to each pair (pairs,): its full circle in tokens before and after, and its divisor.

    Pairs divided by infinity stand still: they have no circle any more, and lie on grey.
    """
    pairs, still = range(len(w)), divisors.isinf()
    divisors = divisors.masked_fill(still, math.nan)  # no line there
    left, right = panels(9.2, 3.6, 2)
    for name, speed, colour, dash in (("as trained", w, hue.GREY, "--"), ("stretched", w / divisors, NEW, "-")):
        left.plot(pairs, 2 * math.pi / speed, color=colour, ls=dash, label=name)
    left.axhline(trained, color=hue.BLACK, lw=1.2, ls=":")
    left.text(0, 1.2 * trained, f"{trained:,} in training", va="bottom")
    left.set(xlabel="pair i: fast to slow", ylabel="full circle (tokens)", yscale="log")
    left.legend(loc="lower right")
    right.plot(pairs, divisors, color=NEW, marker=".")
    top = 1.1 * divisors.nan_to_num(1.0).max().item()
    right.set(xlabel="pair i: fast to slow", ylabel="frequency divided by", ylim=(0, top))
    edges = still.int().diff(prepend=torch.zeros(1), append=torch.zeros(1)).nonzero()
    for first, end in edges.view(-1, 2).tolist():
        for ax in (left, right):
            ax.axvspan(first - 0.5, end - 0.5, color=hue.SPAN, lw=0, zorder=0)
        right.text((first + end - 1) / 2, top / 2, "stand\nstill", ha="center", va="center")
    return left.figure
