"""Pictures of notebook 09's trained models: loss against position, with and without far keys, recall after stretching."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.charts import labels_at_right, mean
from posenc_helpers.classroom.colours import BLACK, INK, QUIET, VERMILION, WHITE
from posenc_helpers.classroom.figures import counted, figure, panels, style
from posenc_helpers.lab.evaluation import smoothed
from posenc_helpers.lab.results import values_of
from posenc_helpers.lessons.long_context.pictures import LOOKS

NAMES = {
    "none": "nothing",
    "linear": "position interpolation",
    "ntk": "NTK-aware",
    "ntk, tuned": "NTK-aware, factor 64",
    "by-parts": "NTK-by-parts",
    "yarn": "YaRN",
    "from the start": "trained on 128",
    "from the start, all windows": "trained on 128, 4 x text",
}


@style()
def loss_curves(curves_of: dict[str, dict[str, Tensor]], trained: int) -> Figure:
    """Draw the loss at each position (L,), the mean of eight, a panel per entry: {title: {cure: losses}}."""
    axes = panels(9.4, 4.0, len(curves_of), sharey=True)
    for ax, (title, curves) in zip(axes, curves_of.items(), strict=True):
        for name, losses in curves.items():
            level, (colour, dash) = smoothed(losses), LOOKS[name]
            ax.plot(torch.arange(len(level)) + 3.5, level, color=colour, ls=dash)
        ax.axvline(trained, color=BLACK, lw=1.2, ls=":")
        ax.text(trained + 2, 0.02, "trained length", transform=ax.get_xaxis_transform(), va="bottom")
        ax.set(xlabel="position p (character)", title=title, xlim=(0, len(losses)))
    axes[0].set_ylabel("loss (nats a character)")
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(low - 0.12 * (high - low), high)  # room for the words below
    for ax, curves in zip(axes, curves_of.values(), strict=True):
        ends = {}
        for name, losses in curves.items():
            words = name.replace("position ", "position\n").replace(" slowed", "\nslowed")
            ends[words] = (smoothed(losses)[-1].item(), LOOKS[name][0])
        labels_at_right(ax, ends, apart=0.1)
    return axes[0].figure


@style()
def near_and_all(stored: Sequence[dict], models: Sequence[tuple[str, int]]) -> Figure:
    """Draw, a row per (method, steps of fine-tuning), the mean loss with all keys (dot) and with the last 32 (ring)."""
    (ax,) = panels(9, 0.55 * len(models) + 1.1)
    for row, (method, steps) in enumerate(models):
        runs = [values_of(stored, what, method=method, tuned=steps) for what in ("loss", "near")]
        far, near = map(mean, runs)
        ax.plot([near, far], [row, row], color=QUIET, lw=2, zorder=1)
        ax.plot(far, row, "o", color=INK, ms=9)
        below = 0 if abs(far - near) < 0.03 else 2
        ax.plot(near, row, "o", mfc=WHITE, mec=VERMILION, mew=2.5, ms=13, zorder=below)
        ax.text(max(far, near) + 0.04, row, f"all {far:.2f}, last 32 {near:.2f}", va="center")
    best = min(run["near"] for run in stored)
    names = [NAMES.get(m, m) + (f", {steps} steps" if steps else "") for m, steps in models]
    ax.set_yticks(range(len(models)), names)
    ax.set(xlabel="loss over 128 characters (nats a character)", ylim=(len(models) - 0.4, -0.6))
    ax.set_xlim(best - 0.1, max(run["loss"] for run in stored if (run["method"], run["tuned"]) in models) + 0.5)
    return ax.figure


@style()
def factors_tried(tried: Sequence[dict], written: float, chosen: dict[str, float]) -> Figure:
    """Draw the validation loss of each cure against its factor: a ring at the factor as `written`, a dot at the `chosen`.

    `tried` as `load_results("cure_settings")`, the mean over its numbers of steps; `chosen` is {"ntk factor": 64.0}.
    """
    cures = {"linear factor": "linear", "ntk factor": "ntk", "by-parts factor": "by-parts"}
    (ax,) = panels(9, 3.8)
    for what, method in cures.items():
        rows = [row for row in tried if row["what"] == what]
        at = sorted({row["setting"] for row in rows})
        losses = [mean(values_of(rows, "loss", setting=x)) for x in at]
        colour, dash = LOOKS[NAMES[method]]
        ax.plot(at, losses, color=colour, ls=dash)
        ax.plot(written, losses[at.index(written)], "o", mfc=WHITE, mec=colour, mew=2.5, ms=11)
        ax.plot(chosen[what], losses[at.index(chosen[what])], "o", color=colour, ms=9)
        end = at[-1], losses[-1]
        ax.annotate(NAMES[method], end, (8, 0), textcoords="offset points", color=colour, va="center")
    counted(ax, "x", [2**k for k in range(9)])
    ax.set(xlabel="factor", ylabel="validation loss over 128\n(nats a character)", xlim=(1, 900))
    words = f"ring: as written, {written:g}\ndot: best of those tried"
    ax.text(0.98, 0.96, words, transform=ax.transAxes, ha="right", va="top")
    return ax.figure


@style()
def recall_dots(stored: Sequence[dict], length: int, chance: float) -> Figure:
    """Draw the accuracy at `length`, a row per cure, one dot a seed, the best and worst joined; before and after tuning.

    Rows of one number of `steps`. Dots that would lie on each other are moved up and down a little.
    """
    methods = [method for method in dict.fromkeys(run["method"] for run in stored) if method in NAMES]
    fig = figure(9.4, 0.5 * len(methods) + 1.3)
    for ax, tuned in zip(fig.subplots(1, 2, sharey=True), (0, 60), strict=True):
        for row, method in enumerate(methods):
            found = values_of(stored, "accuracy", method=method, tuned=tuned, length=length)
            colour = LOOKS[NAMES[method]][0]
            ax.plot([min(found), max(found)], [row, row], color=colour, lw=2, alpha=0.5)
            heights = [row + 0.09 * (k % 3 - 1) for k in range(len(found))]
            ax.scatter(sorted(found), heights, color=colour, s=24, zorder=3)
        ax.axvline(chance, color=BLACK, lw=1.2, ls="--")
        ax.set(xlabel="accuracy", title=f"{tuned} steps of fine-tuning" if tuned else "no fine-tuning")
        ax.set(xlim=(0, 1.04), ylim=(len(methods) - 0.5, -0.5))
    fig.axes[0].set_yticks(range(len(methods)), [NAMES[method] for method in methods])
    fig.axes[0].text(chance + 0.015, len(methods) - 0.55, "chance", va="bottom")
    return fig
