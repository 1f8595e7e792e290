"""What programs read of a check: its outcome, the short name of a mistake, a strict way, and nothing more in a notebook."""

import dataclasses

import nbformat
import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotRight, NotYet, Outcome, need, run_check, short
from posenc_helpers.lessons.relative.exercises import check_rows


def right(q_positions, k_positions, left, right):
    return (k_positions[None, :] - q_positions[:, None]).clamp(-left, right) + left


def mirrored(q_positions, k_positions, left, right):
    return (q_positions[:, None] - k_positions[None, :]).clamp(-left, right) + left


def untouched(q_positions, k_positions, left, right):
    ...


def crashing(q_positions, k_positions, left, right):
    return q_positions / "2"


KINDS = {right: "right", mirrored: "wrong", untouched: "not attempted", crashing: "error"}


@pytest.mark.parametrize("answer", KINDS, ids=lambda answer: answer.__name__)
def test_a_program_reads_the_outcome(answer, capsys):
    outcome = check_rows(answer)
    assert capsys.readouterr().out == f"{outcome}\n"
    assert isinstance(outcome, Outcome) and outcome.title == "rows" and outcome.kind == KINDS[answer]
    assert outcome.message in str(outcome) and "Outcome(title='rows', kind=" in repr(outcome)
    assert outcome.mistake == {"right": "", "wrong": "Left and right are swapped", "not attempted": "not attempted",
                               "error": "TypeError"}[outcome.kind]  # fmt: skip
    assert {outcome: 1}[Outcome(**dataclasses.asdict(outcome))] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.kind = "right"


@pytest.mark.parametrize("answer", KINDS, ids=lambda answer: answer.__name__)
def test_strictly_all_but_right_answers_raise(answer):
    outcome = check_rows(answer)
    if answer is right:
        assert outcome.require() is None
    else:
        with pytest.raises(NotRight) as caught:
            outcome.require()
        assert isinstance(caught.value, AssertionError) and str(caught.value) == str(outcome)


# ------------------------------------------------------------------------------------------------- in a notebook


def test_a_shell_shows_the_line_and_no_outcome(capsys):
    shell = InteractiveShell.instance()
    try:
        result = shell.run_cell(f"from {__name__} import *\ncheck_rows(mirrored)")
        shown = capsys.readouterr().out
        assert result.success and result.result.kind == "wrong"
        assert "rows: not yet. " in shown and "Outcome" not in shown and shown.count("rows: ") == 1
        assert shell.display_formatter.format(result.result) == ({}, {})
    finally:
        InteractiveShell.clear_instance()


def test_a_notebook_holds_the_printed_line_alone():
    setup = f"from {__name__} import *"
    cells = [setup, "check_rows(mirrored)", "check_rows(right).require()", "check_rows(untouched).require()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
    kinds = [[(output.output_type, output.get("name") or output.get("ename")) for output in cell.outputs]
             for cell in notebook.cells]  # fmt: skip
    line = ("stream", "stdout")
    assert kinds == [[], [line], [line], [line, ("error", "NotRight")]]  # nbgrader: no points where there is an error


# ------------------------------------------------------------------------------------------------- names of mistakes


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        ("The exponent is doubled: i counts pairs.", "The exponent is doubled"),
        ("W_q: it came back, as it was.", "W_q: it came back"),
        ("Almost: give two decimals.", "Almost: give two decimals"),
        ("No stop", "No stop"),
        ("f(x) = x.flip(1) is aware of order, yet you say False.", "f(x) = x.flip(1) is aware of order"),
    ],
)
def test_the_name_is_the_first_clause(hint, name):
    assert short(hint) == NotYet(hint).name == name


def test_where_and_name_keep_inputs_out_of_the_name(capsys):
    def outcome(k):
        return run_check("double", 0, lambda: need(False, "The sign is lost.", f"For k = {k}: "), "")

    assert {outcome(k).mistake for k in (1, 2)} == {"The sign is lost"}
    assert outcome(3).message == "For k = 3: the sign is lost."
    assert run_check("double", 0, lambda: need(False, "7 is too much.", name="too much"), "").mistake == "too much"


# ------------------------------------------------------------------------------------------------- mistakes of code


@pytest.mark.parametrize(
    ("came", "name"),
    [
        ((3, 2), "It looks transposed"),
        ((1, 2, 3), "An axis of length 1 is too many"),
        ((2, 3, 1), "An axis of length 1 is too many"),
        ((3,), "An axis is missing"),
        ((2,), "An axis is missing"),
        ((2, 4), "One axis is off by one"),
        ((1, 3), "One axis is off by one"),
        ((5, 7), "wrong shape"),
        ((), "wrong shape"),
    ],
)
def test_shapes_tell_what_went_wrong(came, name):
    with pytest.raises(NotYet) as caught:
        as_tensor(torch.zeros(came), "answer", (2, 3))
    assert caught.value.name.lower() == name.lower()
    assert str(caught.value).startswith(f"answer should have shape (2, 3), but it has {came}.")


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8, torch.bool, torch.float16, torch.bfloat16])
def test_types_that_cut_off_fractions_are_named(dtype):
    with pytest.raises(NotYet, match=r"fractions are cut off|keeps three digits"):
        as_tensor(torch.ones(2, dtype=dtype), "answer", (2,), whole=False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.uint8, torch.int8, torch.int16, torch.bool])
def test_types_that_are_no_index_are_named(dtype):
    with pytest.raises(NotYet, match="takes no index but int64 and int32"):
        as_tensor(torch.ones(2, dtype=dtype), "answer", (2,), whole=True)


def test_right_types_pass():
    for value in ([1, 2], np.array([1, 2]), torch.tensor([1, 2], dtype=torch.int32)):
        assert as_tensor(value, "answer", (2,), whole=True).tolist() == [1, 2]
    for value in ([1.5, 2.0], np.float32([1.5, 2]), torch.tensor([1.5, 2.0], dtype=torch.float64)):
        assert as_tensor(value, "answer", (2,), whole=False).tolist() == [1.5, 2]
    with pytest.raises(NotYet, match="device meta"):
        as_tensor(torch.zeros(2, device="meta"), "answer", (2,))


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
    same = watched(lambda k: torch.ones(2)[:] * 0 + kept * 0)
    assert torch.equal(same(1), same(2))


def test_a_changed_default_type_is_named_and_undone():
    before = torch.get_default_dtype()
    with pytest.raises(NotYet, match="default type"):
        watched(lambda: torch.set_default_dtype(torch.float16))()
    assert torch.get_default_dtype() is before


@pytest.mark.parametrize(
    ("broken", "meaning"),
    [
        (lambda: torch.ones(2, 3) + torch.ones(4), "Two shapes do not fit"),
        (lambda: torch.ones(2, 3) @ torch.ones(2, 3), "Two shapes do not fit"),
        (lambda: np.ones((2, 3)) + np.ones(4), "Two shapes do not fit"),
        (lambda: torch.einsum("i,j->ii", torch.ones(2), torch.ones(2)), "In einsum a letter stands for one axis"),
        (lambda: [1, 2][2], "An index runs off the end"),
        (lambda: torch.ones(2)[torch.tensor([2])], "An index runs off the end"),
        (lambda: torch.ones(2, 2) @ torch.ones(2, 2).double(), "Two types meet"),
        (lambda: (lambda x: x)(), "the arguments of the stub"),
        (lambda: None + 1, "is a `return` missing?"),
        (lambda: type("Made", (torch.nn.Module,), {"__init__": lambda self: setattr(
            self, "slopes", torch.nn.Parameter(torch.ones(2)))})(), "super().__init__()"),
    ],
)  # fmt: skip
def test_what_an_error_means_is_said_in_plain_words(broken, meaning, capsys):
    outcome = run_check("double", broken, broken, "")
    assert outcome.kind == "error" and meaning in outcome.message and "\n" not in outcome.message


def test_long_errors_are_cut_to_one_line(capsys):
    def loud():
        raise ValueError("much\n" * 1000 + "x" * 10**6)

    outcome = run_check("double", loud, loud, "")
    assert outcome.message.startswith("ValueError: much. Look at line ") and len(str(outcome)) < 300
