"""A claim prints one line of a fixed form or raises; the line without its measurement is the same everywhere."""

import contextlib
import io
import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_helpers.classroom.claims import MEASURED, ClaimFailed, answer, claim, difference, proof, refused
from tools.course import ROOT

LINE = re.compile(r"^ok  it holds: \S+ \([^)]+\)$", re.M)


def test_difference_is_the_largest_one_whatever_its_sign():
    left, right = torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 7], [3.5, 4]])
    assert difference(left, right) == difference(right, left) == 5
    assert difference(left, left) == 0
    assert difference(left, left * math.nan).isnan()  # so that no claim holds


LINES = [
    (3.14159e-7, {"below": 1e-5}, ": 3.14e-07 (below 1e-05)"),
    (0.98765, {"above": 0.9}, ": 0.988 (above 0.9)"),
    (1.02, {"near": 1, "within": 0.05}, ": 1.02 (within 0.05 of 1)"),
    (12345, {"above": 0}, ": 12345 (above 0)"),
    (7, {"equals": 7}, ": 7 (exactly 7)"),
    (True, {}, ""),
    (np.bool_(True), {}, ""),
    (torch.tensor(True), {}, ""),
    (True, {"above": 0.5}, ": 1 (above 0.5)"),
    (np.float32(0.25), {"below": 1}, ": 0.25 (below 1)"),
    (torch.tensor([[0.25]]), {"below": 1}, ": 0.25 (below 1)"),
    (torch.tensor(0.5, requires_grad=True), {"below": 1}, ": 0.5 (below 1)"),
    (torch.tensor(0.5, dtype=torch.bfloat16), {"below": 1}, ": 0.5 (below 1)"),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("measured", "bound", "ending"), LINES)
def test_the_line(measured, bound, ending, capsys):
    claim("it holds", measured, **bound)
    assert capsys.readouterr() == (f"ok  it holds{ending}\n", "")


BOUNDS = [
    ({"below": 1}, [0.999, -5, -math.inf], [1, 1.001, math.inf]),
    ({"above": 1}, [1.001, 5, math.inf], [1, 0.999, -math.inf]),
    ({"below": 0}, [-1e-9], [0, 1e-9]),
    ({"near": 2, "within": 0.5}, [1.5, 2, 2.5], [1.499, 2.501, -2, math.inf]),
    ({"near": 0, "within": 0}, [0], [1e-12, -1e-12]),
    ({"equals": 3}, [3, 3.0], [3.001, -3, math.inf]),
    ({"below": math.nan}, [], [0]),
    ({"above": math.nan}, [], [0]),
    ({"near": 0, "within": math.nan}, [], [0]),
]


@pytest.mark.parametrize(("bound", "holds", "fails"), BOUNDS)
def test_each_bound_and_not_a_number_meets_none(bound, holds, fails, capsys):
    for value in holds:
        claim("it holds", value, **bound)
    assert len(LINE.findall(capsys.readouterr().out)) == len(holds)
    for value in [*fails, math.nan, np.float32("nan"), torch.tensor(math.nan)]:
        with pytest.raises(ClaimFailed, match="not so: it holds: "):
            claim("it holds", value, **bound)
    assert capsys.readouterr() == ("", "")


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_without_its_measurement_the_line_is_the_same(first, second):
    lines = []
    for value in (first, second):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            claim("it holds (at all positions)", value, below=1e301)
        lines.append(MEASURED.sub(": NUMBER", out.getvalue()))
    assert lines[0] == lines[1] == "ok  it holds (at all positions): NUMBER (below 1e+301)\n"


ONE_BOUND = "exactly one bound"
ILL_FORMED = [
    ("no bound", 1.0, {}, ValueError, ONE_BOUND),
    ("two bounds", 1.0, {"below": 2, "above": 0}, ValueError, ONE_BOUND),
    ("two bounds", 1.0, {"below": 2, "near": 1, "within": 1}, ValueError, ONE_BOUND),
    ("no width", 1.0, {"near": 1}, ValueError, ONE_BOUND),
    ("no centre", 1.0, {"within": 1}, ValueError, ONE_BOUND),
    ("a width too many", 1.0, {"below": 2, "within": 1}, ValueError, ONE_BOUND),
    ("a number and no bound", 1, {}, ValueError, ONE_BOUND),
    ("a width alone", True, {"within": 1}, ValueError, ONE_BOUND),
    ("a: 2 (below 3)", 1.0, {"below": 2}, ValueError, "statement='a: 2"),
    ("one\ntwo", 1.0, {"below": 2}, ValueError, "statement="),
    ("", 1.0, {"below": 2}, ValueError, "statement="),
    ("a vector", torch.zeros(2), {"below": 2}, ValueError, r"measured has shape \(2,\)"),
    ("no number", "much", {"below": 2}, (TypeError, ValueError), "much"),
    ("no number", None, {"below": 2}, TypeError, "None"),
]


@pytest.mark.parametrize(("statement", "measured", "bounds", "error", "message"), ILL_FORMED)
def test_ill_formed_claims(statement, measured, bounds, error, message, capsys):
    with pytest.raises(error, match=message) as caught:
        claim(statement, measured, **bounds)
    assert not isinstance(caught.value, ClaimFailed)
    assert capsys.readouterr().out == ""


FAILED = [
    (0.31234, {"below": 1e-5}, ": 0.312 (below 1e-05)"),
    (False, {}, ""),
    (np.bool_(False), {}, ""),
    (torch.tensor(False), {}, ""),
]


@pytest.mark.parametrize(("measured", "bound", "ending"), FAILED)
def test_what_is_not_so_is_said_with_what_was_measured_and_required(measured, bound, ending):
    with pytest.raises(AssertionError) as caught:  # an AssertionError, so that tests and readers see it as one
        claim("seven is even", measured, **bound)
    assert str(caught.value) == f"not so: seven is even{ending}"


def test_an_answer_stands_out_and_can_fail(capsys):
    answer("moved by 5, the scores change by", 1e-7, below=1e-5)
    assert capsys.readouterr().out == "\x1b[1m=>  moved by 5, the scores change by: 1e-07 (below 1e-05)\x1b[0m\n"
    with pytest.raises(ClaimFailed, match="moved by 5"):
        answer("moved by 5, the scores change by", 1, below=1e-5)


def test_a_proof_folds_its_claims_under_one_line(capsys, outputs):
    with proof("the rules hold"):
        claim("a < b", 1e-7, below=1e-5)
        claim("b is even", True)
    assert capsys.readouterr().out == ""
    (output,) = outputs
    plain = "ok  2 of 2: the rules hold\n    ok  a < b: 1e-07 (below 1e-05)\n    ok  b is even"
    assert output["data"]["text/plain"] == plain
    folded = output["data"]["text/html"]
    assert folded.startswith("<details><summary><code>ok  2 of 2: the rules hold</code></summary>")
    assert "ok  a &lt; b: 1e-07 (below 1e-05)\nok  b is even" in folded


def test_a_proof_that_fails_shows_what_held_and_lets_go(capsys, outputs):
    with pytest.raises(ClaimFailed, match="not so: second"), proof("the rules hold"):
        claim("first", True)
        claim("second", False)
    assert capsys.readouterr().out == "ok  first\n"
    claim("third", True)
    assert capsys.readouterr().out == "ok  third\n" and outputs == []


def test_ill_formed_proofs(capsys):
    with pytest.raises(ValueError, match="'empty' holds no claim"), proof("empty"):
        pass
    with pytest.raises(ValueError, match="'inner' stands within another"), proof("outer"), proof("inner"):
        pass
    with pytest.raises(ValueError, match="the answer 'it holds' stands in a proof"), proof("outer"):
        answer("it holds", True)


def test_refused_says_so(capsys):
    def call(error):
        raise error

    assert refused(lambda: call(ValueError("n=0 must be at least 1"))) and not refused(lambda: None)
    assert capsys.readouterr().out == "n=0 must be at least 1\n"
    with pytest.raises(TypeError):
        refused(lambda: call(TypeError("no")))


def test_nbval_blanks_the_same():
    """The sanitiser of `make test` has the pattern of the package."""
    assert f"regex: {MEASURED.pattern}\n" in (ROOT / "tests" / "nbval.cfg").read_text(encoding="utf-8")
