"""A picture of notebook 08: what decoders without positions learn, by depth, and how far it lasts."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from posenc_helpers.classroom.charts import labels_at_right, mean
from posenc_helpers.classroom.colours import BLACK, INK, LADDER, PALETTE
from posenc_helpers.classroom.figures import counted, panels, style
from posenc_helpers.lab.results import values_of
from posenc_helpers.lab.shootout import TRAINED

TIMES = (1, 2, 4, 8, 16)
FEW, MANY = 300, 900  # steps of training


def added_by_shuffling(rows: Sequence[dict], **where: object) -> list[float]:
    """Return by how much the loss rises when the earlier characters are shuffled, a number a seed."""
    pairs = zip(values_of(rows, "shuffled", **where), values_of(rows, "in order", **where), strict=True)
    return [shuffled - in_order for shuffled, in_order in pairs]


@style()
def depth(rows: Sequence[dict]) -> Figure:
    """Draw `load_results("nope")`: what a false order adds to 1 to 4 layers, a dot a seed; their loss against the length."""
    layers = sorted({row["layers"] for row in rows})
    kinds = {
        f"■ RoPE, {FEW} steps": ("rope", FEW, 0.2, "s", PALETTE["rope"]),
        f"● NoPE, {MANY} steps": ("nope", MANY, 0.0, "o", INK),
        f"○ NoPE, {FEW} steps": ("nope", FEW, -0.2, "o", PALETTE["nope"]),
    }
    left, right = panels(9.6, 4.1, 2)
    for place, (words, (name, steps, shift, mark, colour)) in enumerate(kinds.items()):
        filled = "none" if words.startswith("○") else colour
        for layer in layers:
            found = added_by_shuffling(rows, encoding=name, layers=layer, steps=steps)
            left.plot([layer + shift] * len(found), found, mark, color=colour, ms=6, mfc=filled)
        left.text(0.02, 0.99 - 0.085 * place, words, color=colour, transform=left.transAxes, va="top")
    left.axhline(0, color=BLACK, lw=1)
    left.set(xlabel="layers", ylabel="loss added by shuffling (nats)", xticks=layers)
    left.set_title("loss added by a false order")
    left.set_ylim(top=1.4 * left.get_ylim()[1])
    ends = {}
    for layer in layers:
        line = [mean(values_of(rows, f"x{k}", encoding="nope", layers=layer, steps=MANY)) for k in TIMES]
        right.plot([TRAINED * k for k in TIMES], line, color=LADDER[layer - 1], marker="o", ms=5)
        ends[f"{layer} layer{'s' * (layer > 1)}"] = (line[-1], INK)
    counted(right, "x", [TRAINED * k for k in TIMES])
    right.set(xlabel="length of the text (character)", ylabel="loss (nats)", title=f"NoPE beyond 32, {MANY} steps")
    labels_at_right(right, ends, apart=0.08)
    return left.figure
