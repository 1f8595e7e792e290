"""The four outcomes of a check: the line that a reader sees, what a program reads, and nothing more in a notebook."""

import dataclasses
import re

import numpy as np
import pytest
import torch
from IPython.core.formatters import DisplayFormatter

from posenc_helpers.classroom.exercises.answers import as_number
from posenc_helpers.classroom.exercises.checking import NotRight, NotYet, Outcome, attempted, need, run_check, short
from posenc_helpers.lessons.relative.exercises import check_rows


def outcome(capsys, answer, test=lambda: None) -> str:
    found = run_check("double", answer, test, "Well done.")
    out, err = capsys.readouterr()
    assert out == f"{found}\n"
    assert err == "" and out.startswith("double: ") and out.count("\n") == 1
    return out.removeprefix("double: ").strip()


def double(x):
    return 2 * x


def empty_dots(x): ...


def empty_pass(x):
    pass


def docstring_and_comment(x: float, y: float = 2.0, *rest, **more) -> float:
    """Return twice x."""
    # your code here
    ...


def returns_nothing(x):
    return


def returns_dots(x):
    return ...


class EmptyMethods(torch.nn.Module):
    def forward(self, x): ...


STUBS = [..., empty_dots, empty_pass, docstring_and_comment, returns_nothing, returns_dots, lambda x: ...]
STUBS += [(..., ...), {"a": ..., "b": ...}, EmptyMethods]


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_is_not_attempted_and_not_tested(stub, capsys):
    def test():
        raise AssertionError("an answer that is not there must not be tested")

    assert not attempted(stub)
    assert outcome(capsys, stub, test).startswith("not attempted yet. ")


def test_a_stub_may_raise(capsys):
    def stub():
        raise NotImplementedError

    assert outcome(capsys, stub, stub).startswith("not attempted yet. ")


def forgets_to_return(x):
    2 * x


def sets_a_variable(x):
    doubled = 2 * x  # noqa: F841


def returns_true(x):
    return True


TRIED = [double, forgets_to_return, sets_a_variable, returns_true, lambda x: 0, 0, "", [], torch.zeros(3), abs]


TRIED += [(..., 1), (), {}, {"a": 1, "b": ...}, torch.nn.Linear, type("Bare", (torch.nn.Module,), {})]


@pytest.mark.parametrize("answer", [*TRIED, torch.nn.Linear(2, 2)])
def test_whatever_says_something_is_attempted(answer, capsys):
    assert attempted(answer)
    assert outcome(capsys, answer) == "right. Well done."


def test_the_first_hint_that_applies_is_given(capsys):
    def test():
        need(double(1) == 2, "not this one")
        need(double(2) == 2, "You multiply once too often.")
        need(False, "nor this one")

    assert outcome(capsys, double, test) == "not yet. You multiply once too often."


HINTS = {
    "The exponent is doubled: i counts pairs.": "The exponent is doubled",
    "W_q: it came back, as it was.": "W_q: it came back",
    "Almost: give two decimals.": "Almost: give two decimals",
    "No stop": "No stop",
    "f(x) = x.flip(1) is aware of order, yet you say False.": "f(x) = x.flip(1) is aware of order",
}


@pytest.mark.parametrize("hint", HINTS)
def test_the_name_of_a_mistake_is_the_first_clause(hint):
    assert short(hint) == NotYet(hint).name == HINTS[hint]


def test_where_and_name_keep_inputs_out_of_the_name(capsys):
    def found(k):
        return run_check("double", 0, lambda: need(False, "The sign is lost.", f"For k = {k}: "), "")

    assert {found(k).mistake for k in (1, 2)} == {"The sign is lost"}
    assert found(3).message == "For k = 3: the sign is lost."
    assert run_check("double", 0, lambda: need(False, "7 is too much.", name="too much"), "").mistake == "too much"


def test_an_error_is_shown_with_the_line_of_the_answer_and_not_of_the_check(capsys):
    def broken(x):
        y = x + 1
        return y / 0  # the line

    said = outcome(capsys, broken, lambda: as_number(broken(torch.ones(1).item()), "double"))
    # Python 3.14 no longer says "float division"
    assert re.match(r"your code stopped with ZeroDivisionError: (float )?division by zero\. Look at line ", said)
    line = broken.__code__.co_firstlineno + 2
    assert said.endswith(f"line {line} of your cell: return y / 0  # the line")


def test_an_error_in_an_answer_without_lines_of_its_own(capsys):
    said = outcome(capsys, abs, lambda: abs("x"))
    assert said == "your code stopped with TypeError: bad operand type for abs(): 'str'."


class WithoutSuper(torch.nn.Module):
    def __init__(self):
        self.p = torch.nn.Parameter(torch.ones(2))


MEANINGS = [
    (lambda: torch.ones(2, 3) + torch.ones(4), "Two shapes do not fit"),
    (lambda: torch.ones(2, 3) @ torch.ones(2, 3), "Two shapes do not fit"),
    (lambda: np.ones((2, 3)) + np.ones(4), "Two shapes do not fit"),
    (lambda: torch.einsum("i,j->ii", torch.ones(2), torch.ones(2)), "In einsum a letter stands for one axis"),
    (lambda: [1, 2][2], "An index runs off the end"),
    (lambda: torch.ones(2)[torch.tensor([2])], "An index runs off the end"),
    (lambda: torch.ones(2, 2) @ torch.ones(2, 2).double(), "Two types meet"),
    (lambda: (lambda x: x)(), "the arguments of the stub"),
    (lambda: None + 1, "is a `return` missing?"),
    (WithoutSuper, "super().__init__()"),
]


@pytest.mark.parametrize(("broken", "meaning"), MEANINGS)
def test_what_an_error_means_is_said_in_plain_words(broken, meaning, capsys):
    found = run_check("double", broken, broken, "")
    assert found.kind == "error" and meaning in found.message and "\n" not in found.message


def test_long_errors_are_cut_to_one_line(capsys):
    def loud():
        raise ValueError("much\n" * 1000 + "x" * 10**6)

    found = run_check("double", loud, loud, "")
    assert found.message.startswith("ValueError: much. Look at line ") and len(str(found)) < 300


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_the_reader_can_still_stop_it(stop):
    def answer(x):
        raise stop

    with pytest.raises(stop):
        run_check("double", answer, lambda: answer(1), "Well done.")


def right(q_positions, k_positions, left, right):
    return (k_positions[None, :] - q_positions[:, None]).clamp(-left, right) + left


def mirrored(q_positions, k_positions, left, right):
    return (q_positions[:, None] - k_positions[None, :]).clamp(-left, right) + left


def crashing(q_positions, k_positions, left, right):
    return q_positions / "2"


KINDS = {
    right: ("right", ""),
    mirrored: ("wrong", "left and right swapped"),
    empty_dots: ("not attempted", "not attempted"),
    crashing: ("error", "TypeError"),
}


@pytest.mark.parametrize("answer", KINDS, ids=lambda answer: answer.__name__)
def test_a_program_reads_the_outcome_and_can_ask_for_the_right_one(answer, capsys):
    found = check_rows(answer)
    assert capsys.readouterr().out == f"{found}\n"
    assert isinstance(found, Outcome) and (found.title, found.kind, found.mistake) == ("rows", *KINDS[answer])
    assert found.message in str(found) and "Outcome(title='rows', kind=" in repr(found)
    assert DisplayFormatter().format(found) == ({}, {})  # a notebook holds the printed line alone
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.kind = "right"
    if answer is right:
        return found.require()
    with pytest.raises(NotRight) as caught:
        found.require()
    assert isinstance(caught.value, AssertionError) and str(caught.value) == str(found)
