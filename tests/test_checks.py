"""Every refusal names the argument, the value and what is allowed."""

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


def refuses(check, *args, error=ValueError, says: tuple[str, ...]) -> None:
    with pytest.raises(error) as caught:
        check(*args)
    for part in says:
        assert part in str(caught.value)


def test_choice():
    check_choice("layout", "half", ("interleaved", "half"))
    for value in ("Half", "", None, 0, ["half"]):
        refuses(check_choice, "layout", value, ("interleaved", "half"), says=("layout", repr(value), "'half'"))


def test_count():
    for value, least in ((1, 1), (0, 0), (7, 7), (8, 7)):
        check_count("heads", value, least)
    for value, least in ((0, 1), (-3, 1), (6, 7)):
        refuses(check_count, "heads", value, least, says=("heads", str(value), f"at least {least}"))
    for value in (2.0, "2", None, True, torch.tensor(2)):
        refuses(check_count, "heads", value, error=TypeError, says=("heads", repr(value), "integer"))


def test_even():
    for value in (2, 4, 30):
        check_even("dim", value)
    for value in (3, 31):
        refuses(check_even, "dim", value, says=("dim", str(value), "even"))
    for value in (0, -2):
        refuses(check_even, "dim", value, says=("dim", str(value), "at least 2"))
    refuses(check_even, "dim", 2, 4, says=("dim", "2", "at least 4"))
    refuses(check_even, "dim", 4.0, error=TypeError, says=("dim", "4.0", "integer"))


def test_counts_of_numpy_become_python_integers():
    for check, value in ((check_count, np.int64(4)), (check_count, np.uint8(4)), (check_even, np.int32(4))):
        assert check("heads", value) == 4 and type(check("heads", value)) is int
    for value in (np.float64(4), np.bool_(True), np.array([4])):
        refuses(check_count, "heads", value, error=TypeError, says=("heads", repr(value), "integer"))
    refuses(check_count, "heads", np.int64(0), says=("heads=0", "at least 1"))
    for value in (np.float32(0.5), np.int64(3)):
        check_positive("base", value)
    refuses(check_positive, "base", np.float32(-1), says=("base=-1.0", "finite number above 0"))


def test_floating():
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        check_floating("q", torch.zeros(1, dtype=dtype))
    for dtype in (torch.int64, torch.uint8, torch.bool, torch.complex64):
        refuses(
            check_floating, "q", torch.zeros(1, dtype=dtype), error=TypeError, says=("q", str(dtype), "floating-point")
        )
    refuses(check_floating, "q", [0.0], error=TypeError, says=("q", "list"))


def test_exact_positions():
    for dtype in (torch.uint8, torch.int32, torch.int64):
        assert exact_positions(torch.tensor([7], dtype=dtype)).dtype is torch.int64
    for dtype in (torch.float32, torch.float64):
        assert exact_positions(torch.tensor([7], dtype=dtype)).dtype is dtype
    refuses(exact_positions, torch.tensor([True]), "k_positions", error=TypeError, says=("k_positions", "bool"))
    refuses(exact_positions, torch.tensor([7]).half(), "k_positions", says=("k_positions", "float16"))


def test_reach():
    first = 2**24
    for positions in (torch.tensor([first - 1]), torch.tensor([9.0 * first]), torch.zeros(0).long()):
        check_reach("positions", positions)  # reals are as sharp as they were given
    check_reach("positions", torch.tensor([first], device="meta"))
    for positions in (torch.tensor([first]), torch.tensor([0, -first], dtype=torch.int32)):
        refuses(check_reach, "positions", positions, says=(f"positions reaches {first}", f"from {first} on float32"))


def test_positive():
    for value in (1, 0.5, 1e6):
        check_positive("base", value)
    for value in (0, -1.0, float("inf"), float("-inf"), float("nan")):
        refuses(check_positive, "base", value, says=("base", str(value), "finite number above 0"))
    for value in ("1", None, True, 1j):
        refuses(check_positive, "base", value, error=TypeError, says=("base", repr(value), "number"))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64, torch.float32])
def test_positions_become_float32(dtype):
    positions = torch.tensor([[0, 5, 100]], dtype=dtype)
    real = real_positions(positions)
    assert real.dtype is torch.float32 and real.tolist() == [[0.0, 5.0, 100.0]]


def test_float64_positions_stay():
    positions = torch.tensor([1e5 + 1e-9], dtype=torch.float64)
    assert torch.equal(real_positions(positions), positions)


@pytest.mark.parametrize(("dtype", "first_shared"), [(torch.bfloat16, 256), (torch.float16, 2048)])
def test_half_precision_positions_are_refused_for_the_reason_given(dtype, first_shared):
    places = torch.arange(first_shared - 1, first_shared + 2)
    as_stored = places.to(dtype).tolist()
    assert as_stored[0] != as_stored[1] == as_stored[2]
    refuses(real_positions, places.to(dtype), "k_positions", says=("k_positions", str(dtype), str(first_shared)))


@pytest.mark.parametrize("positions", [[0, 1], 3, None, torch.tensor([True]), torch.tensor([1j])])
def test_positions_that_are_no_real_tensor(positions):
    what = str(positions.dtype) if isinstance(positions, torch.Tensor) else type(positions).__name__
    refuses(real_positions, positions, "q_positions", error=TypeError, says=("q_positions", what))


def test_range():
    for positions in (
        torch.arange(5),
        torch.tensor([[4, 0]]),
        torch.tensor([3], dtype=torch.uint8),
        torch.zeros(0).long(),
    ):
        check_range("positions", positions, 5)
    for positions, says in ((torch.arange(6), "0 to 5"), (torch.tensor([[2, -1]]), "-1 to 2")):
        refuses(check_range, "positions", positions, 5, says=("positions", says, "allowed: 0 to 4"))
    for positions, says in (([0, 1], "list"), (torch.tensor([0.0]), "float32"), (torch.tensor([True]), "bool")):
        refuses(check_range, "positions", positions, 5, error=TypeError, says=("positions", "integers", says))
    check_range("positions", torch.arange(9, device="meta"), 5)  # no numbers to look at


def test_embedded():
    x = torch.zeros(2, 5, 6)
    check_embedded(x, torch.arange(5), 6)
    check_embedded(x, torch.zeros(2, 5), 6)
    refuses(check_embedded, x[0], torch.arange(5), 6, says=("x", "(5, 6)", "(B, L, 6)"))
    refuses(check_embedded, x.long(), torch.arange(5), 6, error=TypeError, says=("x", "int64"))
    refuses(check_embedded, x, torch.arange(5), 8, says=("x", "6", "dim=8"))
    for shape in ((4,), (3, 5), (1, 5), (2, 4), (2, 5, 1), ()):
        refuses(check_embedded, x, torch.zeros(shape), 6, says=("positions", str(shape), "(5,)", "(2, 5)"))


def test_embedded_recognises_sequence_first():
    sequence_first = torch.zeros(5, 2, 6)
    refuses(check_embedded, sequence_first, torch.arange(5), 6, says=("batch first", "transpose(0, 1)"))
    with pytest.raises(ValueError, match="positions") as caught:
        check_embedded(sequence_first, torch.arange(4), 6)
    assert "batch first" not in str(caught.value)  # four positions fit neither axis: no guess
