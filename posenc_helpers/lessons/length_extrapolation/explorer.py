"""The losses of notebook 08 as a picture that one plays with: what losses.js is given, its still, its sentence."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from posenc_helpers.classroom.charts import labels_at_right, mark_trained
from posenc_helpers.classroom.colours import GUIDE, INK, PALETTE, WHITE, line_of, name_of
from posenc_helpers.classroom.figures import counted, panels, spread_out, style
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.shootout import FAR, STEPS, TRAINED
from posenc_helpers.lessons.length_extrapolation.pictures import ORDER

MODULE = Path(__file__).with_name("losses.js")
MEAN, AT, UP_TO = "mean of eight", "at the position", "mean up to it"
USUAL = 0.3  # nats above training: "breaks", in the notebook
SWITCHES = {name.replace(" ", "_"): name for name in ORDER}  # what shows a model, by the name of the switch
STATE = {
    "position": (1, FAR, 40),  # characters read
    "loss": [AT, UP_TO],
    "seed": [MEAN, *range(8)],
    "by": ([0.15, 0.2, USUAL, 0.5, 0.8], USUAL),
    **dict.fromkeys(SWITCHES, True),
}
BREAKS = {AT: "position", UP_TO: "mean"}  # how stored thresholds name it
BLOCKS = np.array(octave_blocks(FAR))  # (blocks, 2)  start, stop
MIDDLES = (BLOCKS.sum(axis=1) + 1) / 2  # counted from 1, for a log axis
SIZES = BLOCKS[:, 1] - BLOCKS[:, 0]
LOW, HIGH = 1.2, 3.5  # nats, of the picture


class Curves:
    """Stored losses of every encoding, an array (seeds, blocks) each, and where they pass thresholds.

    Blocks are those of `octave_blocks(512)`. Where a seed breaks was found position by position, as `break_position` does:
    position 32 comes after 32 characters.
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

    def value(self, name: str, seed: int | str, loss: str, position: int) -> float:
        """Return the loss of the block that holds `position`, counted from 1, or the mean of all losses up to it."""
        block = _block(position)
        here, start = self.line(name, seed, AT)[block], BLOCKS[block, 0]
        before = self.line(name, seed, UP_TO)[block - 1] * start if start else 0.0
        return here if loss == AT else (before + here * (position - start)) / position

    def broke(self, name: str, seed: int | str, loss: str, by: float) -> list[int]:
        """Return where the loss first is `by` above that in training: of this seed, or of each of all, where it is."""
        seeds = range(len(self.losses[name])) if seed == MEAN else [seed]
        found = [self.breaks[name, one, BREAKS[loss], by] for one in seeds]
        return sorted(int(at) for at in found if at is not None)

    def data(self) -> dict:
        """Return what losses.js is given beside its state."""
        models = [
            {
                "key": key,
                "colour": name,  # a key of colours.methods
                "name": name_of(name),
                "dash": "" if line_of(name) == "-" else "7 4",
                "losses": self.losses[name].round(4).tolist(),  # (seeds, blocks), as they are stored
                "breaks": {
                    loss: {
                        f"{by:g}": [self.breaks[name, seed, what, by] for seed in range(len(self.losses[name]))]
                        for by in STATE["by"][0]
                    }
                    for loss, what in BREAKS.items()
                },
            }
            for key, name in SWITCHES.items()
        ]
        ends = {"low": LOW, "high": HIGH, "trained": TRAINED, "mean": MEAN, "at": AT}
        return {"losses": {"models": models, "blocks": BLOCKS.tolist(), **ends}}


def _block(position: int) -> int:
    """Return the number of the block that holds `position`, counted from 1."""
    return int((BLOCKS[:, 0] < position).sum()) - 1


def shown(switches: dict[str, bool]) -> list[str]:
    """Return the names of the models that are on."""
    return [SWITCHES[key] for key, on in switches.items() if on]


def still(curves: Curves):
    """Return what draws the picture where no script runs."""

    @style()
    def draw(position: int, loss: str, seed: int | str, by: float, **switches: bool) -> Figure:
        (ax,) = panels(9.2, 4.4)
        counted(ax, "x", [2**k for k in range(10)])
        ax.set(xlim=(1, FAR), ylim=(LOW, HIGH))
        ax.set(xlabel="position (characters read)", ylabel="loss (nats a character)")
        mark_trained(ax, TRAINED, HIGH - 0.02, f"trained on {TRAINED}", va="top")
        ax.axvline(position, color=GUIDE, lw=1)
        places = MIDDLES if loss == AT else BLOCKS[:, 1]  # a mean stands where its last block ends
        ends, here = {}, {}
        for name in shown(switches):
            colour = PALETTE[name]
            line = curves.line(name, seed, loss)
            ax.plot(places, line, color=colour, ls=line_of(name))
            broke = curves.broke(name, seed, loss, by)
            ax.plot(broke, np.interp(broke, places, line), "o", color=colour, ms=7, mfc=WHITE, mew=1.5)
            ends[name_of(name)] = line[-1], INK
            here[name] = curves.value(name, seed, loss, position)
            ax.plot(MIDDLES[_block(position)] if loss == AT else position, here[name], "o", color=colour, ms=5)
        for name, height in spread_out(here, 0.11).items():
            words = f"{name_of(name)} {here[name]:.2f}"
            box = {"fc": WHITE, "ec": "none", "pad": 0.5, "alpha": 0.8}
            ax.annotate(
                words, (position, height), (10, 0), textcoords="offset points", va="center", bbox=box, fontsize=11
            )
        labels_at_right(ax, ends)
        return ax.figure

    return draw


def words(curves: Curves):
    """Return the description of the picture of these curves: losses.js says the same."""

    def describe(position: int, loss: str, seed: int | str, by: float, **switches: bool) -> str:
        names = shown(switches)
        # 1e-9: so that Python and JavaScript round a tie the same way
        now = [f"{name_of(name)} {curves.value(name, seed, loss, position) + 1e-9:.2f}" for name in names]
        broke = {name_of(name): curves.broke(name, seed, loss, by) for name in names}
        seeds = len(curves.losses[ORDER[0]]) if seed == MEAN else 1
        broken = [f"{name} {_span(found, seeds)}" for name, found in broke.items() if found]
        what = "Loss at position" if loss == AT else "Mean loss up to position"
        run = seed if seed == MEAN else f"seed {seed}"
        said = f"{what} {position} ({run}): {', '.join(now) or 'no model is on'}."
        return f"{said} Breaks by {by:g} nats: {', '.join(broken) or 'none'}."

    return describe


def _span(found: list[int], seeds: int) -> str:
    """Return positions in words, "at 38 to 40", and in how many of the seeds where not in all."""
    span = f"at {found[0]}" + (f" to {found[-1]}" if found[-1] > found[0] else "")
    return span + (f" ({len(found)} of {seeds} seeds)" if len(found) < seeds else "")
