"""The explorer of notebook 08: stored losses against position, of one seed or of eight, and where a threshold is passed."""

from collections.abc import Sequence

import numpy as np

from posenc_helpers.classroom.drawings.length_extrapolation import ORDER, name_of
from posenc_helpers.classroom.figures import PALETTE, counted, figure, spread_out
from posenc_helpers.classroom.results import DASHED
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.shootout import FAR, TRAINED

MEAN, AT, UP_TO = "mean of eight", "at the position", "mean up to it"
ALL = "all seven"
SHOWN = {ALL: ORDER, "door 1: learned, sinusoidal": ("learned", "sinusoidal"), "RoPE and NoPE": ("rope", "nope"),
         "door 3: T5, T5 x8, ALiBi": ("t5", "t5 x8", "alibi")}  # fmt: skip
BLOCKS = np.array(octave_blocks(FAR))  # (blocks, 2)  start, stop
MIDDLES = (BLOCKS.sum(axis=1) + 1) / 2  # counted from 1, for a log axis
SIZES = BLOCKS[:, 1] - BLOCKS[:, 0]
TRAINING = BLOCKS[:, 1] <= TRAINED


class Curves:
    """Stored losses of every encoding: an array (seeds, blocks) each, blocks being those of `octave_blocks(512)`."""

    def __init__(self, stored: Sequence[dict] | None = None):
        stored = load_results("shootout") if stored is None else stored
        found: dict[str, dict[int, list[float]]] = {name: {} for name in ORDER}
        for row in stored:
            if row["what"] == "position":
                found[row["encoding"]].setdefault(row["seed"], []).append(row["loss"])
        self.losses = {name: np.array([seeds[seed] for seed in sorted(seeds)]) for name, seeds in found.items()}

    def line(self, name: str, seed: int | str, loss: str) -> np.ndarray:
        """Return the loss of each block, or the mean over all characters up to its end: (blocks,)."""
        line = self.losses[name].mean(axis=0) if seed == MEAN else self.losses[name][seed]
        return (line * SIZES).cumsum() / SIZES.cumsum() if loss == UP_TO else line

    def passed(self, name: str, seed: int | str, loss: str, by: float) -> int | None:
        """Return the block from the trained length on whose loss first is `by` above the mean in training, or None."""
        trained = self.line(name, seed, UP_TO)[TRAINING][-1]
        high = (self.line(name, seed, loss) > trained + by) & ~TRAINING
        return int(high.argmax()) if high.any() else None


def explorer(curves: Curves):
    """Return the `build` of the explorer over these curves. For `explore` (redraws its artists)."""

    def build(position: int, seed: int | str, loss: str, shown: str, by: float):
        fig = figure(9.2, 4.4)
        ax = fig.add_subplot()
        counted(ax, "x", [2**k for k in range(10)])
        ax.set(xlim=(1, FAR), ylim=(1.2, 3.5), xlabel="position p (token)", ylabel="loss (nats a character)")
        ax.axvline(TRAINED, color="black", lw=1.5, ls=":")
        ax.text(TRAINED * 1.04, 3.48, f"trained on {TRAINED}", va="top")
        fig.get_layout_engine().set(rect=(0, 0, 0.84, 1))  # room for the names
        here = ax.axvline(1, color="#888888", lw=1)
        lines = {name: ax.plot([], [], color=PALETTE[name], ls="--" if name in DASHED else "-")[0] for name in ORDER}
        dots = {name: ax.plot([], [], "o", color=PALETTE[name], ms=9, mfc="white", mew=2)[0] for name in ORDER}
        names = {name: ax.text(1.01, 0, "", transform=ax.transAxes, color=PALETTE[name], va="center") for name in ORDER}

        def update(position: int, seed: int | str, loss: str, shown: str, by: float):
            here.set_xdata([position, position])
            heights = {}
            for name in ORDER:
                line, block = curves.line(name, seed, loss), curves.passed(name, seed, loss, by)
                visible = name in SHOWN[shown]
                lines[name].set_data(MIDDLES, line)
                dots[name].set_data(([], []) if block is None else ([MIDDLES[block]], [line[block]]))
                for artist in (lines[name], dots[name], names[name]):
                    artist.set_visible(visible)
                now = line[_block(position)]
                names[name].set_text(f"{name_of(name)} {now:.2f}")
                heights[name] = (line[-1] - 1.2) / 2.3
            for name, height in spread_out({n: heights[n] for n in SHOWN[shown]}, 0.065).items():
                names[name].set_y(height)
            return [here, *lines.values(), *dots.values(), *names.values()]

        return fig, update

    return build


def _block(position: int) -> int:
    """Return the number of the block that holds `position`, counted from 1."""
    return int((BLOCKS[:, 0] < position).sum()) - 1


def words(curves: Curves):
    """Return the description of `explorer` over these curves."""

    def describe(position: int, seed: int | str, loss: str, shown: str, by: float) -> str:
        now = {name: curves.line(name, seed, loss)[_block(position)] for name in SHOWN[shown]}
        where = {name: curves.passed(name, seed, loss, by) for name in SHOWN[shown]}
        at = ", ".join(f"{name_of(name)} {now[name]:.2f}" for name in now)
        broken = [f"{name_of(name)} at {MIDDLES[block]:.0f}" for name, block in where.items() if block is not None]
        run = seed if seed == MEAN else f"seed {seed}"
        return (
            f"Loss {loss} ({run}); {position} characters in: {at}. "
            f"{by:g} nats above training: {', '.join(broken) or 'nobody'}."
        )

    return describe
