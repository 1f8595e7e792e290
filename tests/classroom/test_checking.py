"""The four outcomes of a check, and what counts as an answer: floats of any width, NumPy, plain numbers."""

import re

import numpy as np
import pytest
import torch

from posenc_helpers.classroom.exercises.answers import as_bool, as_number, as_tensor
from posenc_helpers.classroom.exercises.checking import NotYet, attempted, need, run_check


def outcome(capsys, answer, test=lambda: None) -> str:
    found = run_check("double", answer, test, "Well done.")
    out, err = capsys.readouterr()
    assert out == f"{found}\n"
    assert err == "" and out.startswith("double: ") and out.count("\n") == 1
    return out.removeprefix("double: ").strip()


def double(x):
    return 2 * x


# ------------------------------------------------------------------------------------------------- the four outcomes


def empty_dots(x):
    ...


def empty_pass(x):
    pass


def only_a_docstring(x):
    """Return twice x."""


def docstring_and_dots(x):
    """Return twice x."""
    ...


def docstring_and_comment(x: float, y: float = 2.0, *rest, **more) -> float:
    """Return twice x."""
    # your code here
    ...


def returns_nothing(x):
    return


def returns_dots(x):
    return ...


STUBS = [..., empty_dots, empty_pass, only_a_docstring, docstring_and_dots, docstring_and_comment, returns_nothing,
         returns_dots, lambda x: ..., lambda x: None]  # fmt: skip


@pytest.mark.parametrize("stub", STUBS)
def test_not_attempted(stub, capsys):
    def test():
        raise AssertionError("an answer that is not there must not be tested")

    assert not attempted(stub)
    assert outcome(capsys, stub, test).startswith("not attempted yet. ")


def forgets_to_return(x):
    2 * x


def sets_a_variable(x):
    doubled = 2 * x  # noqa: F841


def returns_true(x):
    return True


def returns_zero(x):
    return 0


@pytest.mark.parametrize(
    "answer",
    [double, forgets_to_return, sets_a_variable, returns_true, returns_zero, lambda x: 2 * x, lambda x: False,
     0, 1.5, "", [], torch.zeros(3), torch.nn.Linear(2, 2), abs],
)  # fmt: skip
def test_attempted(answer, capsys):
    assert attempted(answer)
    assert outcome(capsys, answer) == "right. Well done."


def test_a_stub_that_raises_not_implemented(capsys):
    def stub(x):
        raise NotImplementedError

    assert outcome(capsys, stub, lambda: stub(1)).startswith("not attempted yet. ")


def test_right(capsys):
    assert outcome(capsys, double, lambda: need(double(2) == 4, "no")) == "right. Well done."


def test_not_yet_gives_the_first_hint_that_applies(capsys):
    def test():
        need(double(1) == 2, "not this one")
        need(double(2) == 2, "You multiply once too often.")
        need(False, "nor this one")

    assert outcome(capsys, double, test) == "not yet. You multiply once too often."


def test_an_error_is_shown_with_the_line_of_the_answer_and_not_of_the_check(capsys):
    def broken(x):
        y = x + 1
        return y / 0  # the line

    def test():
        as_number(broken(torch.ones(1).item()), "double")

    said = outcome(capsys, broken, test)
    # Python 3.14 no longer says "float division"
    assert re.match(r"your code stopped with ZeroDivisionError: (float )?division by zero\. Look at line ", said)
    line = broken.__code__.co_firstlineno + 2
    assert said.endswith(f"line {line} of your cell: return y / 0  # the line")


def test_an_error_deep_inside_pytorch_points_to_the_answer(capsys):
    def broken(x):
        return x @ torch.ones(3)

    said = outcome(capsys, broken, lambda: broken(torch.ones(2)))
    assert "your code stopped with RuntimeError: " in said
    assert said.endswith("of your cell: return x @ torch.ones(3)")


def test_an_error_in_an_answer_without_lines_of_its_own(capsys):
    said = outcome(capsys, abs, lambda: abs("x"))
    assert said == "your code stopped with TypeError: bad operand type for abs(): 'str'."


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_the_reader_can_still_stop_it(stop):
    def answer(x):
        raise stop

    with pytest.raises(stop):
        run_check("double", answer, lambda: answer(1), "Well done.")


# ------------------------------------------------------------------------------------------------- kinds of answers

NUMBERS = [2, 2.0, np.float32(2), np.float64(2), np.int64(2), np.array(2.0), np.array([2.0]), torch.tensor(2),
           torch.tensor(2.0, dtype=torch.float64), torch.tensor([[2.0]]), torch.tensor(2.0, requires_grad=True),
           torch.tensor(2.0, dtype=torch.bfloat16), [2.0]]  # fmt: skip


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_numbers(value):
    number = as_number(value, "double")
    assert type(number) is float and number == 2


@pytest.mark.parametrize(
    "rows",
    [lambda x: x, lambda x: x.tolist(), lambda x: x.numpy(), lambda x: x.float(), lambda x: x.float().numpy(),
     lambda x: x.bfloat16(), lambda x: x.long(), lambda x: x.clone().requires_grad_(),
     lambda x: [list(row) for row in x]],
)  # fmt: skip
def test_tensors(rows):
    expected = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    tensor = as_tensor(rows(expected), "double", (2, 3))
    assert tensor.dtype is torch.float64 and not tensor.requires_grad and torch.equal(tensor, expected)


@pytest.mark.parametrize("yes", [True, 1, np.bool_(True), np.int64(1), torch.tensor(True), torch.tensor([1]), 1.0,
                                 np.array(True), np.array([True])], ids=repr)  # fmt: skip
def test_yes_and_no(yes):
    assert as_bool(yes, "is_double") is True
    no = type(yes)(0) if not isinstance(yes, np.ndarray | torch.Tensor) else yes & 0
    assert as_bool(no, "is_double") is False


READ = {"bool": as_bool, "number": as_number, "tensor": lambda value, what: as_tensor(value, what, (2,))}


def hint(read: str, value) -> str:
    with pytest.raises(NotYet) as caught:
        READ[read](value, "double")
    return str(caught.value)


@pytest.mark.parametrize("read", READ)
def test_a_missing_return_is_named(read, capsys):
    assert hint(read, None) == "double returned nothing. Is the `return` missing?"
    said = outcome(capsys, forgets_to_return, lambda: READ[read](forgets_to_return(1), "double"))
    assert said == "not yet. double returned nothing. Is the `return` missing?"


@pytest.mark.parametrize(
    ("read", "value", "says"),
    [
        ("bool", 2, "should return True or False, but it returned int"),
        ("bool", 0.5, "but it returned float"),
        ("bool", "yes", "but it returned str"),
        ("bool", [], "but it returned list"),
        ("bool", ..., "is still the dots"),
        ("bool", torch.zeros(3), "but it returned Tensor"),
        ("bool", torch.zeros(3, 2, dtype=torch.bool), "but it returned Tensor"),
        ("bool", np.zeros(3), "but it returned ndarray"),
        ("bool", float("nan"), "but it returned float"),
        ("number", "two", "should return a number, but it returned str"),
        ("number", ..., "is still the dots"),
        ("number", True, "a number, but it returned a yes or no"),
        ("number", {}, "but it returned dict"),
        ("number", 2j, "should return a real number, but it returned a complex one"),
        ("number", [1.0, 2.0], "should return one number, but it returned shape (2,)"),
        ("number", torch.zeros(0), "should return one number, but it returned shape (0,)"),
        ("number", float("nan"), "returned nan"),
        ("number", float("-inf"), "returned -inf"),
        ("tensor", "ab", "should be a tensor, but it is of type str"),
        ("tensor", [[1], [1, 2]], "should be a tensor, but it is of type list"),
        ("tensor", [torch.ones(2), torch.ones(3)], "should be a tensor, but it is of type list"),
        ("tensor", np.array(["a", "b"]), "should be a tensor, but it is of type ndarray"),
        ("tensor", torch.ones(2) * 1j, "should hold real numbers, but they are complex"),
        ("tensor", torch.ones(3), "should have shape (2,), but it has (3,)"),
        ("tensor", torch.ones(1, 2), "should have shape (2,), but it has (1, 2)"),
        ("tensor", 1.0, "should have shape (2,), but it has ()"),
        ("tensor", [1.0, float("nan")], "holds NaN or infinity"),
        ("tensor", [1.0, float("inf")], "holds NaN or infinity"),
    ],
)
def test_wrong_kinds_are_refused_in_plain_words(read, value, says):
    said = hint(read, value)
    assert said.startswith("double ") and says in said


def test_plain_numbers_keep_all_their_digits():
    assert as_number(1 / 3, "x") == 1 / 3
    assert as_tensor([1 / 3, 2 / 3], "x", (2,)).tolist() == [1 / 3, 2 / 3]
