"""The explorer of notebook 08: stored losses against position, of one seed or of eight, and where a threshold is passed."""

from collections.abc import Sequence

import numpy as np

from posenc_helpers.classroom.charts import mark_trained
from posenc_helpers.classroom.colours import GUIDE, PALETTE, WHITE, WORDS, line_of, name_of
from posenc_helpers.classroom.figures import counted, panels, spread_out
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.shootout import FAR, STEPS, TRAINED
from posenc_helpers.lessons.length_extrapolation.pictures import ORDER

MEAN, AT, UP_TO = "mean of eight", "at the position", "mean up to it"
ALL = "all seven"
SHOWN = {
    ALL: ORDER,
    "door 1: learned, sinusoidal": ("learned", "sinusoidal"),
    "RoPE and NoPE": ("rope", "nope"),
    "door 3: T5, T5 x8, ALiBi": ("t5", "t5 x8", "alibi"),
}
USUAL = 0.3  # nats above training: "breaks", in the notebook
BREAKS = {AT: "position", UP_TO: "mean"}  # how stored thresholds name it
BLOCKS = np.array(octave_blocks(FAR))  # (blocks, 2)  start, stop
MIDDLES = (BLOCKS.sum(axis=1) + 1) / 2  # counted from 1, for a log axis
SIZES = BLOCKS[:, 1] - BLOCKS[:, 0]


class Curves:
    """Stored losses of every encoding, an array (seeds, blocks) each, and where they pass thresholds.

    Blocks are those of `octave_blocks(512)`. Where a seed breaks was found position by position, as `break_position` does.
    """

    def __init__(self, stored: Sequence[dict] | None = None, thresholds: Sequence[dict] | None = None):
        stored = load_results("shootout") if stored is None else stored
        thresholds = load_results("thresholds") if thresholds is None else thresholds
        found: dict[str, dict[int, list[float]]] = {name: {} for name in ORDER}
        for row in stored:
            if row["what"] == "position":
                found[row["encoding"]].setdefault(row["seed"], []).append(row["loss"])
        self.losses = {name: np.array([seeds[seed] for seed in sorted(seeds)]) for name, seeds in found.items()}
        at_300 = [(row, row["what"], row["by"]) for row in thresholds if row["steps"] == STEPS]
        at_300 += [(row, "position", USUAL) for row in stored if row["what"] == "break"]  # those of the other pictures
        self.breaks = {(row["encoding"], row["seed"], what, by): row["at"] for row, what, by in at_300}

    def line(self, name: str, seed: int | str, loss: str) -> np.ndarray:
        """Return the loss of each block, or the mean over all characters up to its end: (blocks,)."""
        line = self.losses[name].mean(axis=0) if seed == MEAN else self.losses[name][seed]
        return (line * SIZES).cumsum() / SIZES.cumsum() if loss == UP_TO else line

    def broke(self, name: str, seed: int | str, loss: str, by: float) -> list[int]:
        """Return where the loss first is `by` above that in training: of this seed, or of each of all, where it is."""
        seeds = range(len(self.losses[name])) if seed == MEAN else [seed]
        found = [self.breaks[name, one, BREAKS[loss], by] for one in seeds]
        return sorted(at for at in found if at is not None)


def explorer(curves: Curves):
    """Return the `build` of the explorer over these curves. For `explore` (redraws its artists)."""

    def build(position: int, seed: int | str, loss: str, shown: str, by: float):
        (ax,) = panels(9.2, 4.4)
        counted(ax, "x", [2**k for k in range(10)])
        ax.set(xlim=(1, FAR), ylim=(1.2, 3.5), xlabel="position p (token)", ylabel="loss (nats a character)")
        mark_trained(ax, TRAINED, 3.48, f"trained on {TRAINED}", va="top")
        here = ax.axvline(1, color=GUIDE, lw=1)
        head = ax.text(1.01, 1.04, "", transform=ax.transAxes, color=WORDS, va="center", fontsize=11)
        lines, dots, names = {}, {}, {}
        for name in ORDER:
            colour = PALETTE[name]
            (lines[name],) = ax.plot([], [], color=colour, ls=line_of(name))
            (dots[name],) = ax.plot([], [], "o", color=colour, ms=7, mfc=WHITE, mew=1.5)
            names[name] = ax.text(1.01, 0, "", transform=ax.transAxes, color=colour, va="center")

        def update(position: int, seed: int | str, loss: str, shown: str, by: float):
            here.set_xdata([position, position])
            head.set_text(f"loss at {position}" if loss == AT else f"mean up to {position}")
            for name in ORDER:
                line, broke = curves.line(name, seed, loss), curves.broke(name, seed, loss, by)
                lines[name].set_data(MIDDLES, line)
                places = [at + 1 for at in broke]  # counted from 1
                dots[name].set_data(places, np.interp(places, MIDDLES, line))
                names[name].set_text(f"{name_of(name)} {line[_block(position)]:.2f}")
                for artist in (lines[name], dots[name], names[name]):
                    artist.set_visible(name in SHOWN[shown])
            heights = {name: (lines[name].get_ydata()[-1] - 1.2) / 2.3 for name in SHOWN[shown]}
            for name, height in spread_out(heights, 0.065).items():
                names[name].set_y(height)
            return [here, head, *lines.values(), *dots.values(), *names.values()]

        return ax.figure, update

    return build


def _block(position: int) -> int:
    """Return the number of the block that holds `position`, counted from 1."""
    return int((BLOCKS[:, 0] < position).sum()) - 1


def words(curves: Curves):
    """Return the description of `explorer` over these curves."""

    def describe(position: int, seed: int | str, loss: str, shown: str, by: float) -> str:
        now = {name: curves.line(name, seed, loss)[_block(position)] for name in SHOWN[shown]}
        at = ", ".join(f"{name_of(name)} {now[name]:.2f}" for name in now)
        where = {name_of(name): curves.broke(name, seed, loss, by) for name in SHOWN[shown]}
        seeds = len(curves.losses[ORDER[0]]) if seed == MEAN else 1
        broken = ", ".join(f"{name} {_span(found, seeds)}" for name, found in where.items() if found)
        run = seed if seed == MEAN else f"seed {seed}"
        return f"Loss {loss} ({run}); {position} characters in: {at}. {by:g} nats above training: {broken or 'nobody'}."

    return describe


def _span(found: list[int], seeds: int) -> str:
    """Return positions in words, "at 38 to 40", and in how many of the seeds where not in all."""
    span = f"at {found[0]}" + (f" to {found[-1]}" if found[-1] > found[0] else "")
    return span + (f" ({len(found)} of {seeds} seeds)" if len(found) < seeds else "")
