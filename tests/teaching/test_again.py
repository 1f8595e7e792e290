"""A right answer is asked again: stored ones are noticed, however they are read out, and no solution is."""

import itertools

import pytest
import torch
from torch import Tensor

from posenc_helpers.classroom.exercises import questions
from posenc_helpers.encodings import RotaryEncoding
from tests.notebooks import solving
from tests.notebooks.leaks import cell
from tests.notebooks.solving import check_of
from tools.course import title
from tools.grading import again, child

EXERCISES = {f"{title(path)} {one.check}": (path, one) for path, one in (param.values for param in solving.EXERCISES)}
LONG = {f"check_{name}" for name in ("number", "learned_alibi", "sample", "choice", "still", "seen")}  # train, or load
SHORT = [name for name in EXERCISES if name.split()[1] not in LONG | child.TRAINS]


class Here:
    """A twin in this process: what an answer remembers in itself is new, as in the twin of a jail."""

    def __init__(self, check, make):
        self.answers = lambda shift, results: again.otherwise(check, make(), shift, results)


def solved(name):
    """Return the check of an exercise, and what makes the course's answer to it."""
    path, exercise = EXERCISES[name]
    return check_of(path, exercise), lambda: cell(exercise, exercise.answered(exercise.solution))


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


FUNCTIONS = [name for name, (_, one) in EXERCISES.items() if one.function]
BY_RESULTS = {  # whose inputs tell nothing, so that the right results should be other ones
    "homework/02_naive_encodings check_homework": "its input is a function, and it chooses what that is asked",
    "homework/06_rope check_homework": "its inputs are a function, and a width that is 12 or 16, as the sheet says",
}
AT_ONCE = {  # what takes the place of training, and of a model
    "check_sample": {
        "solver": lambda task, encoding, *given, **how: encoding,
        "accuracy": lambda encoding, *given: float(isinstance(encoding, RotaryEncoding)),
    },
    "check_seen": {"loss_of_seen": lambda seen: 0.0},
    "check_learned_alibi": {"train": lambda *given, **how: None},
}


def sizes(value):
    """Return what of an input is no random number: shapes, whole numbers, names, numbers of seeds."""
    if isinstance(value, Tensor):
        return tuple(value.shape)
    if isinstance(value, dict):
        return [(sizes(key), sizes(part)) for key, part in value.items()]
    if isinstance(value, tuple | list):
        return [*map(sizes, value)]
    return value if isinstance(value, int | str) else None


def asked(name, shift, monkeypatch):
    """Return the sizes of all inputs that the check of an exercise gives to the course's answer, as text, or its results."""
    check, make = solved(name)
    right, found = make(), []
    for replaced, by in AT_ONCE.get(name.split()[1], {}).items():
        monkeypatch.setattr(f"{check.__module__}.{replaced}", by)

    def listen(*inputs):
        result = right(*inputs)
        found.append(result if name in BY_RESULTS else sizes(inputs))
        return result

    class Listening(right if isinstance(right, type) else object):
        def bias(self, *inputs):
            found.append((sizes(inputs), inputs[-1].tolist()))
            return super().bias(*inputs)

    monkeypatch.setattr(questions, "SHIFT", shift)
    outcome = check(Listening if isinstance(right, type) else listen)
    assert outcome.kind == "right" or outcome.mistake == "slopes cannot turn round"  # which are not trained here
    return repr(found)


@pytest.mark.parametrize("name", [*FUNCTIONS, "07_alibi check_learned_alibi"])
def test_a_check_asks_for_other_sizes_under_each_shift_and_a_reader_for_the_same(name, monkeypatch):
    assert asked(name, 0, monkeypatch) == asked(name, 0, monkeypatch)
    assert len({asked(name, shift, monkeypatch) for shift in (0, 2, 77, 1234)}) > 2


@pytest.mark.parametrize(
    "one, other",
    [(1, 2), (0.5, True), ("a", "b"), (torch.zeros(2), torch.zeros(3)), ([1, 2], [1]), ({"a": 1}, {"a": 2})],
)
def test_results_are_alike_or_not(one, other):
    assert again._alike(again._copied(one), one) and not again._alike(one, other)
