"""What counts as an answer, floats of any width, NumPy and plain numbers alike, and mistakes of code that have a name."""

import numpy as np
import pytest
import torch

from posenc_helpers.classroom.exercises.answers import as_bool, as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet

NUMBERS = [2, np.float32(2), np.int64(2), np.array([2.0]), torch.tensor(2), torch.tensor([[2.0]]), [2.0]]


@pytest.mark.parametrize("value", [*NUMBERS, torch.tensor(2.0, dtype=torch.bfloat16, requires_grad=True)], ids=repr)
def test_numbers(value):
    number = as_number(value, "double")
    assert type(number) is float and number == 2


LIKE = {
    "itself": lambda x: x,
    "list": lambda x: x.tolist(),
    "NumPy, float32": lambda x: x.float().numpy(),
    "NumPy, backwards": lambda x: x.numpy()[::-1][::-1],
    "bfloat16": lambda x: x.bfloat16(),
    "whole": lambda x: x.long(),
    "needs gradients": lambda x: x.clone().requires_grad_(),
    "list of tensors": lambda x: [list(row) for row in x],
    "rows": lambda x: list(x),
}


@pytest.mark.parametrize("kind", LIKE)
def test_tensors(kind):
    expected = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    tensor = as_tensor(LIKE[kind](expected), "double", (2, 3))
    assert tensor.dtype is torch.float64 and not tensor.requires_grad and torch.equal(tensor, expected)


def test_plain_numbers_keep_all_their_digits():
    assert as_number(1 / 3, "x") == 1 / 3
    assert as_tensor([1 / 3, 2 / 3], "x", (2,)).tolist() == [1 / 3, 2 / 3]


YES = [True, 1, np.bool_(True), np.int64(1), torch.tensor([1]), 1.0, np.array(True)]


@pytest.mark.parametrize("yes", YES, ids=repr)
def test_yes_and_no(yes):
    assert as_bool(yes, "is_double") is True
    no = type(yes)(0) if not isinstance(yes, np.ndarray | torch.Tensor) else yes & 0
    assert as_bool(no, "is_double") is False


READ = {"bool": as_bool, "number": as_number, "tensor": lambda value, what: as_tensor(value, what, (2,))}
NOTHING = "returned nothing. Is the `return` missing?"
REFUSED = [
    ("bool", None, NOTHING),
    ("number", None, NOTHING),
    ("tensor", None, NOTHING),
    ("bool", 2, "should return True or False, but it returned int"),
    ("bool", 0.5, "but it returned float"),
    ("bool", "yes", "but it returned str"),
    ("bool", ..., "is still the dots"),
    ("bool", torch.zeros(3, 2, dtype=torch.bool), "but it returned Tensor"),
    ("bool", np.zeros(3), "but it returned ndarray"),
    ("bool", float("nan"), "but it returned float"),
    ("number", "two", "should return a number, but it returned str"),
    ("number", ..., "is still the dots"),
    ("number", True, "a number, but it returned a yes or no"),
    ("number", 2j, "should return a real number, but it returned a complex one"),
    ("number", [1.0, 2.0], "should return one number, but it returned shape (2,)"),
    ("number", torch.zeros(0), "should return one number, but it returned shape (0,)"),
    ("number", float("nan"), "returned nan"),
    ("number", float("-inf"), "returned -inf"),
    ("tensor", "ab", "should be a tensor, but it is of type str"),
    ("tensor", [[1], [1, 2]], "should be a tensor, but it is of type list"),
    ("tensor", [torch.ones(2), torch.ones(3)], "should be a tensor, but it is of type list"),
    ("tensor", torch.ones(2) * 1j, "should hold real numbers, but they are complex"),
    ("tensor", 1.0, "should have shape (2,), but it has ()"),
    ("tensor", [1.0, float("nan")], "holds NaN or infinity"),
    ("tensor", [1.0, float("inf")], "holds NaN or infinity"),
    ("tensor", torch.zeros(2, device="meta"), "device meta"),
]


@pytest.mark.parametrize(("read", "value", "says"), REFUSED)
def test_wrong_kinds_are_refused_in_plain_words(read, value, says):
    with pytest.raises(NotYet) as caught:
        READ[read](value, "double")
    assert str(caught.value).startswith("double ") and says in str(caught.value)


SHAPES = [
    ((3, 2), "It looks transposed"),
    ((1, 2, 3), "An axis of length 1 is too many"),
    ((3,), "An axis is missing"),
    ((2,), "An axis is missing"),
    ((2, 4), "One axis is off by one"),
    ((1, 3), "One axis is off by one"),
    ((2, 5), "wrong shape"),
    ((5, 7), "wrong shape"),
    ((), "wrong shape"),
]


@pytest.mark.parametrize(("came", "name"), SHAPES)
def test_shapes_tell_what_went_wrong(came, name):
    with pytest.raises(NotYet) as caught:
        as_tensor(torch.zeros(came), "answer", (2, 3))
    assert caught.value.name.lower() == name.lower()
    assert str(caught.value).startswith(f"answer should have shape (2, 3), but it has {came}.")


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.float16, torch.bfloat16])
def test_types_that_cut_off_fractions_are_named(dtype):
    with pytest.raises(NotYet, match=r"fractions are cut off|keeps three digits"):
        as_tensor(torch.ones(2, dtype=dtype), "answer", (2,), whole=False)
    for value in ([1.5, 2.0], np.float32([1.5, 2]), torch.tensor([1.5, 2.0], dtype=torch.float64)):
        assert as_tensor(value, "answer", (2,), whole=False).tolist() == [1.5, 2]


@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8, torch.int16, torch.bool])
def test_types_that_are_no_index_are_named(dtype):
    with pytest.raises(NotYet, match="takes no index but int64 and int32"):
        as_tensor(torch.ones(2, dtype=dtype), "answer", (2,), whole=True)
    for value in ([1, 2], np.array([1, 2]), torch.tensor([1, 2], dtype=torch.int32)):
        assert as_tensor(value, "answer", (2,), whole=True).tolist() == [1, 2]


def test_an_input_changed_in_place_is_named():
    def negated(x, y):
        return y.neg_()

    with pytest.raises(NotYet, match="Your code changes its input y in place") as caught:
        watched(negated)(torch.ones(2), torch.ones(2))
    assert caught.value.name == "input changed in place"
    watched(negated)(torch.ones(2), torch.zeros(2))  # -0 is 0
    watched(lambda x: x)(torch.tensor([float("nan")]))


def test_results_that_share_a_tensor_are_named():
    kept = torch.zeros(2)
    ask = watched(lambda k: kept.fill_(k))
    ask(1.0)
    with pytest.raises(NotYet, match="calls share one tensor"):
        ask(2.0)
    same = watched(lambda k: kept * 0)
    assert torch.equal(same(1), same(2))
