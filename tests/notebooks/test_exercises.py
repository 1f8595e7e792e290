"""Exercises: the folded solution passes its own check in any form that holds its numbers, and in no other; the untouched
stub is "not attempted"; every hint is given to whom it helps; right answers that look unlike the solution pass."""

import importlib
import re
from functools import cache

import numpy as np
import pytest
import torch

from tests.notebooks.leaks import cell, leaks
from tests.notebooks.reading import NAMES, PATHS, exercises, read

EXERCISES = [
    pytest.param(name, exercise, id=f"{name[:2]}-{exercise.check}")
    for name, path in zip(NAMES, PATHS, strict=True)
    for exercise in exercises(read(path))
]


TRAINING = ("check_beats_rope", "check_sample", "check_choice")  # checks that train for seconds


def answers(kind):
    """Return one test parameter per answer in the modules of wrong_answers, and the check that it goes to."""
    found = []
    for name in NAMES:
        topic = name[3:]
        module = importlib.import_module(f"tests.notebooks.wrong_answers.{topic}")
        checks = importlib.import_module(f"posenc_helpers.lessons.{topic}.exercises")
        for exercise, given in getattr(module, kind).items():
            check = getattr(checks, f"check_{exercise}")
            marks = [pytest.mark.nightly] if check.__name__ in TRAINING and kind == "RIGHT" else []
            found += [
                pytest.param(check, *rest, id=f"{name[:2]}-{exercise}-{what}", marks=marks) for what, *rest in given
            ]
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


@pytest.mark.parametrize("name, exercise", EXERCISES)
def test_solution_passes_its_check(name, exercise, default_dtype, capsys):
    if default_dtype == "float64" and exercise.check in TRAINING:
        pytest.skip("it trains, and has done so in float32")
    printed = outcome(exercise.answered(exercise.solution), exercise, capsys)
    assert re.fullmatch(r"[^:\n]+: right\. .+\n", printed), printed


@pytest.mark.parametrize("name, exercise", EXERCISES)
def test_untouched_stub_is_not_attempted(name, exercise, capsys):
    printed = outcome(exercise.stub, exercise, capsys)
    assert re.fullmatch(r"[^:\n]+: not attempted yet\. .+\n", printed), printed


@pytest.mark.parametrize("name, exercise", EXERCISES)
def test_saved_output_is_not_attempted(name, exercise):
    (cell,) = [cell for cell in read(PATHS[NAMES.index(name)]).cells if cell.id == exercise.id]
    assert [output.text.split(".")[0].split(": ")[1] for output in cell.outputs] == ["not attempted yet"]


@pytest.mark.parametrize("name, exercise", [param for param in EXERCISES if param.values[1].function])
def test_error_in_an_answer_is_shown_in_plain_words(name, exercise, capsys):
    answer = f"def {exercise.function}(*given):\n    return len(given) / 0"
    printed = outcome(exercise.answered(answer), exercise, capsys)
    assert ": your code stopped with ZeroDivisionError: division by zero. Look at line " in printed, printed


@cache
def solved(check_name):
    """Return the exercise of a check, and what the folded solution gives to that check."""
    (exercise,) = (param.values[1] for param in EXERCISES if param.values[1].check == check_name)
    return exercise, cell(exercise, exercise.answered(exercise.solution))


def formed(answer, form):
    """Return `answer` with `form` made of each tensor, number and list of numbers in it, or in what it returns."""
    if callable(answer):
        return lambda *given: formed(answer(*given), form)
    if isinstance(answer, dict):
        return {name: formed(part, form) for name, part in answer.items()}
    if isinstance(answer, tuple):
        return tuple(formed(part, form) for part in answer)
    return answer if isinstance(answer, str) else form(torch.as_tensor(np.asarray(answer)))


FORMS = {  # of a right answer: NumPy and Python's own numbers hold the same
    "NumPy": lambda t: t.numpy(),
    "another type": lambda t: t.double() if t.is_floating_point() else t.int(),
    "lists": lambda t: t.tolist(),
    "a list of rows": lambda t: list(t) if t.ndim else t.tolist(),
}
FRACTIONS = {*"bias convert four_numbers hexagonal interpolate rotate shift_matrix skew stretch".split()}  # noqa: SIM905
INDICES = {"number", "rows"}
LONELY = {"bucket_starts", "new_base", "seen", "shift_matrix", "verdict"}  # no tensor is among what they are given
SPOILED = {  # what no check takes for its numbers: how it is made, part of the hint, whom it concerns
    "text": (str, "should (be a tensor|return a number|return True or False)", None),
    "twice": (lambda t: torch.stack([t, t]), "should (have shape|return one number|return True or False)", None),
    "complex": (lambda t: t + 0j, "real numbers?|True or False|does not support complex", None),
    "NaN": (lambda t: t * torch.nan, "NaN or infinity|returned nan|True or False", None),
    "whole numbers": (lambda t: t.long(), "fractions are cut off", FRACTIONS),
    "half precision": (lambda t: t.half(), "three digits", FRACTIONS),
    "floats for an index": (lambda t: t.float(), "no index but int64 and int32", INDICES),
}
QUICK = [param.values[1] for param in EXERCISES if param.values[1].check not in (*TRAINING, "check_learned_alibi")]
OF_NUMBERS = [e for e in QUICK if e.check not in ("check_jobs", "check_layouts", "check_snippets", "check_verdict")]


def check_of(exercise):
    (name,) = (param.values[0] for param in EXERCISES if param.values[1] is exercise)
    return getattr(importlib.import_module(f"posenc_helpers.lessons.{name[3:]}.exercises"), exercise.check)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("exercise", OF_NUMBERS, ids=lambda exercise: exercise.check)
def test_a_right_answer_may_come_in_any_form_that_holds_its_numbers(exercise, form):
    if exercise.check == "check_seen" and form != "lists":
        pytest.skip("a model reads two texts for each answer")
    outcome = check_of(exercise)(formed(solved(exercise.check)[1], FORMS[form]))
    assert outcome.kind == "right", outcome


@pytest.mark.parametrize("form", SPOILED)
@pytest.mark.parametrize("exercise", OF_NUMBERS, ids=lambda exercise: exercise.check)
def test_what_does_not_hold_the_numbers_is_refused(exercise, form):
    make, hint, whom = SPOILED[form]
    if whom is None or exercise.check.removeprefix("check_") in whom:
        outcome = check_of(exercise)(formed(solved(exercise.check)[1], make))
        assert outcome.kind in ("wrong", "error") and re.search(hint, outcome.message), outcome


@pytest.mark.parametrize("exercise", [e for e in QUICK if e.function], ids=lambda exercise: exercise.check)
def test_a_function_that_returns_nothing_or_changes_its_input_is_refused(exercise):
    right, changed = solved(exercise.check)[1], []

    def changes_its_input(*given):
        result = right(*given)
        part = next(part for part in given if isinstance(part, torch.Tensor))
        changed.append((part, part.clone()))
        part.copy_(~part if part.dtype is torch.bool else part + 1)
        return result

    outcome = check_of(exercise)(lambda *given: print("my answer"))
    assert (outcome.kind, outcome.mistake) == ("wrong", "return missing")
    if exercise.check.removeprefix("check_") not in LONELY:
        outcome = check_of(exercise)(changes_its_input)
        assert (outcome.kind, outcome.mistake) == ("wrong", "input changed in place")
    for part, before in changed:
        part.copy_(before)  # checks keep some of what they give


def likely():
    """Return one test parameter per row of the lessons' tables of likely mistakes, and the check that it belongs to."""
    found = []
    for name in NAMES:
        checks = importlib.import_module(f"posenc_helpers.lessons.{name[3:]}.exercises")
        tables = importlib.import_module(f"posenc_helpers.lessons.{name[3:]}.mistakes").MISTAKES
        for exercise, rows in tables.items():
            check = getattr(checks, f"check_{exercise}")
            found += [pytest.param(check, what, row, id=f"{name[:2]}-{exercise}-{what}") for what, row in rows.items()]
    return found


@pytest.mark.parametrize("check, name, mistake", likely())
def test_who_makes_a_likely_mistake_reads_its_hint_and_no_other(check, name, mistake):
    assert mistake.wrong and 0 < len(name) < 60
    for wrong in mistake.wrong:
        outcome = check(wrong)
        assert (outcome.kind, outcome.mistake) == ("wrong", name), outcome
        assert outcome.message.endswith(mistake.hint[1:])
        assert leaks(outcome.message, *solved(check.__name__)) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_has_three_likely_mistakes_or_more(name):
    tables = importlib.import_module(f"posenc_helpers.lessons.{name[3:]}.mistakes").MISTAKES
    assert set(tables) == {
        exercise.check.removeprefix("check_") for exercise in exercises(read(PATHS[NAMES.index(name)]))
    }
    for exercise, rows in tables.items():
        assert len(rows) >= 3, exercise


@pytest.mark.parametrize("check, answer, hint", answers("WRONG"))
def test_a_rarer_wrong_answer_reads_its_hint(check, answer, hint, capsys):
    outcome = check(answer)
    printed = capsys.readouterr().out.splitlines()[-1]
    assert outcome.kind == "wrong" and printed == str(outcome)
    assert ": not yet. " in printed, printed
    assert hint in printed
    assert 0 < len(outcome.mistake) < 100
    assert leaks(outcome.message, *solved(check.__name__)) == []


@pytest.mark.parametrize("check, answer", answers("RIGHT"))
def test_right_answer_written_differently_passes(check, answer, capsys):
    outcome = check(answer)
    printed = capsys.readouterr().out
    assert ": right. " in printed, printed
    assert outcome.kind == "right" and outcome.mistake == ""
