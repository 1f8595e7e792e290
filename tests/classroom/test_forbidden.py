"""What an exercise forbids is refused while the answer runs, whatever it is called; everything else runs as before."""

import functools
import sys

import numpy as np
import pytest
import torch
from torch.nn.functional import interpolate
from torch.nn.functional import interpolate as earlier

from posenc_helpers.classroom.exercises.answers import watched
from posenc_helpers.classroom.exercises.checking import NotYet
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.encodings import RotaryEncoding, apply_rope, frequencies, sinusoidal

WHY = "This exercise asks for it without."
X = torch.zeros(1, 2, 4)
TWO = torch.arange(2)
BUILT = RotaryEncoding(4)


class Keeper:
    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return self.function(x, size=8)


def refused(answer, *functions, **settings):
    """Return the name that the refusal of `answer` says."""
    with pytest.raises(NotYet, match=f" {WHY}$") as said:
        forbidding(answer, WHY, *functions, **settings)(X)
    assert said.value.name == "calls what is forbidden"
    return str(said.value).removeprefix("Your code calls ").split(".")[0]


def swallowed(x):
    try:
        return interpolate(x, size=8)
    except Exception:
        return x


WAYS = {
    "plain": lambda x: interpolate(x, size=8),
    "renamed": lambda x: earlier(x, size=8),
    "partial": functools.partial(interpolate, size=8),
    "object": Keeper(interpolate),
    "module": torch.nn.Upsample(size=8),
    "swallowed": swallowed,
    "inside sorted": lambda x: sorted([x], key=lambda y: len(interpolate(y, size=8))),
}


@pytest.mark.parametrize("answer", WAYS.values(), ids=WAYS)
def test_a_function_is_refused_by_whatever_way_it_is_called(answer):
    assert refused(answer, interpolate) == "interpolate"
    assert sys.getprofile() is None


def test_functions_of_numpy_and_of_c_are_refused():
    assert refused(lambda x: np.interp([1.5], [1, 2], [3, 4]), np.interp) == "interp"
    assert refused(lambda x: torch.lerp(x, x, 0.5), torch.lerp) == "lerp"


def test_an_operation_is_refused_under_the_names_of_its_functions():
    assert (
        refused(lambda x: torch.ops.aten.upsample_nearest1d(x, [8]), operations=("upsample",)) == "upsample_nearest1d"
    )


OURS = [
    (functools.partial(apply_rope, positions=TWO), "apply_rope"),
    (lambda x: sinusoidal(TWO, 4), "sinusoidal"),
    (lambda x: RotaryEncoding(4), "RotaryEncoding"),
    (lambda x: BUILT.rotate(x, x, TWO, TWO), "RotaryEncoding"),
]


@pytest.mark.parametrize(("answer", "name"), OURS)
def test_the_package_is_refused_but_for_what_is_named(answer, name):
    assert refused(answer, package=True, but=("frequencies",)) == name


def test_what_is_not_forbidden_runs_as_before():
    def answer(x, dim):
        """What it does."""
        return x + frequencies(dim).sum()  # which calls other functions of the package

    run = forbidding(answer, WHY, interpolate, package=True, but=("frequencies",), operations=("upsample",))
    assert torch.equal(run(X, 4), answer(X, 4)) and run.__doc__ == answer.__doc__
    assert torch.equal(watched(run)(X, 4), answer(X, 4))  # the machinery around it is not the answer
    assert interpolate(X, size=8).shape == (1, 2, 8) and apply_rope(X, TWO).shape == X.shape  # outside the answer


def test_what_an_answer_raises_comes_through_and_a_profiler_of_the_reader_stays():
    seen = []
    sys.setprofile(lambda *event: seen.append(event[1]))
    try:
        with pytest.raises(ZeroDivisionError):
            forbidding(lambda x: 1 / 0, WHY, interpolate)(X)
        mine = sys.getprofile()
    finally:
        sys.setprofile(None)
    assert mine is not None and seen
