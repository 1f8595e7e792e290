"""Homework 06: what a function that turns does, read off from outside; the check, and likely mistakes."""

import math
from collections.abc import Callable
from types import SimpleNamespace

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_number
from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import apply_rope

BOXES = (  # layout, base, rotary_dim, direction, and d_head
    (("half", 1000.0, 16, 1), 16),
    (("interleaved", 500.0, 6, -1), 16),
    (("half", 1e6, 8, 1), 12),
    (("half", 100.0, 6, -1), 16),
)
PARTS = ("the layout", "the base", "the base", "rotary_dim", "the direction")  # as `read` has them


def other_box() -> tuple[tuple[str, float, int, int], int]:
    """Return the last box, drawn: what it does, and d_head."""
    generator = drawn(63)
    width, half, back = 12 + 4 * whole(generator, 0, 1), whole(generator, 0, 1), whole(generator, 0, 1)
    base, rotary = 100.0 * whole(generator, 2, 9000), 2 * whole(generator, 3, width // 2)
    return (("interleaved", "half")[half], base, rotary, (1, -1)[back]), width


def box(layout: str, base: float, rotary: int, direction: int) -> Callable:
    return lambda x, positions: apply_rope(x, direction * positions, base=base, layout=layout, rotary_dim=rotary)


def facts(turn: Callable, width: int, place: int = 1) -> SimpleNamespace:
    """Return what is asked for, and the speed of pair 1, seen at the position `place`."""
    rows = turn(torch.eye(width, dtype=torch.float64), torch.full((width,), place))
    rotary = int((rows != torch.eye(width)).any(dim=1).sum())
    layout = "interleaved" if rows[0, 1] else "half"
    column, other = (2, 3) if layout == "interleaved" else (1, 1 + rotary // 2)
    speed = torch.atan2(rows[column, other].abs(), rows[column, column]).item() / place
    way, base = 1 if rows[0, other - column] > 0 else -1, speed ** (-rotary / 2)
    return SimpleNamespace(turn=turn, rows=rows, layout=layout, base=base, rotary=rotary, way=way, speed=speed)


def but(**parts: Callable) -> Callable:
    """Return an answer that is right but for `parts`: part(facts, d_head) stands in the place of each."""

    def read_off(turn: Callable, width: int) -> tuple:
        found = facts(turn, width)
        said = vars(found) | {name: part(found, width) for name, part in parts.items()}
        return said["layout"], said["base"], said["rotary"], said["way"]

    return read_off


MISTAKES = {
    "the partner looked for at d_head/2": Mistake(
        "Where only rotary_dim columns turn, the half layout is taken for the interleaved one: halves of what turns?",
        but(layout=lambda f, d: f.layout if f.rotary == d else "interleaved"),
    ),
    "layouts swapped": Mistake(
        "The names of the two layouts are swapped: in the interleaved one neighbours are a pair.",
        but(layout=lambda f, d: "half" if f.layout == "interleaved" else "interleaved"),
    ),
    "the direction reversed": Mistake(
        "The direction is reversed. Row j is what becomes of column j: did (1, 0) move towards (0, 1)?",
        but(way=lambda f, d: -f.way),
    ),
    "pairs counted, not columns": Mistake(
        "rotary_dim counts columns; the number of pairs is half of it.",
        but(rotary=lambda f, d: f.rotary // 2),
        but(rotary=lambda f, d: f.rotary // 2, base=lambda f, d: f.base**0.5),
    ),
    "all columns said to turn": Mistake(
        "Columns that stay as they are do not count for rotary_dim, and not in the exponent of the speeds.",
        but(rotary=lambda f, d: d),
        but(rotary=lambda f, d: d, base=lambda f, d: f.speed ** (-d / 2)),
    ),
    "slow columns overlooked": Mistake(
        "Slow columns are overlooked: at position 1 they hardly move, and their cosine may round to 1. Look at the sines.",
        but(rotary=lambda f, d: int((f.rows.diagonal() < 0.9999).sum())),
        but(rotary=lambda f, d: int((f.rows.diagonal() < 1).sum())),
    ),
    "exponent over d_head": Mistake(
        "The base comes out wrong where only a part of the head turns: the exponent of the speeds runs over that part.",
        but(base=lambda f, d: f.speed ** (-d / 2)),
    ),
    "exponent doubled, halved, or of the wrong sign": Mistake(
        "The way from the speed of pair 1 to the base is wrong: solve the formula of the speeds for the base once more.",
        but(base=lambda f, d: f.base**2),
        but(base=lambda f, d: f.base**0.5),
        but(base=lambda f, d: 1 / f.base),
    ),
    "the speed of pair 0": Mistake(
        "A base of 1: pair 0 turns by 1 radian whatever the base is. Ask a slower pair.", but(base=lambda f, d: 1.0)
    ),
    "a sine taken for an angle": Mistake(
        "The base is off by some in a hundred: a sine is taken for its angle, and pair 1 is too fast for that.",
        but(base=lambda f, d: math.sin(f.speed) ** (-f.rotary / 2)),
    ),
    "looked too far out": Mistake(
        "At the position that you look at, the pair has gone round already, so its angle says too little: stay near 0.",
        but(base=lambda f, d: facts(f.turn, d, 100).base),
    ),
}


def read(found: tuple) -> Tensor:
    """Return an answer as numbers that can be compared; of the base its size and its sign."""
    layout, base, *rest = found
    return torch.tensor([layout == "half", math.log10(max(abs(base), 1e-99)), base > 0, *rest], dtype=torch.float64)


@check("read_off", "You can tell what rotary code does without reading it.")
def check_homework(answer) -> None:
    """Check `read_off(turn, d_head)`: layout, base (within 1 %), rotary_dim and direction of functions that turn."""
    for number, (right, width) in enumerate((*BOXES, other_box()), 1):
        turn, where = box(*right), f"Box {number}, d_head = {width}: "
        given = answer(turn, width)
        need(given is not None, "read_off returned nothing. Is the `return` missing?", name="return missing")
        four = isinstance(given, tuple | list) and len(given) == 4
        need(four, "Return four things: (layout, base, rotary_dim, direction).")
        layout = str(given[0]).strip().lower()
        need(layout in ("half", "interleaved"), 'The layout is "half" or "interleaved".', where)
        made = read((layout, *map(as_number, given[1:], (PARTS[2], *PARTS[3:]))))
        off = (made - read(right)).abs() > 0.0045
        otherwise = f"Look at {PARTS[int(off.int().argmax())]} again."
        compare(made, read(right), MISTAKES, otherwise, (turn, width), where, within=0.0045, read=read)
