"""The tables of `python -m tests.mutations` fit the code: each mistake can be made, in one place, and is still Python.

Whether a claim notices it is what `python -m tests.mutations` shows; that takes minutes.
"""

import ast

import pytest

from tests.mutations import mistakes, spoiled
from tests.notebooks.reading import NAMES, PATHS
from tools.course import ROOT


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_every_mistake_can_be_made(path):
    table = mistakes(path)
    assert len(table) >= 10
    assert len({what for what, *_ in table}) == len(table), "two mistakes have the same description"
    for mistake in table:
        assert mistake[2] != mistake[3], mistake[0]
        ast.parse(spoiled(ROOT, mistake))


def test_a_mistake_that_fits_nowhere_is_refused():
    with pytest.raises(ValueError, match=r"no such thing: 'not there' stands 0 times in tools/course\.py"):
        spoiled(ROOT, ("no such thing", "tools/course.py", "not there", ""))
