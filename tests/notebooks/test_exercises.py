"""Exercises: the folded solution passes its own check, the untouched stub is "not attempted", typical wrong answers are
refused with a hint that helps, and right answers that look unlike the solution pass."""

import importlib
import re
from functools import cache

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
            found += [pytest.param(check, *rest, id=f"{name[:2]}-{exercise}-{what}") for what, *rest in given]
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
def test_a_rarer_wrong_answer_is_refused_too(check, answer, hint, capsys):
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
