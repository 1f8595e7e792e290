"""Pictures of notebook 12: how often pairs go round, the loss of each token, the loss by where positions begin."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.charts import described, labels_at_right
from posenc_helpers.classroom.colours import BLACK, BLUE, FAINT, INK, VERMILION
from posenc_helpers.classroom.figures import counted, panels, style
from posenc_helpers.encodings import turns


@style()
def circles(w: Tensor, short: int, long: int) -> Figure:
    """Draw how often each pair of frequencies w (pairs,) goes round while `short` and while `long` tokens are read."""
    (ax,) = row = panels(9, 3.4)
    words = []
    for length, colour in ((long, BLUE), (short, VERMILION)):
        found = turns(w, length).tolist()
        ax.plot(found, "o", ms=5, color=colour)
        ax.text(0.6, found[0] * 1.2, f"{length:,} tokens", color=colour, va="bottom")
        whole = sum(circle >= 1 for circle in found)
        words.append(f"in {length:,} tokens pair 0 goes round {found[0]:,.0f} times, and {whole} of {len(found)} once")
    counted(ax, "y", [1, 10, 100, 1000])
    ax.axhline(1, color=BLACK, lw=1, ls=":")
    ax.set(xlabel="pair i: fast to slow", ylabel="circles", xlim=(-0.5, len(w) - 0.5), ylim=(None, 10_000))
    return described(row, "Circles of each pair", words)


@style()
def losses_by_token(tokens: Sequence[str], losses: Tensor) -> Figure:
    """Draw the loss (nats) of each of some tokens as a bar under its text: what was easy to foresee, and what was not."""
    (ax,) = row = panels(9.2, 3.2)
    ax.bar(range(len(tokens)), losses.tolist(), color=BLUE, width=0.7)
    mean = losses.mean().item()
    ax.axhline(mean, color=INK, lw=1.2, ls=":")
    ax.set_xticks(range(len(tokens)), [_short(token) for token in tokens], rotation=90, fontsize=11)
    ax.set(ylabel="loss (nats)", xlim=(-0.6, len(tokens) - 0.4))
    hard = max(zip(losses.tolist(), tokens, strict=True))
    return described(row, "Loss of each token", [f"mean {mean:.2f}", f"the hardest, {hard[1]!r}, {hard[0]:.1f}"])


def _short(token: str) -> str:
    token = token.strip(" ").replace("\n", "↵")
    return token if len(token) < 12 else f"{token[:6]}..."


@style()
def losses_by_start(starts: Sequence[int], found: dict[str, Sequence[float]], without: float) -> Figure:
    """Draw the loss against the position of the first token, a line a type of number; a dotted line is no turning."""
    (ax,) = row = panels(9, 3.2)
    ends = {}
    for (name, losses), colour in zip(found.items(), (BLUE, VERMILION), strict=True):
        ax.plot(range(len(starts)), losses, marker="o", color=colour)
        ends[name] = (losses[-1], colour)
    ax.axhline(without, color=FAINT, lw=2, ls=":")
    ax.text(0, without - 0.05, "not turned at all", va="top")
    ax.set_xticks(range(len(starts)), [f"{start:,}" for start in starts])
    ax.set(xlabel="position of the first token", ylabel="loss (nats a token)")
    labels_at_right(ax, ends)
    words = [f"{name} from {losses[0]:.2f} to {losses[-1]:.2f}" for name, losses in found.items()]
    return described(row, f"Loss by the position of the first token, {starts[0]:,} to {starts[-1]:,}", words)
