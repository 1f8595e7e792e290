"""Exercises: the folded solution passes its own check in any form that holds its numbers, and in no other; the untouched
stub is "not attempted"; every hint is given to whom it helps; right answers that look unlike the solution pass."""

import importlib
import re

import pytest
import torch

from tests.notebooks.leaks import leaks
from tests.notebooks.reading import NAMES, PATHS, read
from tests.notebooks.solving import EXERCISES, SHEETS, TRAINING, check_of, formed, lesson, likely_mistakes, solved

OF_ALL = pytest.mark.parametrize("path, exercise", EXERCISES)


def answers(kind):
    """Return one test parameter per answer in the modules of wrong_answers: path, exercise, answer, and the hint."""
    found = []
    for param in EXERCISES:
        path, exercise = param.values
        if path not in SHEETS:
            module = importlib.import_module(f"tests.notebooks.wrong_answers.{path.stem[3:]}")
            marks = [pytest.mark.nightly] if exercise.check in TRAINING and kind == "RIGHT" else []
            rows = getattr(module, kind)[exercise.check.removeprefix("check_")]
            found += [pytest.param(path, exercise, *row, id=f"{param.id}-{what}", marks=marks) for what, *row in rows]
    return found


@pytest.fixture(params=["float32", "float64"])
def default_dtype(request):
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, request.param))
    yield request.param
    torch.set_default_dtype(before)


def outcome(source, exercise, capsys):
    """Run `source` with what the notebook's earlier cells import and define; return what the check prints."""
    capsys.readouterr()
    space = {"__name__": "__main__"}
    exec(exercise.at_hand, space)
    exec(compile(source, "cell", "exec"), space)
    return capsys.readouterr().out


@OF_ALL
def test_solution_passes_its_check(path, exercise, default_dtype, capsys):
    if default_dtype == "float64" and exercise.check in TRAINING:
        pytest.skip("it trains, and has done so in float32")
    printed = outcome(exercise.answered(exercise.solution), exercise, capsys)
    assert re.fullmatch(r"[^:\n]+: right\. .+\n", printed), printed


@OF_ALL
def test_untouched_stub_is_not_attempted(path, exercise, capsys):
    printed = outcome(exercise.stub, exercise, capsys)
    assert re.fullmatch(r"[^:\n]+: not attempted yet\. .+\n", printed), printed


@OF_ALL
def test_saved_output_is_not_attempted_and_a_sheet_has_none(path, exercise):
    (cell,) = [cell for cell in read(path).cells if cell.id == exercise.id]
    said = [output.text.split(".")[0].split(": ")[1] for output in cell.outputs]
    assert said == ([] if path in SHEETS else ["not attempted yet"])


@pytest.mark.parametrize("path, exercise", [param for param in EXERCISES if param.values[1].function])
def test_error_in_an_answer_is_shown_in_plain_words(path, exercise, capsys):
    answer = f"def {exercise.function}(*given):\n    return len(given) / 0"
    printed = outcome(exercise.answered(answer), exercise, capsys)
    assert ": your code stopped with ZeroDivisionError: division by zero. Look at line " in printed, printed


FORMS = {  # of a right answer: NumPy and Python's own numbers hold the same
    "NumPy": lambda t: t.numpy(),
    "another type": lambda t: t.double() if t.is_floating_point() else t.int(),
    "lists": lambda t: t.tolist(),
    "a list of rows": lambda t: list(t) if t.ndim else t.tolist(),
}
FRACTIONS = {*"bias convert four_numbers hexagonal interpolate rotate shift_matrix skew stretch".split()}  # noqa: SIM905
INDICES = {"number", "rows"}
LONELY = {"bucket_starts", "new_base", "seen", "shift_matrix", "verdict"}  # no tensor is among what they are given
LONELY |= {f"homework of {number}" for number in ("02", "06", "10", "11")}
SPOILED = {  # what no check takes for its numbers: how it is made, part of the hint, whom it concerns
    "text": (str, "should (be a tensor|return a number|return True or False)", None),
    "twice": (lambda t: torch.stack([t, t]), "should (have shape|return one number|return True or False)", None),
    "complex": (lambda t: t + 0j, "real numbers?|True or False|does not support complex", None),
    "NaN": (lambda t: t * torch.nan, "NaN or infinity|returned nan|True or False", None),
    "whole numbers": (lambda t: t.long(), "fractions are cut off", FRACTIONS),
    "half precision": (lambda t: t.half(), "three digits", FRACTIONS),
    "floats for an index": (lambda t: t.float(), "no index but int64 and int32", INDICES),
}


def named(path, exercise):
    return f"homework of {path.name[:2]}" if path in SHEETS else exercise.check.removeprefix("check_")


QUICK = [param for param in EXERCISES if param.values[1].check not in (*TRAINING, "check_learned_alibi")]
WORDS = {"jobs", "layouts", "snippets", "verdict", "homework of 02"}
OF_NUMBERS = pytest.mark.parametrize("path, exercise", [param for param in QUICK if named(*param.values) not in WORDS])


@pytest.mark.parametrize("form", FORMS)
@OF_NUMBERS
def test_a_right_answer_may_come_in_any_form_that_holds_its_numbers(path, exercise, form):
    if exercise.check == "check_seen" and form != "lists":
        pytest.skip("a model reads two texts for each answer")
    outcome = check_of(path, exercise)(formed(solved(path, exercise.id)[1], FORMS[form]))
    assert outcome.kind == "right", outcome


@pytest.mark.parametrize("form", SPOILED)
@OF_NUMBERS
def test_what_does_not_hold_the_numbers_is_refused(path, exercise, form):
    make, hint, whom = SPOILED[form]
    if whom is None or named(path, exercise) in whom:
        outcome = check_of(path, exercise)(formed(solved(path, exercise.id)[1], make))
        assert outcome.kind in ("wrong", "error") and re.search(hint, outcome.message), outcome


@pytest.mark.parametrize("path, exercise", [param for param in QUICK if param.values[1].function])
def test_a_function_that_returns_nothing_or_changes_its_input_is_refused(path, exercise):
    right, changed = solved(path, exercise.id)[1], []

    def changes_its_input(*given):
        result = right(*given)
        part = next((part for part in given if isinstance(part, torch.Tensor)), None)
        assert part is not None, f"{named(path, exercise)} is given no tensor: add it to LONELY"
        changed.append((part, part.clone()))
        part.copy_(~part if part.dtype is torch.bool else part + 1)
        return result

    outcome = check_of(path, exercise)(lambda *given: print("my answer"))
    assert outcome.kind == "wrong" and (path in SHEETS or outcome.mistake == "return missing")
    if named(path, exercise) not in LONELY:
        outcome = check_of(path, exercise)(changes_its_input)
        assert (outcome.kind, outcome.mistake) == ("wrong", "input changed in place")
    for part, before in changed:
        part.copy_(before)  # checks keep some of what they give


LIKELY = [
    pytest.param(*param.values, name, row, id=f"{param.id}-{name}")
    for param in EXERCISES
    for name, row in likely_mistakes(*param.values).items()
]


@pytest.mark.parametrize("path, exercise, name, mistake", LIKELY)
def test_who_makes_a_likely_mistake_reads_its_hint_and_no_other(path, exercise, name, mistake):
    assert mistake.wrong and 0 < len(name) < 60
    for wrong in mistake.wrong:
        outcome = check_of(path, exercise)(wrong)
        assert (outcome.kind, outcome.mistake) == ("wrong", name), outcome
        assert outcome.message.endswith(mistake.hint[1:])
        assert leaks(outcome.message, *solved(path, exercise.id)) == []


@OF_ALL
def test_every_exercise_has_three_likely_mistakes_or_more_and_a_sheet_six(path, exercise):
    assert len(likely_mistakes(path, exercise)) >= (6 if path in SHEETS else 3)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_every_table_of_likely_mistakes_has_its_exercise(path):
    checks = {param.values[1].check for param in EXERCISES if param.values[0] == path}
    assert checks == {f"check_{name}" for name in lesson(path, "mistakes").MISTAKES}


@pytest.mark.parametrize("path, exercise, answer, hint", answers("WRONG"))
def test_a_rarer_wrong_answer_reads_its_hint(path, exercise, answer, hint, capsys):
    outcome = check_of(path, exercise)(answer)
    printed = capsys.readouterr().out.splitlines()[-1]
    assert outcome.kind == "wrong" and printed == str(outcome)
    assert ": not yet. " in printed and hint in printed
    assert 0 < len(outcome.mistake) < 100
    assert leaks(outcome.message, *solved(path, exercise.id)) == []


@pytest.mark.parametrize("path, exercise, answer", answers("RIGHT"))
def test_right_answer_written_differently_passes(path, exercise, answer, capsys):
    outcome = check_of(path, exercise)(answer)
    assert ": right. " in capsys.readouterr().out
    assert outcome.kind == "right" and outcome.mistake == ""
