"""A right answer is asked again: stored ones are noticed, however they are read out, and no solution is."""

import copy
import importlib
import itertools

import pytest
import torch

from posenc_helpers.classroom.exercises import questions
from tools.grading import again, child
from tools.grading.report import lessons
from tools.grading.submissions import job

LESSONS = lessons()
EXERCISES = {f"{lesson.name} {one.check}": (lesson, one) for lesson in LESSONS for one in lesson.exercises}
LONG = {f"check_{name}" for name in ("number", "learned_alibi", "sample", "choice", "still", "seen")}  # train, or load
SHORT = [name for name in EXERCISES if name.split()[1] not in LONG | child.TRAINS]


class Here:
    """A twin in this process: what an answer remembers in itself is new, as in the twin of a jail."""

    def __init__(self, check, make):
        self.answers = lambda shift, results: again.otherwise(check, make(), shift, results)


def solved(name):
    """Return the check of an exercise, and what makes the course's answer to it."""
    lesson, exercise = EXERCISES[name]
    notebook = copy.deepcopy(lesson.notebook)
    for cell in notebook.cells:
        if cell.id == exercise.id:
            cell.source = exercise.answered(exercise.solution)
    found = job(exercise, notebook, lesson)
    check = getattr(importlib.import_module(found["module"]), found["check"])
    return check, lambda: child.made(found["units"], found["argument"])


@pytest.mark.parametrize("name", SHORT)
def test_no_solution_differs_when_it_is_asked_again(name, capsys):
    check, make = solved(name)
    assert again.differs(check, make(), Here(check, make)) == "", capsys.readouterr().out
    assert questions.SHIFT == 0


def _by_count(stored):
    """Give the stored results one after the other, round and round."""
    turns = itertools.cycle(result for _, result in stored)
    return lambda *inputs: next(turns)


def _by_inputs(stored):
    """Give the result of the stored inputs that are nearest to these."""

    def answer(*inputs):
        def far(one):
            pairs = zip(inputs, one[0], strict=True)
            return sum(
                float((a - b).double().abs().mean()) if a.shape == b.shape else 9.0
                for a, b in pairs
                if hasattr(a, "abs")
            )

        return min(stored, key=far)[1]

    return answer


def _by_new_inputs(stored):
    """Give the next result wherever the inputs are not those of an earlier call."""
    turns, seen = itertools.cycle(result for _, result in stored), {}

    def answer(*inputs):
        key = tuple(float(part.sum()) if isinstance(part, torch.Tensor) else id(part) for part in inputs)
        if key not in seen:
            seen[key] = next(turns)
        return seen[key]

    return answer


YES_OR_NO, NUMBERS = "01_why_order_matters check_is_equivariant", ["06_rope check_rotate", "05_relative check_skew"]


@pytest.mark.parametrize(
    "name, how", [(YES_OR_NO, _by_count), *itertools.product(NUMBERS, [_by_count, _by_inputs, _by_new_inputs])]
)
def test_a_stored_answer_is_right_once(name, how):
    check, make = solved(name)
    answer, stored = make(), []

    def listen(*inputs):
        result = answer(*inputs)
        stored.append((again._copied(list(inputs)), again._copied(result)))
        return result

    assert check(listen).kind == "right"
    replay = how(stored)
    assert check(replay).kind == "right"
    assert again.differs(check, replay, Here(check, lambda: how(stored)))


@pytest.mark.parametrize(
    "one, other",
    [(1, 2), (0.5, True), ("a", "b"), (torch.zeros(2), torch.zeros(3)), ([1, 2], [1]), ({"a": 1}, {"a": 2})],
)
def test_results_are_alike_or_not(one, other):
    assert again._alike(again._copied(one), one) and not again._alike(one, other)
