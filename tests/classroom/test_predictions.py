"""`predict` and `answer` together: an entry is repeated above its own answer, and nothing is said without one."""

import re

import pytest

from posenc_helpers.classroom import predictions
from posenc_helpers.classroom.claims import answer
from posenc_helpers.classroom.predictions import predict


@pytest.fixture
def ask(outputs, monkeypatch):
    """A function that runs `predict` in a cell, as the first in its kernel, and returns its field."""
    monkeypatch.setattr(predictions, "_fields", {})
    monkeypatch.setattr(predictions, "_answered", {})
    monkeypatch.setattr(predictions, "_asked", None)

    def run(cell, kind="number"):
        monkeypatch.setattr(predictions, "_cell", lambda: cell)
        predict(kind)
        return predictions._asked[1]

    return run


def said(capsys, statement):
    answer(statement, 3, equals=3)
    return re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out).splitlines()


def test_an_entry_stands_above_the_line_and_no_entry_leaves_the_line_alone(ask, capsys):
    field = ask("a")
    assert said(capsys, "hands") == ["=>  hands: 3 (exactly 3)"]
    field.value = " 3, \t perhaps "
    assert said(capsys, "hands") == ["    you: 3, perhaps", "=>  hands: 3 (exactly 3)"]  # the cell runs again
    assert said(capsys, "never asked") == ["=>  never asked: 3 (exactly 3)"]


def test_choices_begin_with_none_chosen(ask, capsys):
    field = ask("a", ["yes", "no"])
    assert field.value is None and len(said(capsys, "hands")) == 1
    field.value = "no"
    assert said(capsys, "hands")[0] == "    you: no"


@pytest.mark.parametrize("known", [True, False], ids=["cells are known", "cells are not known"])
def test_each_answer_keeps_its_own_entry(ask, capsys, known):
    """In whatever order cells run again; where the front end does not name cells, a question asked again is empty."""
    first = ask("a" if known else None)
    first.value = "1"
    said(capsys, "first")
    ask("b" if known else None).value = "2"
    if known:  # the first answer runs again, before the second has run at all
        assert said(capsys, "first")[0] == "    you: 1"
    assert said(capsys, "second")[0] == "    you: 2"
    again = ask("a" if known else None)
    assert again.value == ("1" if known else "")
    again.value = "5"
    assert said(capsys, "first")[0] == "    you: 5" and said(capsys, "second")[0] == "    you: 2"


def test_without_a_kernel_a_line_is_left(ask, outputs):
    ask("a"), ask("b", ["yes", "no"])
    assert [output["data"]["text/plain"] for output in outputs] == [
        "Your prediction: ______",
        "Your prediction: ( ) yes ( ) no",
    ]


@pytest.mark.parametrize("kind", ["numbers", [], ["yes"], ["yes", "yes"], ["", "no"], [1, 2], None])
def test_other_kinds_are_refused(ask, kind):
    with pytest.raises(ValueError, match="kind="):
        ask("a", kind)
