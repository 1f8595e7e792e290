"""Pictures of notebook 06: two hands, what the score does with distance, the base against the context."""

import math

import torch
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle
from torch import Tensor

from posenc_helpers.classroom.figures import PALETTE, figure, style
from posenc_helpers.encodings import frequencies
from posenc_helpers.encodings.rope_scaling import turns
from posenc_helpers.lab.models import Model

QUERY, KEY, INK = "#d55e00", "#0072b2", "#444444"


def two_hands(places: list[tuple[int, int]], hours: int = 12) -> Figure:
    """Draw one face per (m, n): the hand of q after m hours, that of k after n, and the angle between them."""
    with style():
        fig = figure(2.6 * len(places), 3.0)
        for ax, (m, n) in zip(fig.subplots(1, len(places), squeeze=False)[0], places, strict=True):
            _face(ax)
            for hour in range(hours):
                x, y = _hand(2 * math.pi * hour / hours)
                ax.plot([0.94 * x, x], [0.94 * y, y], color=INK, lw=1.2)
            for place, name, colour in ((m, "q", QUERY), (n, "k", KEY)):
                x, y = _hand(2 * math.pi * (0.25 - place / hours))
                ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 3})
                ax.text(1.22 * x, 1.22 * y, name, color=colour, ha="center", va="center", weight="bold")
            start, end = 90 - 360 * n / hours, 90 - 360 * m / hours
            ax.add_patch(Arc((0, 0), 0.8, 0.8, theta1=start, theta2=end, color=INK, lw=1.5))
            ax.set_title(f"m = {m}, n = {n}")
    return fig


def _face(ax) -> None:
    ax.add_patch(Circle((0, 0), 1.02, facecolor="#f7f7f7", edgecolor=INK, lw=1.2))
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal")
    ax.axis("off")


def _hand(angle: float) -> tuple[float, float]:
    return math.cos(angle), math.sin(angle)


def quarter_turns(q: tuple[float, float], k: tuple[float, float], places: list[tuple[int, int]]) -> Figure:
    """Draw one panel per (m, n): q after m quarter turns and k after n, over where they started (dotted)."""
    reach = max(map(abs, (*q, *k))) + 0.7
    with style():
        fig = figure(9.2, 3.3)
        for ax, (m, n) in zip(fig.subplots(1, len(places)), places, strict=True):
            ax.axhline(0, color="#cccccc", lw=1), ax.axvline(0, color="#cccccc", lw=1)
            turned = []
            for name, (a, b), place, colour in (("q", q, m, QUERY), ("k", k, n, KEY)):
                ax.plot([0, a], [0, b], color=colour, ls=":", lw=1.8)
                for _ in range(place % 4):
                    a, b = -b, a
                turned.append((a, b))
                ax.annotate("", (a, b), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 3})
                beyond = 1 + 0.35 / math.hypot(a, b)
                ax.text(beyond * a, beyond * b, name, color=colour, ha="center", va="center", weight="bold")
            score = sum(one * other for one, other in zip(*turned, strict=True))
            ax.set(title=f"m = {m}, n = {n}: q · k = {score:g}", xlim=(-reach, reach), ylim=(-reach, reach))
            ax.set(xticks=range(-2, 3), yticks=range(-2, 3), xlabel="first number", aspect="equal")
        fig.axes[0].set_ylabel("second number")
    return fig


def decay(back: Tensor, left: dict[str, Tensor], some: Tensor, random: Tensor) -> Figure:
    """Draw scores of keys so far `back`: named curves (D,), and the middle 95 % of `random` (S, pairs) at `some` (S,)."""
    with style():
        fig = figure(9.2, 4.2)
        named, crowd = fig.subplots(1, 2, sharey=True)
        for (name, curve), colour, dash in zip(left.items(), (PALETTE["rope"], KEY), ("-", "--"), strict=True):
            named.plot(back, curve, color=colour, ls=dash, label=name, lw=1.8)
        named.legend(loc="upper right")
        named.set(title="two special keys", ylabel="score / √d_head")
        low, high = torch.quantile(random, torch.tensor([0.025, 0.975], dtype=random.dtype), dim=1)
        crowd.fill_between(some, low, high, color="#cccccc", label=f"95 in 100 of {random.shape[1]:,}")
        crowd.plot(some, random.mean(1), color="black", lw=1.8, label="mean")
        crowd.legend(loc="upper right")
        crowd.set_title("random q and k")
        for ax in (named, crowd):
            ax.set(xlabel="how far back the key stands (tokens)", xlim=(0, back[-1]), ylim=(-4, 11))
    return fig


def accuracy_against_length(results: dict[str, dict[int, list[float]]], trained: int, chance: float) -> Figure:
    """Draw accuracy against length (log scale): one line per entry through its means, one dot per seed."""
    looks = ((KEY, "o", "-", 1.0), ("#009e73", "^", "--", 0.97), (PALETTE["rope"], "s", "-.", 1.03), (INK, "D", ":", 1.0))
    with style():
        fig = figure(9, 4.2)
        ax = fig.add_subplot()
        for (name, found), (colour, marker, line, beside) in zip(results.items(), looks, strict=False):
            lengths = list(found)
            means = [sum(found[n]) / len(found[n]) for n in lengths]
            ax.plot(lengths, means, color=colour, ls=line)
            for n in lengths:
                ax.scatter([n * beside] * len(found[n]), found[n], color=colour, marker=marker, s=25, zorder=3)
            ax.text(lengths[-1] * 1.09, means[-1], name, color=colour, va="center")
        ax.axvline(trained, color="black", lw=1.5, ls=":")
        ax.text(trained * 1.03, 0.02, "trained length", va="bottom")
        ax.axhline(chance, color="black", lw=1.5, ls="--")
        ax.text(lengths[0] * 1.03, chance + 0.01, "chance", va="bottom")
        ax.set(xscale="log", xlabel="length (tokens)", ylabel="accuracy", ylim=(0, 1.05))
        ax.set_xlim(lengths[0] * 0.93, lengths[-1] * 1.06)
        ax.set_xticks(lengths, [str(n) for n in lengths])
        ax.minorticks_off()
    return fig


CONTENTS = ["q = k", "q and k unrelated", "k made for 20 back"]  # where the hands of k stand before they turn


def hands_explorer(m: int, n: int, move_both: int, pair: int, head_width: int, base: float, content: str):
    """Build the explorer of two hands: three pairs of q and k before and after, and the score. For `explore` (blitted)."""
    fig = figure(9.2, 4.8)
    grid = fig.add_gridspec(2, 3, height_ratios=[1.15, 1])
    faces, moving = [], []
    for column in range(3):
        ax = fig.add_subplot(grid[0, column])
        _face(ax)
        parts = {}
        for name, colour in (("q", QUERY), ("k", KEY)):
            parts[name, "before"] = ax.plot([0, 0], [0, 1], color=colour, lw=1.5, ls=":")[0]
            parts[name, "after"] = ax.plot([0, 0], [0, 1], color=colour, lw=3.5 if name == "q" else 2.5)[0]
            parts[name, "tip"] = ax.text(0, 0, name, color=colour, ha="center", va="center", weight="bold")
        label = ax.text(0, 1.6, "", ha="center", va="bottom")
        faces.append((parts, label))
        moving += [*parts.values(), label]
    ax = fig.add_subplot(grid[1, :])
    (curve,) = ax.plot([], [], color=INK)
    (share,) = ax.plot([], [], color="#999999", lw=1.2, ls="--")
    (dot,) = ax.plot([], [], "o", color="black", ms=9)
    number = ax.text(0.0, 1.03, "", transform=ax.transAxes, va="bottom")
    length = 64
    ax.set(xlabel="n - m (tokens)", ylabel="score / largest", xlim=(-length, length), ylim=(-1.1, 1.1))
    ax.text(
        1.0, 1.03, "dashed: the pair of the middle picture", transform=ax.transAxes, ha="right", va="bottom", color="#666666"
    )
    moving += [curve, share, dot, number]
    offsets = torch.arange(-length, length + 1, dtype=torch.float64)

    def update(m, n, move_both, pair, head_width, base, content):
        speed = frequencies(head_width, base, dtype=torch.float64)  # (pairs,)
        pairs = len(speed)
        q_angle, k_angle = contents(content, speed)  # (pairs,) each: where the hands point before they turn
        chosen = min(pair, pairs - 1)
        here_m, here_n = m + move_both, n + move_both
        for (parts, label), i in zip(faces, (0, chosen, pairs - 1), strict=True):
            for name, start, place, tip in (("q", q_angle, here_m, 1.17), ("k", k_angle, here_n, 1.39)):
                for when, angle in (("before", start[i]), ("after", start[i] + place * speed[i])):
                    x, y = _hand(angle.item())
                    parts[name, when].set_data([0, x], [0, y])
                parts[name, "tip"].set_position((tip * x, tip * y))
            label.set_text(f"pair {i}: circle in {2 * math.pi / speed[i]:,.0f} tokens")
        waves = (k_angle - q_angle + offsets[:, None] * speed).cos()  # (2 L + 1, pairs)
        curve.set_data(offsets, waves.mean(-1))
        share.set_data(offsets, waves[:, chosen])
        score = score_at(n - m, speed, content)
        dot.set_data([n - m], [score])
        number.set_text(f"m = {here_m}, n = {here_n}, n - m = {n - m}: score {score:.2f}")
        return moving

    update(m, n, move_both, pair, head_width, base, content)
    return fig, update


def score_at(relative: int, speed: Tensor, content: str) -> float:
    """Return the score of a key `relative` tokens after the query, as a share of the largest that it could be."""
    q_angle, k_angle = contents(content, speed)
    return (k_angle - q_angle + relative * speed).cos().mean().item()


def contents(content: str, speed: Tensor) -> tuple[Tensor, Tensor]:
    """Return the angles (pairs,) at which the hands of q and k stand before they turn."""
    generator = torch.Generator().manual_seed(6)
    q_angle, other = 2 * math.pi * torch.rand(2, 64, generator=generator, dtype=speed.dtype)[:, : len(speed)]
    if content == "q = k":
        return q_angle, q_angle
    if content == "k made for 20 back":
        return q_angle, q_angle + 20 * speed
    return q_angle, other


def context_explorer(base: float, trained_length: int, rotary_width: int, models: list[Model]):
    """Build the explorer of base against context: which pairs finish a circle, and real models. For `explore` (blitted)."""
    fig = figure(9.2, 4.4)
    left, right = fig.subplots(1, 2, sharey=True)
    (done,) = left.plot([], [], "o", color=KEY, ms=5)
    (never,) = left.plot([], [], "s", color=PALETTE["rope"], ms=5)
    line = left.axhline(1, color="black", ls="--", lw=1.5)
    number = left.text(0.02, 0.98, "", va="top", transform=left.transAxes)
    left.set(xlabel="pair i / (pairs - 1): fast to slow", ylabel="full circle (tokens)", yscale="log")
    left.set(title="every pair", xlim=(-0.03, 1.03), ylim=(4, 1e9))
    for model in models:
        slowest = frequencies(model.rotary_width, model.base, dtype=torch.float64)[-1]
        right.plot(model_context(model), 2 * math.pi / slowest, "D", color="#999999", ms=6)
    right.plot([4, 1e9], [4, 1e9], color=INK, lw=1.5)
    right.text(0.97, 0.03, "below the line: every\npair finishes", ha="right", transform=right.transAxes, color=INK)
    (here,) = right.plot([], [], "o", mfc="none", mec=PALETTE["rope"], mew=3, ms=15)
    right.set(xlabel="trained (or declared) length (tokens)", title="slowest pair", xscale="log", xlim=(9, 1.5e6))
    right.text(0.03, 0.98, "grey: released models\nring: your setting", va="top", transform=right.transAxes, color=INK)
    moving = [done, never, line, number, here]

    def update(base, trained_length, rotary_width):
        speed = frequencies(rotary_width, base, dtype=torch.float64)  # (pairs,)
        waves, place = 2 * math.pi / speed, torch.linspace(0, 1, len(speed))
        slow = turns(speed, trained_length) < 1
        done.set_data(place[~slow], waves[~slow])
        never.set_data(place[slow], waves[slow])
        line.set_ydata([trained_length] * 2)
        count = f"{int(slow.sum())} of {len(speed)} pairs finish no circle"
        number.set_text(f"{count}\nslowest: {waves[-1]:,.0f} tokens\ndashed: {trained_length:,} tokens, as trained")
        here.set_data([trained_length], [waves[-1]])
        return moving

    update(base, trained_length, rotary_width)
    return fig, update


def model_context(model: Model) -> int | None:
    """Return the length a model's frequencies were trained at: before any stretching, where the table knows it."""
    return model.original_context or model.trained_context or model.declared_context
