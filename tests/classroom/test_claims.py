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

LINE = re.compile(r"ok  (?P<statement>.+): (?P<measured>\S+) \((?P<bound>[^)]+)\)\n")


def test_difference_is_the_largest_one_whatever_its_sign():
    left, right = torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 7], [3.5, 4]])
    assert difference(left, right) == difference(right, left) == 5
    assert difference(left, left) == 0
    assert difference(left, left * math.nan).isnan()  # so that no claim holds


def said(capsys, *arguments, **bounds) -> re.Match:
    claim(*arguments, **bounds)
    out, err = capsys.readouterr()
    match = LINE.fullmatch(out)
    assert match and err == ""
    return match


@pytest.mark.parametrize(
    ("measured", "bound", "line"),
    [
        (3.14159e-7, {"below": 1e-5}, "ok  it holds: 3.14e-07 (below 1e-05)\n"),
        (0.98765, {"above": 0.9}, "ok  it holds: 0.988 (above 0.9)\n"),
        (1.02, {"near": 1, "within": 0.05}, "ok  it holds: 1.02 (within 0.05 of 1)\n"),
        (12345, {"above": 0}, "ok  it holds: 12345 (above 0)\n"),
        (7, {"equals": 7}, "ok  it holds: 7 (exactly 7)\n"),
        (True, {}, "ok  it holds\n"),
        (np.bool_(True), {}, "ok  it holds\n"),
        (torch.tensor(True), {}, "ok  it holds\n"),
        (True, {"above": 0.5}, "ok  it holds: 1 (above 0.5)\n"),
        (False, {"below": 0.5}, "ok  it holds: 0 (below 0.5)\n"),
    ],
)
def test_the_line(measured, bound, line, capsys):
    claim("it holds", measured, **bound)
    assert capsys.readouterr() == (line, "")


@pytest.mark.parametrize("kind", [float, np.float32, np.float64, torch.tensor, lambda x: torch.tensor([[x]])])
def test_any_number_can_be_measured(kind, capsys):
    assert said(capsys, "it holds", kind(0.25), below=1)["measured"] == "0.25"
    with pytest.raises(ClaimFailed):
        claim("it holds", kind(0.25), above=1)
    assert capsys.readouterr().out == ""


@pytest.mark.filterwarnings("error")
def test_a_tensor_that_needs_gradients_and_one_in_half_precision(capsys):
    assert said(capsys, "it holds", torch.tensor(0.5, requires_grad=True), below=1)["measured"] == "0.5"
    assert said(capsys, "it holds", torch.tensor(0.5, dtype=torch.bfloat16), below=1)["measured"] == "0.5"


@pytest.mark.parametrize(
    ("bound", "holds", "fails"),
    [
        ({"below": 1}, [0.999, -5, -math.inf], [1, 1.001, math.inf]),
        ({"above": 1}, [1.001, 5, math.inf], [1, 0.999, -math.inf]),
        ({"below": 0}, [-1e-9], [0, 1e-9]),
        ({"near": 2, "within": 0.5}, [1.5, 2, 2.5], [1.499, 2.501, -2, math.inf]),
        ({"near": 0, "within": 0}, [0], [1e-12, -1e-12]),
        ({"equals": 3}, [3, 3.0], [3.001, -3, math.inf]),
    ],
)
def test_each_bound(bound, holds, fails, capsys):
    for value in holds:
        said(capsys, "it holds", value, **bound)
    for value in fails:
        with pytest.raises(ClaimFailed, match="not so: it holds"):
            claim("it holds", value, **bound)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("bound", [{"below": 1}, {"above": -1}, {"near": 0, "within": 1}, {"equals": 0}])
@pytest.mark.parametrize("nan", [math.nan, np.float32("nan"), torch.tensor(math.nan)])
def test_nan_fails_every_claim(bound, nan):
    with pytest.raises(ClaimFailed, match="not so: it holds: nan"):
        claim("it holds", nan, **bound)


@pytest.mark.parametrize(
    "bound",
    [{"below": math.nan}, {"above": math.nan}, {"near": math.nan, "within": 1}, {"near": 0, "within": math.nan}],
)
def test_a_bound_that_is_nan_is_met_by_nothing(bound):
    with pytest.raises(ClaimFailed):
        claim("it holds", 0.0, **bound)


def test_a_failed_claim_says_what_was_measured_and_what_was_required():
    with pytest.raises(AssertionError) as caught:  # an AssertionError, so that tests and readers see it as one
        claim("order does not matter", 0.31234, below=1e-5)
    assert str(caught.value) == "not so: order does not matter: 0.312 (below 1e-05)"


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_without_its_measurement_the_line_is_the_same(first, second):
    lines = []
    for value in (first, second):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            claim("it holds (at all positions)", value, below=1e301)
        assert LINE.fullmatch(out.getvalue())
        lines.append(MEASURED.sub(": NUMBER", out.getvalue()))
    assert lines[0] == lines[1]


@pytest.mark.parametrize(
    ("statement", "measured", "bounds", "error", "message"),
    [
        ("no bound", 1.0, {}, ValueError, "exactly one bound"),
        ("two bounds", 1.0, {"below": 2, "above": 0}, ValueError, "exactly one bound"),
        ("two bounds", 1.0, {"below": 2, "near": 1, "within": 1}, ValueError, "exactly one bound"),
        ("no width", 1.0, {"near": 1}, ValueError, "exactly one bound"),
        ("no centre", 1.0, {"within": 1}, ValueError, "exactly one bound"),
        ("a width too many", 1.0, {"below": 2, "within": 1}, ValueError, "exactly one bound"),
        ("a: 2 (below 3)", 1.0, {"below": 2}, ValueError, "statement='a: 2"),
        ("a number and no bound", 1, {}, ValueError, "exactly one bound"),
        ("a width alone", True, {"within": 1}, ValueError, "exactly one bound"),
        ("one\ntwo", 1.0, {"below": 2}, ValueError, "statement="),
        ("", 1.0, {"below": 2}, ValueError, "statement="),
        ("a vector", torch.zeros(2), {"below": 2}, ValueError, r"measured has shape \(2,\)"),
        ("nothing", torch.zeros(0), {"below": 2}, ValueError, r"measured has shape \(0,\)"),
        ("no number", "much", {"below": 2}, (TypeError, ValueError), "much"),
        ("no number", None, {"below": 2}, TypeError, "None"),
    ],
)
def test_ill_formed_claims(statement, measured, bounds, error, message, capsys):
    with pytest.raises(error, match=message) as caught:
        claim(statement, measured, **bounds)
    assert not isinstance(caught.value, ClaimFailed)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("no", [False, np.bool_(False), torch.tensor(False)])
def test_what_is_not_so(no):
    with pytest.raises(ClaimFailed, match=r"^not so: seven is even$"):
        claim("seven is even", no)


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
