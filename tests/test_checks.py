"""Every refusal names the argument, the value and what is allowed; what is allowed is taken."""

import numpy as np
import pytest
import torch

from posenc_helpers.checks import (
    check_choice,
    check_count,
    check_embedded,
    check_even,
    check_floating,
    check_positive,
    check_range,
    check_reach,
    exact_positions,
    real_positions,
)

X, FIVE = torch.zeros(2, 5, 6), torch.arange(5)
TAKEN = [
    (check_choice, ["half"], ("layout", ("interleaved", "half"))),
    (check_count, [1, 7, np.int64(4), np.uint8(4)], ("heads",)),
    (lambda name, value: check_count(name, value, 0), [0], ("heads",)),
    (check_even, [2, 4, 30, np.int32(4)], ("dim",)),
    (check_floating, [torch.zeros(1, dtype=d) for d in (torch.float32, torch.bfloat16, torch.float64)], ("q",)),
    (check_positive, [1, 0.5, 1e6, np.float32(0.5), np.int64(3)], ("base",)),
    (check_range, [FIVE, torch.tensor([[4, 0]]), FIVE.byte()[3:4], FIVE[:0]], ("positions", 5)),
    (check_range, [torch.arange(9, device="meta")], ("positions", 5)),  # no numbers to look at
]


@pytest.mark.parametrize(("check", "values", "arguments"), TAKEN)
def test_what_is_allowed_is_taken_and_counts_of_numpy_become_python_integers(check, values, arguments):
    name, *rest = arguments
    for value in values:
        made = check(name, value, *rest)
        assert check not in (check_count, check_even) or (made == value and type(made) is int)


def at(check, name, *rest):
    return lambda value: check(name, value, *rest)


HALF = torch.tensor([7]).half()
REFUSED = [  # how it is asked, values, kind of error, parts of what it says ("": the value)
    (at(check_choice, "layout", ("interleaved", "half")), ["Half", None, 0, ["half"]], ValueError, ["layout", "'half'", ""]),
    (at(check_count, "heads"), [0, -3, np.int64(0)], ValueError, ["heads", "at least 1", ""]),
    (at(check_count, "heads", 7), [6], ValueError, ["heads=6", "at least 7"]),
    (at(check_count, "heads"), [2.0, "2", None, True, torch.tensor(2)], TypeError, ["heads", "integer", ""]),
    (at(check_count, "heads"), [np.float64(4), np.bool_(True), np.array([4])], TypeError, ["heads", "integer", ""]),
    (at(check_even, "dim"), [3, 31], ValueError, ["dim", "even", ""]),
    (at(check_even, "dim"), [0, -2], ValueError, ["dim", "at least 2", ""]),
    (at(check_even, "dim", 4), [2], ValueError, ["dim=2", "at least 4"]),
    (at(check_even, "dim"), [4.0], TypeError, ["dim", "integer", ""]),
    (at(check_floating, "q"), [FIVE, FIVE.byte(), FIVE.bool(), X.cfloat()], TypeError, ["q", "floating-point"]),
    (at(check_floating, "q"), [[0.0]], TypeError, ["q", "list"]),
    (at(check_positive, "base"), [0, -1.0, np.inf, -np.inf, np.nan], ValueError, ["base", "finite number above 0", ""]),
    (at(check_positive, "base"), [np.float32(-1)], ValueError, ["base=-1.0", "finite number above 0"]),
    (at(check_positive, "base"), ["1", None, True, 1j], TypeError, ["base", "number", ""]),
    (lambda p: exact_positions(p, "k_positions"), [FIVE.bool()], TypeError, ["k_positions", "bool"]),
    (lambda p: exact_positions(p, "k_positions"), [HALF], ValueError, ["k_positions", "float16"]),
    (lambda p: real_positions(p, "q_positions"), [[0, 1]], TypeError, ["q_positions", "list"]),
    (lambda p: real_positions(p, "q_positions"), [3], TypeError, ["q_positions", "int"]),
    (lambda p: real_positions(p, "q_positions"), [None], TypeError, ["q_positions", "NoneType"]),
    (lambda p: real_positions(p, "q_positions"), [FIVE.bool()], TypeError, ["q_positions", "torch.bool"]),
    (lambda p: real_positions(p, "q_positions"), [X.cfloat()], TypeError, ["q_positions", "torch.complex64"]),
    (at(check_reach, "positions"), [torch.tensor([2**24]), torch.tensor([0, -(2**24)], dtype=torch.int32)], ValueError,
     [f"positions reaches {2**24}", f"from {2**24} on float32"]),
    (at(check_range, "positions", 5), [torch.arange(6)], ValueError, ["positions", "0 to 5", "allowed: 0 to 4"]),
    (at(check_range, "positions", 5), [torch.tensor([[2, -1]])], ValueError, ["positions", "-1 to 2", "allowed: 0 to 4"]),
    (at(check_range, "positions", 5), [[0, 1]], TypeError, ["positions", "integers", "list"]),
    (at(check_range, "positions", 5), [torch.zeros(1)], TypeError, ["positions", "integers", "float32"]),
    (at(check_range, "positions", 5), [FIVE.bool()], TypeError, ["positions", "integers", "bool"]),
    (lambda x: check_embedded(x, FIVE, 6), [X[0]], ValueError, ["x", "(5, 6)", "(B, L, 6)"]),
    (lambda x: check_embedded(x, FIVE, 6), [X.long()], TypeError, ["x", "int64"]),
    (lambda x: check_embedded(x, FIVE, 8), [X], ValueError, ["x", "6", "dim=8"]),
    (lambda x: check_embedded(x, FIVE, 6), [X.transpose(0, 1)], ValueError, ["batch first", "transpose(0, 1)"]),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "values", "error", "says"), REFUSED)
def test_a_refusal_names_the_argument_the_value_and_what_is_allowed(ask, values, error, says):
    for value in values:
        with pytest.raises(error) as caught:
            ask(value)
        said = str(caught.value)
        assert type(caught.value) is error and all(part in said for part in says)
        assert "" not in says or str(value) in said or repr(value) in said


def test_exact_positions():
    for dtype in (torch.uint8, torch.int32, torch.int64):
        assert exact_positions(torch.tensor([7], dtype=dtype)).dtype is torch.int64
    for dtype in (torch.float32, torch.float64):
        assert exact_positions(torch.tensor([7], dtype=dtype)).dtype is dtype


def test_reach():
    for positions in (torch.tensor([2**24 - 1]), torch.tensor([9.0 * 2**24]), torch.zeros(0).long()):
        check_reach("positions", positions)  # reals are as sharp as they were given
    check_reach("positions", torch.tensor([2**24], device="meta"))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64, torch.float32, torch.float64])
def test_positions_become_float32_and_float64_stays(dtype):
    real = real_positions(torch.tensor([[0, 5, 100]], dtype=dtype))
    assert real.dtype is (dtype if dtype is torch.float64 else torch.float32) and real.tolist() == [[0.0, 5.0, 100.0]]


@pytest.mark.parametrize(("dtype", "first_shared"), [(torch.bfloat16, 256), (torch.float16, 2048)])
def test_half_precision_positions_are_refused_for_the_reason_given(dtype, first_shared):
    places = torch.arange(first_shared - 1, first_shared + 2)
    as_stored = places.to(dtype).tolist()
    assert as_stored[0] != as_stored[1] == as_stored[2]
    with pytest.raises(ValueError, match=rf"k_positions.*{dtype}.*{first_shared}"):
        real_positions(places.to(dtype), "k_positions")


def test_positions_that_fit_no_axis_of_what_is_embedded_are_refused_without_a_guess():
    for taken in (FIVE, torch.zeros(2, 5)):
        check_embedded(X, taken, 6)
    for shape in ((4,), (3, 5), (1, 5), (2, 4), (2, 5, 1), ()):
        with pytest.raises(ValueError, match="positions") as caught:
            check_embedded(X, torch.zeros(shape), 6)
        assert all(part in str(caught.value) for part in (str(shape), "(5,)", "(2, 5)"))
        assert "batch first" not in str(caught.value)
