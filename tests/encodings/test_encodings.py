"""Every encoding of the course keeps every rule, a reader's (`lab.rules`) and further ones, and every rule refuses mistakes.

All of ENCODINGS are asked, grids and other settings too. One that breaks a rule by nature stands in EXCEPTIONS with the
reason; it must then really break it. To add an encoding, add it to ENCODINGS; to add a rule, write one into `lab/rules/`
or further_rules.py, and a mistake that it notices into mistakes.py.
A grid's encoding is read along its diagonal: position p is the place (p, p).
"""

import inspect
import re

import pytest
import torch
from torch import Tensor

from posenc_helpers.encodings import (
    ENCODINGS,
    AlibiEncoding,
    AxialRotaryEncoding,
    MultimodalRotaryEncoding,
    PositionalEncoding,
    RotaryEncoding,
    Time2Vec,
    WindowBias,
)
from posenc_helpers.encodings.rope_scaling import linear
from posenc_helpers.lab.rules import RULES, Candidate
from tests.encodings.further_rules import FURTHER, SLOW
from tests.encodings.mistakes import MISTAKES

WIDTH, HEADS = 324, 3  # all sizes differ; one-hot codes have a column for positions 256 and 257
EVERY_RULE = {rule.name: rule for rule in (*RULES, *FURTHER)}
PUSHED = ("sinusoidal", "rope", "t5", "shaw")  # a door each, and the side window: compiled on each push, all nightly


class Diagonal(PositionalEncoding):
    """An encoding of places with several coordinates, asked for places on the diagonal."""

    def __init__(self, grid: PositionalEncoding):
        super().__init__()
        self.grid = grid

    def places(self, positions: Tensor) -> Tensor:
        return positions[..., None].expand(*positions.shape, *self.grid.coordinates)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.grid.embed(x, self.places(positions))

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.grid.rotate(q, k, self.places(q_positions), self.places(k_positions))

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        return self.grid.bias(q, k, self.places(q_positions), self.places(k_positions))


def halved(frequencies: Tensor, length: Tensor) -> Tensor:
    return linear(frequencies, 2.0)


OTHERS = {
    "window bias": lambda width, heads, length: Diagonal(WindowBias(heads, length, length)),
    "axial rope": lambda width, heads, length: Diagonal(AxialRotaryEncoding(width // heads)),
    "m-rope": lambda width, heads, length: Diagonal(
        MultimodalRotaryEncoding(width // heads, 3 * [width // heads // 6])
    ),
    "time2vec": lambda width, heads, length: Time2Vec(width),
    "alibi, two-sided and learned": lambda width, heads, length: AlibiEncoding(heads, "two-sided", learned=True),
    "rope, scaled": lambda width, heads, length: RotaryEncoding(width // heads, layout="half", scaling=halved),
}
ALL = {**ENCODINGS, **OTHERS}

COUNTS = "it counts with gates on the content, and reads no positions"
LENGTH_OF_THE_CALL = "it divides by the number of tokens in the call: its flaw, and the subject of notebook 02"
ABSOLUTE = {"a shift changes nothing": "door 1 gives every place a code of its own"}
OF_THE_DIAGONAL = {"refuses (L, B, d)": "its own door 1 is shut, and that of Diagonal hands x on"}
NO_ROW_BETWEEN = {"positions may be real": "there is no row, column or bit between two"}
NEIGHBOURS, LENGTH_MAY_CHANGE = "tells neighbours apart in bfloat16", "length may change between save and load"
EXCEPTIONS: dict[str, dict[str, str]] = {
    "nope": dict.fromkeys(("reads positions", "neighbours differ"), "it does nothing"),
    "index": ABSOLUTE | {NEIGHBOURS: "the code is the position itself, and bfloat16 holds no 257"},
    "normalised": ABSOLUTE
    | dict.fromkeys(
        ("decodes with a key cache", "decodes in chunks of any size", "leaves gaps", NEIGHBOURS), LENGTH_OF_THE_CALL
    ),
    "random": ABSOLUTE | NO_ROW_BETWEEN,
    "one-hot": ABSOLUTE | NO_ROW_BETWEEN,
    "binary": ABSOLUTE | NO_ROW_BETWEEN,
    "sinusoidal": ABSOLUTE,
    "learned": ABSOLUTE
    | NO_ROW_BETWEEN
    | {LENGTH_MAY_CHANGE: "a longer table has rows that the shorter one cannot fill"},
    "relative bias": NO_ROW_BETWEEN,
    "shaw": NO_ROW_BETWEEN,
    "t5": NO_ROW_BETWEEN,
    "deberta": NO_ROW_BETWEEN | {LENGTH_MAY_CHANGE: "its table has a row for every distance up to the length"},
    "fire": {LENGTH_MAY_CHANGE: "it divides distances by the length that it was made for"},
    "axial rope": OF_THE_DIAGONAL,
    "m-rope": OF_THE_DIAGONAL,
    "window bias": OF_THE_DIAGONAL
    | NO_ROW_BETWEEN
    | {LENGTH_MAY_CHANGE: "its table has a row for every place in the window"},
    "time2vec": ABSOLUTE,
    "cope": dict.fromkeys(("reads positions", "leaves gaps", "order of storage is nothing"), COUNTS),
}


@pytest.mark.parametrize("name", ALL)
def test_an_encoding_keeps_all_rules_but_its_exceptions(name):
    given = Candidate(ALL[name], WIDTH, HEADS)
    with torch.no_grad():
        found = {rule.name: rule.put(given).broken for rule in RULES}
    found |= {rule.name: rule.put(given).broken for rule in FURTHER if rule not in SLOW}
    broken = {rule: where for rule, where in found.items() if where}
    assert broken.keys() == EXCEPTIONS.get(name, {}).keys(), broken


@pytest.mark.parametrize("rule", SLOW, ids=lambda rule: rule.name)
@pytest.mark.parametrize(
    "name", [name if name in PUSHED else pytest.param(name, marks=pytest.mark.nightly) for name in ALL]
)
def test_an_encoding_compiles_and_exports(name, rule):
    assert rule.put(Candidate(ALL[name], WIDTH, HEADS)).broken is None


def test_exceptions_name_encodings_and_rules_and_give_a_reason():
    assert EXCEPTIONS.keys() <= ALL.keys()
    for broken in EXCEPTIONS.values():
        assert broken.keys() <= EVERY_RULE.keys() and all(broken.values())


@pytest.mark.parametrize(
    ("name", "mine", "where"),
    [
        pytest.param(name, *mistake, id=f"{name}-{k}")
        for name, mistakes in MISTAKES.items()
        for k, mistake in enumerate(mistakes)
    ],
)
def test_a_rule_notices_its_mistake_and_names_the_smallest_input(name, mine, where):
    with torch.random.fork_rng(), torch.set_grad_enabled(EVERY_RULE[name] in FURTHER):
        found = EVERY_RULE[name].put(Candidate(mine, 64, 4)).broken
    assert found and re.search(where, found), found


def test_every_rule_has_a_mistake_that_it_notices():
    assert MISTAKES.keys() == EVERY_RULE.keys() and len(EVERY_RULE) == len(RULES) + len(FURTHER)
    assert all(rule.why.endswith((".", '."')) and rule.change.endswith(".") for rule in RULES)


GIVEN = {
    "heads": 3, "head_dim": 16, "dim": 12, "width": 24, "max_distance": 5, "length": 9, "max_length": 9, "height": 3,
    "sections": [2, 3, 3],
}  # fmt: skip
WRONG = {int: (0, 2.5), float: (-1.0, "1"), str: ("code",)}  # by the type of an argument
CLASSES = {type(made) for name in ENCODINGS for made in [ENCODINGS[name](24, 3, 9)]}
CLASSES |= {AxialRotaryEncoding, MultimodalRotaryEncoding, Time2Vec, WindowBias}


@pytest.mark.parametrize("made", sorted(CLASSES, key=lambda made: made.__name__))
def test_an_encoding_refuses_each_setting_by_its_name(made):
    taken = inspect.signature(made).parameters
    needed = {name: GIVEN[name] for name, one in taken.items() if one.default is one.empty and name in GIVEN}
    for name, one in taken.items():
        for value in WRONG.get(one.annotation, ()):
            with pytest.raises((ValueError, TypeError), match=rf"{name}={value!r}"):
                made(**needed | {name: value})
