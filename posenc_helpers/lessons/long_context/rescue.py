"""The bars of notebook 09: RoPE stretched to four times its trained length, by method and fine-tuning."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from posenc_helpers.classroom.charts import mean
from posenc_helpers.classroom.colours import BLACK, FADING, VERMILION, WHITE
from posenc_helpers.classroom.figures import panels, style
from posenc_helpers.lab.results import values_of

RESCUES = {
    "none": "nothing",
    "linear": "position\ninterpolation",
    "ntk": "NTK-aware",
    "by-parts": "NTK-by-parts",
    "yarn": "YaRN\n(paper's blend)",
}
TUNED = {0: ("no fine-tuning", FADING[0]), 10: ("10 steps", FADING[1]), 60: ("60 steps", FADING[2])}


@style()
def rescue_bars(stored: Sequence[dict]) -> Figure:
    """Draw the loss of stretched RoPE models, a group of bars per method, a dot per seed: `load_results("rescue")`.

    A bar per number of fine-tuning steps, and a short line where the last of them is spent at the trained length, the
    control. A dotted line: a model trained at the long length from the start. Give the rows of one number of `steps`.
    """
    (ax,) = panels(9.2, 4.4)
    for shift, (steps, (name, colour)) in zip((-0.27, 0, 0.27), TUNED.items(), strict=True):
        for place, method in enumerate(RESCUES):
            found = values_of(stored, "loss", method=method, tuned=steps)
            loss = mean(found)
            ax.bar(place + shift, loss, width=0.25, color=colour, label=name if place == 0 else None)
            ax.scatter([place + shift] * len(found), found, s=14, color=WHITE, edgecolors=BLACK, zorder=3)
            top = max(found)
            if steps == 60:
                control = values_of(stored, "loss", method=f"{method}, at 32", tuned=steps)
                level = mean(control)
                ends = [place + shift - 0.17, place + shift + 0.17]
                label = "60 steps at 32 instead" if place == 0 else None
                ax.plot(ends, [level, level], color=VERMILION, lw=3, zorder=2, label=label)
                top = level if 0 < level - top < 0.25 else top  # the number stands above a line that is near
            box = {"facecolor": WHITE, "edgecolor": "none", "pad": 0.5}  # one number lies on the dotted line
            ax.text(place + shift, top + 0.05, f"{loss:.2f}", ha="center", fontsize=10, bbox=box, zorder=1.5)
    level = mean(values_of(stored, "loss", method="from the start"))
    ax.axhline(level, color=VERMILION, lw=1.5, ls=":", zorder=0)
    words = "trained on 128\nfrom the start"
    ax.text(len(RESCUES) - 0.48, level, words, va="center", fontsize=11, color=VERMILION)
    ax.set_xticks(range(len(RESCUES)), RESCUES.values())
    ax.set(ylabel="loss over 128 characters\n(nats a character)", xlim=(-0.5, len(RESCUES) - 0.5))
    ax.set_ylim(0, max(row["loss"] for row in stored if row["method"] in RESCUES) + 0.6)
    line, *bars = zip(*ax.get_legend_handles_labels(), strict=True)
    ax.legend(*zip(*bars, line, strict=True), loc="upper right", ncols=4, fontsize=11)
    return ax.figure
