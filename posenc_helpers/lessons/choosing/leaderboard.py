"""The capstone's referee: an encoding of one's own against RoPE, under one budget, on seeds that no stored result has.

`referee` lets in, or names what makes the comparison worthless; `race` runs it; `board` puts it beside the stored rows.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import torch

from posenc_helpers.encodings import PerLayer, PositionalEncoding
from posenc_helpers.lab.beyond import TIMES, Score, in_row, scores
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.rules import Build, Candidate, Entrant, builder, examine, reach
from posenc_helpers.lab.scorecard import BEYOND
from posenc_helpers.lab.shootout import FAR, HEADS, LAYERS, STEPS, TRAINED, WIDTH, Contestant
from posenc_helpers.lab.training import one_thread, seeded

HELD = (1001, 1002)  # seeds that no stored result has
MARGIN = 0.1  # nats by which the loss at four times the length must lie below RoPE's, in each held seed
RECALL = 0.95  # accuracy at four times the length, in each held seed
PRICE = 0.1  # nats that the loss at the trained length may lie above RoPE's
MOST = 34_000  # trained numbers: a learned table of 512 rows has 32,768 (DeBERTa's tables, 131,072, are refused)
COUNTERS = ("reads positions", "leaves gaps")  # what encodings that count tokens, as CoPE and forget gates, may break


class Unfair(NamedTuple):
    """Why a comparison would be worthless, or is lost: a short name, and whole sentences."""

    name: str
    why: str


def referee(mine: object, steps: int = STEPS) -> Entrant | Unfair:
    """Let in `mine` (a class, a function, a Contestant), or return what is wrong with comparing it. The door: asked once.

    Nothing is trained. Raises TypeError as `rules.builder` does, and whatever building `mine` raises.
    """
    if isinstance(mine, Contestant):
        if mine.rate != 1:
            return Unfair(
                "own rate tuned, RoPE's not",
                f"Contestant(rate={mine.rate:g}): its own numbers learn at another rate than all else, a knob "
                "that RoPE, which trains none of its own, was not given. Bring it at rate 1, or move their start.",
            )
        mine = mine.build
    if steps != STEPS:
        return Unfair("another number of steps", f"steps={steps}, but RoPE and the stored rows were given {STEPS}.")
    build = builder(mine)
    with seeded(0):
        first, second = build(WIDTH, HEADS, FAR), build(WIDTH, HEADS, FAR)
    if {*map(id, first.parameters())} & {*map(id, second.parameters())}:
        return Unfair(
            "not fresh",
            "Two encodings share a parameter, so the second model begins where the first ended: make "
            "parameters in __init__.",
        )
    numbers = sum(p.numel() for p in first.parameters())
    if numbers > MOST:
        return Unfair("a second model", f"It trains {numbers} numbers; allowed: {MOST}, a table of 512 rows.")
    if isinstance(first, PerLayer) and len(first.layers) != LAYERS:
        held = len(first.layers)
        return Unfair("another number of layers", f"Its PerLayer holds {held}, but the models have {LAYERS} layers.")
    for rule, broken in examine(mine):
        if broken and rule.name == "keeps to the past":
            return Unfair("looks at the future", f"{broken[0].upper()}{broken[1:]}. {rule.change}")
        if broken and rule.name not in COUNTERS:
            return Unfair(
                f"breaks a rule: {rule.name}", f"With {broken.rstrip('.')}. check_encoding says what to change."
            )
        found = rule.name == "keeps to the past" and idle(build)  # the rest only if it does something
        if found:
            return found
    end = reach(first, WIDTH, HEADS, FAR)
    if end < TIMES * TRAINED:
        return _ends(f"It ends after {end} positions")
    return Entrant(type(first).__name__, build, end)


def _ends(where: str) -> Unfair:
    return Unfair("ends before four times the length", f"{where}: it cannot be asked at four times the trained length.")


@one_thread()
@torch.no_grad()
def idle(build: Build) -> Unfair | None:
    """Return what is wrong where a model with the encoding says what one without any says, or None."""
    given = Candidate(build, WIDTH, HEADS)
    text = given.tokens(9)
    if not torch.allclose(given.model()(text), given.model(encoding=PositionalEncoding())(text), atol=1e-5):
        return None
    return Unfair(
        "does nothing",
        "With it, a model says what a model without any encoding says: is a `return` missing, the name of "
        "a door misspelt, or a bias the same for every key?",
    )


@lru_cache(maxsize=8)
def _rope(seed: int, steps: int) -> Score:
    return scores(["rope"], (seed,), steps, label=None)[0]


def race(mine: Entrant, seeds: Sequence[int] = HELD, steps: int = STEPS) -> list[tuple[Score, Score]]:
    """Return (mine, RoPE's) scores of each seed, of what the referee let in; where one is lost, the others are not run.

    Each seed takes some 14 s of one core, half of it for RoPE, whose scores are kept. Raises what `scores` raises.
    """
    pairs = []
    for seed in seeds:
        pairs.append((scores({"mine": mine}, (seed,), steps, label=None)[0], _rope(seed, steps)))
        if lost(*pairs[-1]):
            break
    return pairs


def lost(mine: Score, rope: Score) -> Unfair | None:
    """Return what is missing of a win with one seed, or None: the likeliest first."""
    if mine.long is None or mine.recall is None:
        return _ends("Its table has too few rows")
    if mine.long > rope.long - MARGIN:
        return Unfair(
            "does not beat RoPE at 4x",
            f"At four times the trained length its loss is {mine.long:.2f}, RoPE's {rope.long:.2f}: what happens at "
            "distances that training never showed?",
        )
    if mine.recall < RECALL:
        return Unfair(
            "loses recall",
            f"It reads on ({mine.long:.2f} against {rope.long:.2f}), but finds the first token of 64 in {mine.recall:.2f} "
            "of cases: can any head still look that far back?",
        )
    if mine.short > rope.short + PRICE:
        return Unfair(
            "pays at the trained length",
            f"It wins far out, but at the trained length its loss is {mine.short:.2f}, RoPE's {rope.short:.2f}: does any "
            "head see near tokens sharply enough?",
        )
    return None


def board(mine: Sequence[Score] = ()) -> dict[str, dict[str, float | None]]:
    """Return {encoding: columns of BEYOND}, best loss at four times the length first: the stored rows, and `mine`."""
    rows = {row["encoding"]: row for row in load_results("scorecard")}
    if mine:
        columns = zip(BEYOND, ("short", "long", "recall"), strict=True)
        rows["yours"] = in_row({column: [getattr(score, field) for score in mine] for column, field in columns})
    worst = float("inf")
    return dict(
        sorted(rows.items(), key=lambda item: worst if item[1]["language 4x"] is None else item[1]["language 4x"])
    )
