"""No colour is written anywhere but in `colours.py`, and its methods are told apart by colour and line."""

import ast
import re

import numpy as np
import pytest
from matplotlib.colors import CSS4_COLORS, to_rgb

from posenc_helpers.classroom.colours import LABELS, PALETTE, colour_of, line_of, name_of
from posenc_helpers.lab.shootout import CONTESTANTS
from tests.notebooks.reading import PATHS, read
from tools.course import ROOT
from tools.grading.reading import code_cells

HOME = ROOT / "posenc_helpers" / "classroom" / "colours.py"
FILES = [path for room in ("posenc_helpers", "tools") for path in sorted((ROOT / room).rglob("*.py")) if path != HOME]
LITERAL = re.compile(r"#[0-9a-f]{3,4}|#[0-9a-f]{6}([0-9a-f]{2})?|C\d|(tab|xkcd):.*", re.IGNORECASE)
ALLOWED = {  # file, or notebook and cell: words that are no colours
    "posenc_helpers/lessons/naive_encodings/exercises.py": {"gray"},  # a code
    "posenc_helpers/lessons/naive_encodings/mistakes.py": {"gray"},
}
TOGETHER = [  # methods that stand in one figure
    ("nope", "index", "normalised", "random", "one-hot", "binary", "sinusoidal"),
    ("nope", "sinusoidal", "learned", "t5", "rope", "alibi"),
    ("position interpolation", "NTK-aware", "NTK-by-parts", "YaRN", "llama3"),
]


def colours_in(source):
    """Return the strings in a source that Matplotlib takes for colours, f-strings such as f"C{k}" as "C0"."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "0" for part in node.values]
            found.add("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return {text for text in found if LITERAL.fullmatch(text) or text in CSS4_COLORS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_colour_stands_in_the_code(path):
    allowed = ALLOWED.get(path.relative_to(ROOT).as_posix(), set())
    assert colours_in(path.read_text(encoding="utf-8")) == allowed


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_no_colour_stands_in_a_cell(path):
    for cell in code_cells(read(path)):
        assert colours_in(cell.source) == ALLOWED.get(f"{path.stem} {cell.id}", set()), cell.id


def lightness(colour: str) -> float:
    """Relative luminance (WCAG 2): 0 for black, 1 for white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_every_method_has_a_colour_that_stands_out_on_white():
    for method, colour in PALETTE.items():
        assert 1.05 / (lightness(colour) + 0.05) > 2, method


@pytest.mark.parametrize("methods", TOGETHER)
def test_methods_in_one_figure_have_different_colours(methods):
    colours = np.array([to_rgb(PALETTE[method]) for method in methods])
    for row, colour in enumerate(colours):
        others = np.delete(colours, row, axis=0)
        assert np.linalg.norm(others - colour, axis=1).min() > 0.25, methods[row]


def test_contestants_have_a_look_each_and_an_encoding_of_your_own_has_one_too():
    assert len({(colour_of(name), line_of(name)) for name in CONTESTANTS}) == len(CONTESTANTS)
    assert (colour_of("mine"), line_of("mine"), name_of("mine")) == ("black", "-", "mine")
    assert name_of("rope") == LABELS["rope"] == "RoPE"
