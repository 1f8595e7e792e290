"""The explorer of notebook 12: let only some pairs of a released model turn, and read the stored loss."""

import math
from collections.abc import Callable, Sequence

from matplotlib.figure import Figure

from posenc_helpers.classroom.charts import mean
from posenc_helpers.classroom.colours import BLUE, FAINT, INK, VERMILION
from posenc_helpers.classroom.figures import counted, panels
from posenc_helpers.encodings import turns
from posenc_helpers.lab.results import values_of
from posenc_helpers.lessons.released_model.smollm2 import PAIRS, W

READ = 384  # tokens of a stretch
CIRCLES = turns(W, READ).tolist()  # how often each pair goes round while a stretch is read
TURNING = {"fastest": VERMILION, "slowest": BLUE}


def turning_pairs(end: str, turn: int) -> range:
    """Return the numbers of the pairs that turn, of 32: the `turn` fastest or slowest."""
    return range(turn) if end == "fastest" else range(PAIRS - turn, PAIRS)


def pairs_explorer(rows: Sequence[dict]) -> Callable[[str, int], tuple[Figure, Callable]]:
    """Return the explorer of rows as `load_results("released_pairs")`: for `explore`, with `end` and `turn`."""

    def build(end: str, turn: int):
        left, right = panels(9.2, 4.2, 2)
        counts = sorted({row["turn"] for row in rows})
        for one, colour in TURNING.items():
            for stretch in dict.fromkeys(row["stretch"] for row in rows):
                left.plot(counts, values_of(rows, "loss", end=one, stretch=stretch), color=FAINT, lw=0.8, zorder=0)
            means = [mean(values_of(rows, "loss", end=one, turn=n)) for n in counts]
            left.plot(counts, means, color=colour)
        left.text(1, 3.1, "only the fastest turn", color=TURNING["fastest"])
        left.text(32, 6.25, "only the slowest turn", color=TURNING["slowest"], ha="right")
        (mark,) = left.plot([], [], "o", ms=11, color=INK)
        words = left.text(0, 1.03, "", transform=left.transAxes, va="bottom")
        left.set(xlabel="pairs that turn, of 32", ylabel="loss (nats a token)", xticks=range(0, 33, 8), ylim=(1.6, 6.6))
        still = right.scatter([], [], s=26, color=FAINT)
        moving = right.scatter([], [], s=26)
        counted(right, "y", [1, 10, 60])
        right.axhline(1, color=INK, lw=1, ls=":")
        right.text(31, 1.2, "one whole circle", va="bottom", ha="right")
        right.set(xlabel="pair i: fast to slow", ylabel=f"circles in {READ} tokens", xlim=(-1, 32), ylim=(4e-4, 130))

        def update(end: str, turn: int):
            loss = mean(values_of(rows, "loss", end=end, turn=turn))
            mark.set_data([turn], [loss])
            words.set_text(f"{end} {turn} turn: {loss:.2f}")
            pairs = turning_pairs(end, turn)
            moving.set_offsets([(i, CIRCLES[i]) for i in pairs] or [(math.nan, math.nan)])
            moving.set_color(TURNING[end])
            still.set_offsets([(i, CIRCLES[i]) for i in range(PAIRS) if i not in pairs] or [(math.nan, math.nan)])
            return [mark, words, moving, still]

        update(end, turn)
        return left.figure, update

    return build


def pairs_words(rows: Sequence[dict]) -> Callable[[str, int], str]:
    """Return the function that describes the explorer of `rows` in a sentence."""

    def describe(end: str, turn: int) -> str:
        loss, whole = (mean(values_of(rows, "loss", end=end, turn=n)) for n in (turn, PAIRS))
        pairs = turning_pairs(end, turn)
        circles = f"they make {CIRCLES[pairs[-1]]:.2g} to {CIRCLES[pairs[0]]:.2g} circles" if pairs else "no pair turns"
        return (
            f"The {end} {turn} of 32 pairs turn: loss {loss:.2f} nats a token, {loss - whole:.2f} more than with all, on "
            f"average over eight stretches of {READ} tokens; {circles} in a stretch."
        )

    return describe
