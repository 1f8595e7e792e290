"""Pictures of notebook 06: two hands, what the score does with distance, the base against the context."""

import math
from pathlib import Path

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle
from torch import Tensor

from posenc_helpers.classroom import charts
from posenc_helpers.classroom import colours as hue
from posenc_helpers.classroom.charts import Look
from posenc_helpers.classroom.colours import LINES, PALETTE
from posenc_helpers.classroom.figures import figure, panels, style
from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import turns
from posenc_helpers.lab.models import Model

QUERY, KEY = hue.VERMILION, hue.BLUE


@style()
def two_hands(places: list[tuple[int, int]]) -> Figure:
    """Draw one face per (m, n): the hand of q after m hours, that of k after n, and the angle between them."""
    row = panels(2.6 * len(places), 3.0, len(places))
    for ax, (m, n) in zip(row, places, strict=True):
        _face(ax)
        for hour in range(12):
            x, y = _hand(2 * math.pi * hour / 12)
            ax.plot([0.94 * x, x], [0.94 * y, y], color=hue.INK, lw=1.2)
        for place, name, colour in ((m, "q", QUERY), (n, "k", KEY)):
            x, y = _hand(2 * math.pi * (0.25 - place / 12))
            _arrow(ax, x, y, colour, name, 1.22)
        start, end = 90 - 360 * n / 12, 90 - 360 * m / 12
        ax.add_patch(Arc((0, 0), 0.8, 0.8, theta1=start, theta2=end, color=hue.INK, lw=1.5))
        ax.set_title(f"m = {m}, n = {n}")
    return row[0].figure


def _face(ax: Axes) -> None:
    ax.add_patch(Circle((0, 0), 1.02, facecolor=hue.FACE, edgecolor=hue.INK, lw=1.2))
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal")
    ax.axis("off")


def _hand(angle: float) -> tuple[float, float]:
    return math.cos(angle), math.sin(angle)


@style()
def quarter_turns(q: tuple[float, float], k: tuple[float, float], places: list[tuple[int, int]]) -> Figure:
    """Draw one panel per (m, n): q after m quarter turns and k after n, over where they started (dotted)."""
    reach = max(map(abs, (*q, *k))) + 0.7
    row = panels(9.2, 3.3, len(places))
    for ax, (m, n) in zip(row, places, strict=True):
        ax.axhline(0, color=hue.MIST, lw=1), ax.axvline(0, color=hue.MIST, lw=1)
        turned = []
        for name, (a, b), place, colour in (("q", q, m, QUERY), ("k", k, n, KEY)):
            ax.plot([0, a], [0, b], color=colour, ls=":", lw=1.8)
            for _ in range(place % 4):
                a, b = -b, a
            turned.append((a, b))
            _arrow(ax, a, b, colour, name, 1 + 0.35 / math.hypot(a, b))
        score = sum(one * other for one, other in zip(*turned, strict=True))
        ax.set(title=f"m = {m}, n = {n}: q · k = {score:g}", xlim=(-reach, reach), ylim=(-reach, reach))
        ax.set(xticks=range(-2, 3), yticks=range(-2, 3), xlabel="first number", aspect="equal")
    row[0].set_ylabel("second number")
    return row[0].figure


@style()
def decay(back: Tensor, left: dict[str, Tensor], some: Tensor, random: Tensor) -> Figure:
    """Draw scores of keys so far `back`: named curves (D,), and the middle 95 % of `random` (S, pairs) at `some` (S,)."""
    named, crowd = panels(9.2, 4.2, 2, sharey=True)
    for (name, curve), colour, dash in zip(left.items(), (PALETTE["rope"], KEY), LINES, strict=False):
        top = int(curve.argmax())
        named.plot(back, curve, color=colour, ls=dash, label=f"{name}: highest {top} back", lw=1.8)
        named.plot(back[top], curve[top], "o", color=colour, ms=8)
    named.set(title="two special keys", ylabel="score / √d_head")
    low, high = torch.quantile(random, torch.tensor([0.025, 0.975], dtype=random.dtype), dim=1)
    crowd.fill_between(some, low, high, color=hue.MIST, label=f"95 in 100 of {random.shape[1]:,}")
    crowd.plot(some, random.mean(1), color=hue.BLACK, lw=1.8, label="mean")
    crowd.set_title("random q and k")
    for ax in (named, crowd):
        ax.legend(loc="upper right")
        ax.set(xlabel="how far back the key stands (tokens)", xlim=(0, back[-1]), ylim=(-4, 11))
    return named.figure


def accuracy_against_length(results: dict[str, dict[int, list[float]]], trained: int, chance: float) -> Figure:
    """Draw accuracy against length (log scale): one line per entry through its means, one dot per seed."""
    looks = (
        Look(KEY),
        Look(hue.GREEN, "--", "^", beside=0.97),
        Look(PALETTE["rope"], "-.", "s", beside=1.03),
        Look(hue.INK, ":", "D"),
    )
    looks = dict(zip(results, looks, strict=False))
    return charts.accuracy_against_length({"": results}, trained, chance, looks, axis="length (tokens)")


HANDS = Path(__file__).with_name("hands.js")  # what hands_still shows, to be played with
CONTENTS = ["q = k", "q and k unrelated", "k made for 20 back"]  # where the hands of k stand before they turn
FIRST = 2 * math.pi * torch.rand(2, 64, generator=torch.Generator().manual_seed(6), dtype=torch.float64)[:, :32]
FIRST_ANGLES = {"first": dict(zip("qk", FIRST.tolist(), strict=True))}  # of q and k unrelated, for hands.js
FAR = 64  # tokens between q and k that the curve shows
OFFSETS = torch.arange(-FAR, FAR + 1, dtype=torch.float64)


@style()
def hands_still(m: int, n: int, move_both: int, pair: int, head_width: int, base: float, content: str) -> Figure:
    """Draw what hands.js draws: q and k in three pairs before and after they turn, and the score by distance."""
    fig = figure(9.2, 4.8)
    grid = fig.add_gridspec(2, 3, height_ratios=[1.15, 1])
    speed = frequencies(head_width, base, dtype=torch.float64)  # (pairs,)
    q_angle, k_angle = contents(content, speed)  # (pairs,) each: where the hands point before they turn
    chosen = min(pair, len(speed) - 1)
    for column, i in enumerate((0, chosen, len(speed) - 1)):
        ax = fig.add_subplot(grid[0, column])
        _face(ax)
        for name, colour, width, start, place, far in (
            ("q", QUERY, 3.5, q_angle[i], m + move_both, 1.17),
            ("k", KEY, 2.5, k_angle[i], n + move_both, 1.39),
        ):
            for angle, look in ((start, {"lw": 1.5, "ls": ":"}), (start + place * speed[i], {"lw": width})):
                x, y = _hand(angle.item())
                ax.plot([0, x], [0, y], color=colour, **look)
            ax.text(far * x, far * y, name, color=colour, ha="center", va="center", weight="bold")
        ax.text(0, 1.6, f"pair {i}: circle in {2 * math.pi / speed[i]:,.0f} tokens", ha="center", va="bottom")
    ax = fig.add_subplot(grid[1, :])
    waves = (k_angle - q_angle + OFFSETS[:, None] * speed).cos()  # (2 FAR + 1, pairs)
    score = score_at(n - m, speed, content)
    ax.plot(OFFSETS, waves.mean(-1), color=hue.INK)
    ax.plot(OFFSETS, waves[:, chosen], color=hue.QUIET, lw=1.2, ls="--")
    ax.plot([n - m], [score], "o", color=hue.BLACK, ms=9)
    above = {"transform": ax.transAxes, "va": "bottom"}
    ax.text(0.0, 1.03, f"m = {m + move_both}, n = {n + move_both}, n - m = {n - m}: score {score:.2f}", **above)
    ax.text(1.0, 1.03, "dashed: the pair of the middle picture", ha="right", color=hue.WORDS, **above)
    ax.set(xlabel="n - m (tokens)", ylabel="score / largest", xlim=(-FAR, FAR), ylim=(-1.1, 1.1))
    return fig


def score_at(relative: int, speed: Tensor, content: str) -> float:
    """Return the score of a key `relative` tokens after the query, as a share of the largest that it could be."""
    q_angle, k_angle = contents(content, speed)
    return (k_angle - q_angle + relative * speed).cos().mean().item()


def contents(content: str, speed: Tensor) -> tuple[Tensor, Tensor]:
    """Return the angles (pairs,) at which the hands of q and k stand before they turn."""
    q_angle, other = FIRST[:, : len(speed)].to(speed.dtype)
    if content == "q = k":
        return q_angle, q_angle
    if content == "k made for 20 back":
        return q_angle, q_angle + 20 * speed
    return q_angle, other


def context_explorer(base: float, trained_length: int, rotary_width: int, models: list[Model]):
    """Build the explorer of base against context: which pairs finish a circle, and real models. For `explore` (blitted)."""
    left, right = panels(9.2, 4.4, 2, sharey=True)
    (done,) = left.plot([], [], "o", color=KEY, ms=5)
    (never,) = left.plot([], [], "s", color=PALETTE["rope"], ms=5)
    line = left.axhline(1, color=hue.BLACK, ls="--", lw=1.5)
    number = left.text(0.02, 0.98, "", va="top", transform=left.transAxes)
    left.set(xlabel="pairs, fastest (0) to slowest (1)", ylabel="full circle (tokens)", yscale="log")
    left.set(title="every pair", xlim=(-0.03, 1.03), ylim=(4, 1e9))
    for model in models:
        slowest = circles(model.base, 1, model.rotary_width)[0][-1]
        right.plot(model_context(model), slowest, "D", color=hue.QUIET, ms=6)
    right.plot([4, 1e9], [4, 1e9], color=hue.INK, lw=1.5)
    right.text(0.97, 0.03, "below the line: every\npair finishes", ha="right", transform=right.transAxes, color=hue.INK)
    (here,) = right.plot([], [], "o", mfc="none", mec=PALETTE["rope"], mew=3, ms=15)
    right.set(xlabel="trained (or declared) length (tokens)", title="slowest pair", xscale="log", xlim=(9, 1.5e6))
    right.text(
        0.03, 0.98, "grey: released models\nring: your setting", va="top", transform=right.transAxes, color=hue.INK
    )

    def update(base, trained_length, rotary_width):
        waves, slow = circles(base, trained_length, rotary_width)  # (pairs,) each
        place = torch.linspace(0, 1, len(waves))
        done.set_data(place[~slow], waves[~slow])
        never.set_data(place[slow], waves[slow])
        line.set_ydata([trained_length] * 2)
        count = f"{int(slow.sum())} of {len(waves)} pairs finish no circle"
        number.set_text(f"{count}\nslowest: {waves[-1]:,.0f} tokens\ndashed: {trained_length:,} tokens, as trained")
        here.set_data([trained_length], [waves[-1]])
        return [done, never, line, number, here]

    update(base, trained_length, rotary_width)
    return left.figure, update


def model_context(model: Model) -> int | None:
    """Return the length a model's frequencies were trained at: before any stretching, where the table knows it."""
    return model.original_context or model.trained_context or model.declared_context


def _arrow(ax: Axes, x: float, y: float, colour: str, name: str, beyond: float) -> None:
    """Draw an arrow from the centre to (x, y), its name `beyond` times as far."""
    ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 3})
    ax.text(beyond * x, beyond * y, name, color=colour, ha="center", va="center", weight="bold")


def circles(base: float, trained_length: int, rotary_width: int) -> tuple[Tensor, Tensor]:
    """Return the length of each pair's full circle in tokens (pairs,), and which finish none in the trained length."""
    speed = frequencies(rotary_width, base, dtype=torch.float64)
    return 2 * math.pi / speed, turns(speed, trained_length) < 1
