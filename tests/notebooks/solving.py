"""The exercises of notebooks and of homework sheets: their checks, what solves them, and their likely mistakes."""

import importlib
from functools import cache

import numpy as np
import pytest
import torch

from posenc_helpers.classroom.exercises.mistakes import Mistake
from tests.notebooks.leaks import cell
from tests.notebooks.reading import PATHS, Exercise, exercises, read
from tools.course import homework_paths

SHEETS = homework_paths()
EXERCISES = [
    pytest.param(path, exercise, id=f"{path.name[:2]}-{exercise.check}")
    for path in (*PATHS, *SHEETS)
    for exercise in exercises(read(path))
]
TRAINING = ("check_beats_rope", "check_sample", "check_choice")  # checks that train for seconds


def lesson(path, name: str):
    """Return the module `name` of the lesson of a notebook, or of a sheet."""
    return importlib.import_module(f"posenc_helpers.lessons.{path.stem[3:]}.{name}")


def check_of(path, exercise: Exercise):
    return getattr(lesson(path, "homework" if path in SHEETS else "exercises"), exercise.check)


@cache
def solved(path, exercise_id: str):
    """Return the exercise with this id, and what its folded solution gives to its check."""
    (exercise,) = (one for one in exercises(read(path)) if one.id == exercise_id)
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


def likely_mistakes(path, exercise: Exercise) -> dict[str, Mistake]:
    """Return the rows of an exercise by their names."""
    if path in SHEETS:
        return lesson(path, "homework").MISTAKES
    return lesson(path, "mistakes").MISTAKES[exercise.check.removeprefix("check_")]
