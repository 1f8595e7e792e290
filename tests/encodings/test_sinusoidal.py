"""The sinusoidal encoding against its definition, against five other implementations, and at any shape.

Tolerance of a value at position p. A float32 angle p * w carries the rounding of w and that of the product, together
about one unit in the last place, 2^-23, of an angle of at most p: p * 2^-23 radians, and sine and cosine are no steeper
than 1. Another 2^-22 covers the sine itself and the cast. That is 3e-5 at 257, 2e-4 at 2049 and 0.012 at 100,000; a
reference that computes in float32 has the same error once more.
"""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from positional_encodings.torch_encodings import PositionalEncoding1D
from transformers.models.fsmt.modeling_fsmt import SinusoidalPositionalEmbedding as FSMTEmbedding
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding as M2M100Embedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding as MarianEmbedding
from transformers.models.whisper.modeling_whisper import sinusoids as whisper_sinusoids

from posenc_helpers.encodings.sinusoidal import FORMULAS, LAYOUTS, SinusoidalEncoding, sinusoidal
from tests.refused import refused

POSITIONS = [0, 1, 257, 2049]
CONVENTIONS = [(layout, formula) for layout in LAYOUTS for formula in FORMULAS]


def tolerance(positions, float32_reference: bool = False) -> torch.Tensor:
    """The largest allowed error at each position, as a column beside a table (L, d)."""
    one = torch.as_tensor(positions, dtype=torch.float64).abs()[:, None] * 2**-23 + 2**-22
    return one * (2 if float32_reference else 1)


def definition(positions, dim: int, base: float, layout: str, formula: str) -> torch.Tensor:
    """The definition in double precision, one number at a time: (L, dim)."""
    table = torch.empty(len(positions), dim, dtype=torch.float64)
    for row, position in enumerate(positions):
        for pair in range(dim // 2):
            wavelengths_away = pair / (dim / 2) if formula == "paper" else pair / (dim / 2 - 1)
            angle = position / math.pow(base, wavelengths_away)
            sine, cosine = (2 * pair, 2 * pair + 1) if layout == "interleaved" else (pair, pair + dim // 2)
            table[row, sine], table[row, cosine] = math.sin(angle), math.cos(angle)
    return table


def package(rows: int, dim: int) -> torch.Tensor:
    return PositionalEncoding1D(dim)(torch.zeros(1, rows, dim))[0]


REFERENCES = {  # name -> (function of rows and dim, dim, layout, formula, computes in float32)
    "Marian": (lambda rows, dim: MarianEmbedding(rows, dim).create_weight(), 6, "half", "paper", False),
    "FSMT": (lambda rows, dim: FSMTEmbedding.get_embedding(rows, dim, None), 10, "half", "tensor2tensor", True),
    "M2M100": (lambda rows, dim: M2M100Embedding.get_embedding(rows, dim), 14, "half", "tensor2tensor", True),
    "Whisper": (whisper_sinusoids, 22, "half", "tensor2tensor", True),
    "positional-encodings": (package, 34, "interleaved", "paper", True),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_reference(name):
    table, dim, layout, formula, float32 = REFERENCES[name]
    theirs = table(POSITIONS[-1] + 1, dim)[POSITIONS].double()
    ours = sinusoidal(torch.tensor(POSITIONS), dim, layout=layout, formula=formula)
    assert ours.shape == theirs.shape == (len(POSITIONS), dim)
    assert ((ours - theirs).abs() <= tolerance(POSITIONS, float32)).all()


@pytest.mark.parametrize(("layout", "formula"), CONVENTIONS)
@pytest.mark.parametrize(("dim", "base"), [(4, 20.0), (10, 10000.0), (26, 5e5)])
def test_definition(dim, base, layout, formula):
    positions = [*POSITIONS, 100_000, -3, 0.5, 1234.75]
    exact = definition(positions, dim, base, layout, formula)
    ours = sinusoidal(torch.tensor(positions), dim, base, layout, formula)
    assert ours.dtype is torch.float32
    assert ((ours - exact).abs() <= tolerance(positions)).all()
    in_double = sinusoidal(torch.tensor(positions, dtype=torch.float64), dim, base, layout, formula)
    assert in_double.dtype is torch.float64
    assert (in_double - exact).abs().max() < 1e-10  # 100,000 times one unit in the last place, 2^-52, is 2e-11


even = st.integers(2, 20).map(lambda pairs: 2 * pairs)
conventions = st.sampled_from(CONVENTIONS)


@given(st.lists(st.integers(1, 4), max_size=4), even, conventions, st.integers(0, 100_000))
def test_any_shape_of_positions(shape, dim, convention, first):
    positions = first + torch.arange(math.prod(shape)).reshape(shape)
    code = sinusoidal(positions, dim, 10000.0, *convention)
    assert code.shape == (*shape, dim)
    one_by_one = [sinusoidal(position, dim, 10000.0, *convention) for position in positions.flatten()]
    torch.testing.assert_close(code.reshape(-1, dim), torch.stack(one_by_one), rtol=0, atol=2e-7)


def test_the_first_position_is_zero_and_defaults_are_the_papers():
    first = sinusoidal(torch.arange(3), 6)
    assert first[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert torch.equal(first, sinusoidal(torch.arange(3), 6, 10000.0, "interleaved", "paper"))


@pytest.mark.parametrize(("layout", "formula"), CONVENTIONS)
def test_module_adds_the_scaled_code_along_the_tokens(layout, formula):
    x = torch.randn(3, 5, 8)
    before = x.clone()
    encoding = SinusoidalEncoding(8, 500.0, layout, formula, scale=0.25)
    positions = torch.tensor([0, 4, 257, 2049, 30])
    expected = x + 0.25 * sinusoidal(positions, 8, 500.0, layout, formula)
    torch.testing.assert_close(encoding.embed(x, positions), expected)
    assert torch.equal(x, before)  # the input is left alone


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_module_casts_last(dtype):
    encoding = SinusoidalEncoding(8, scale=0.3).to(dtype)
    positions = torch.tensor([256, 257, 2048, 2049])
    code = encoding.embed(torch.zeros(1, 4, 8, dtype=dtype), positions)[0]
    assert torch.equal(code, (0.3 * sinusoidal(positions, 8)).to(dtype))
    assert not torch.equal(code[0], code[1]) and not torch.equal(code[2], code[3])


X, P = torch.zeros(2, 5, 8), torch.arange(5)
test_bad_input = refused(
    (lambda: sinusoidal(P, 7), "dim=7 must be even"),
    (lambda: sinusoidal(P, 2, formula="tensor2tensor"), "dim=2 must be at least 4"),
    (lambda: sinusoidal(P, 8, 0), "base=0"),
    (lambda: sinusoidal(P, 8, "10000"), "base='10000'", TypeError),
    (lambda: sinusoidal(P, 8, layout="halves"), "layout='halves'.*'interleaved', 'half'"),
    (lambda: sinusoidal(P, 8, formula="fairseq"), "formula='fairseq'.*'paper', 'tensor2tensor'"),
    (lambda: SinusoidalEncoding(7), "dim=7 must be even"),
    (lambda: sinusoidal([0, 1], 8), r"positions must be a torch\.Tensor, got list", TypeError),
    (lambda: sinusoidal(P.bfloat16(), 8), r"positions has dtype torch\.bfloat16"),
    (lambda: SinusoidalEncoding(8).embed(X[0], P), "x has shape"),
    (lambda: SinusoidalEncoding(6).embed(X, P), "x has width 8"),
    (lambda: SinusoidalEncoding(8).embed(X, P[:4]), "positions has shape"),
)
