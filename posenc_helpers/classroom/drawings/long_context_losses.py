"""Pictures of notebook 09's trained models: loss against position, with and without far keys, recall after stretching."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from posenc_helpers.classroom.drawings.long_context import INK, LOOKS
from posenc_helpers.classroom.figures import figure, style
from posenc_helpers.classroom.results import labels_at_right
from posenc_helpers.lab.evaluation import smoothed
from posenc_helpers.lab.results import values_of

NAMES = {"none": "nothing", "linear": "position interpolation", "ntk": "NTK-aware", "by-parts": "NTK-by-parts",
         "yarn": "YaRN", "from the start": "trained on 128"}  # fmt: skip


def loss_curves(panels: dict[str, dict[str, Tensor]], trained: int) -> Figure:
    """Draw the loss at each position (L,), the mean of eight, a panel per entry: {title: {cure: losses}}."""
    with style():
        fig = figure(9.4, 4.0)
        axes = fig.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for ax, (title, curves) in zip(axes, panels.items(), strict=True):
            for name, losses in curves.items():
                level, (colour, dash) = smoothed(losses), LOOKS[name]
                ax.plot(torch.arange(len(level)) + 3.5, level, color=colour, ls=dash)
            ax.axvline(trained, color="black", lw=1.2, ls=":")
            ax.text(trained + 2, 0.02, "trained length", transform=ax.get_xaxis_transform(), va="bottom")
            ax.set(xlabel="position p (character)", title=title, xlim=(0, len(losses)))
        axes[0].set_ylabel("loss (nats a character)")
        low, high = axes[0].get_ylim()
        axes[0].set_ylim(low - 0.12 * (high - low), high)  # room for the words below
        for ax, curves in zip(axes, panels.values(), strict=True):
            ends = {name.replace("position ", "position\n").replace(" slowed", "\nslowed"):
                    (smoothed(losses)[-1].item(), LOOKS[name][0]) for name, losses in curves.items()}  # fmt: skip
            labels_at_right(ax, ends, apart=0.1)
    return fig


def near_and_all(stored: Sequence[dict], models: Sequence[tuple[str, int]]) -> Figure:
    """Draw, a row per (method, steps of fine-tuning), the mean loss with all keys (dot) and with the last 32 (ring)."""
    with style():
        fig = figure(9, 0.55 * len(models) + 1.1)
        ax = fig.add_subplot()
        for row, (method, steps) in enumerate(models):
            runs = [values_of(stored, what, method=method, tuned=steps) for what in ("loss", "near")]
            far, near = (sum(found) / len(found) for found in runs)
            ax.plot([near, far], [row, row], color="#999999", lw=2, zorder=1)
            ax.plot(far, row, "o", color=INK, ms=9), ax.plot(near, row, "o", mfc="white", mec="#d55e00", mew=2.5, ms=13,
                                                              zorder=0 if abs(far - near) < 0.03 else 2)  # fmt: skip
            ax.text(max(far, near) + 0.04, row, f"all {far:.2f}, last 32 {near:.2f}", va="center")
        best = min(run["near"] for run in stored)
        names = [NAMES.get(m, m) + (f", {steps} steps" if steps else "") for m, steps in models]
        ax.set_yticks(range(len(models)), names)
        ax.set(xlabel="loss over 128 characters (nats a character)", ylim=(len(models) - 0.4, -0.6))
        ax.set_xlim(best - 0.1, max(run["loss"] for run in stored if (run["method"], run["tuned"]) in models) + 0.5)
    return fig


def recall_after(stored: Sequence[dict], lengths: Sequence[int], chance: float) -> Figure:
    """Draw the accuracy of each cure against the length, before and after fine-tuning: one dot a seed, lines the means."""
    methods = list(dict.fromkeys(run["method"] for run in stored))
    with style():
        fig = figure(9.2, 3.8)
        for ax, steps in zip(fig.subplots(1, 2, sharey=True), (0, 60), strict=True):
            for place, method in enumerate(methods):
                colour, dash = LOOKS[NAMES[method]]
                means = []
                for k, length in enumerate(lengths):
                    found = values_of(stored, "accuracy", method=method, tuned=steps, length=length)
                    means.append(sum(found) / len(found))
                    ax.scatter([k + 0.09 * (place - 2)] * len(found), found, color=colour, s=16, zorder=3)
                ax.plot([k + 0.09 * (place - 2) for k in range(len(lengths))], means, color=colour, ls=dash,
                        label=NAMES[method])  # fmt: skip
            ax.axhline(chance, color="black", lw=1.2, ls="--")
            ax.set_xticks(range(len(lengths)), [str(n) for n in lengths])
            ax.set(xlabel="length (tokens)", title=f"{steps} steps of fine-tuning" if steps else "no fine-tuning")
            ax.set(ylim=(0, 1.05), xlim=(-0.3, len(lengths) - 0.7))
        fig.axes[0].set_ylabel("accuracy")
        fig.axes[0].text(-0.25, chance - 0.01, "chance", va="top")
        fig.axes[0].legend(loc="center left", bbox_to_anchor=(0.0, 0.45), fontsize=11)
    return fig
