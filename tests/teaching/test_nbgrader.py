"""The nbgrader edition in nbgrader: released, handed in and graded. Run by `python -m tests.teaching.environment`."""

import pytest

pytest.importorskip("nbgrader", reason="nbgrader is not here; `python -m tests.teaching.environment` sets it up")

from tests.teaching.classes import QUICK, path_of
from tests.teaching.gradebook import grade
from tools.editions.__main__ import make


def test_untouched_wrong_and_crashing_answers_get_nothing_and_right_ones_all(tmp_path):
    make("nbgrader", [path_of(QUICK)], tmp_path / "course")
    assert grade(tmp_path / "course", QUICK) == {
        "untouched": (0, 6),
        "wrong": (0, 6),
        "crashing": (0, 6),
        "right": (6, 6),
    }
