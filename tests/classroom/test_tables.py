"""Tables read well as Markdown and as plain text."""

import pytest

from posenc_helpers.classroom.tables import show_columns, show_scorecard, show_table
from posenc_helpers.lab.scorecard import COLUMNS


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").replace("\\|", "\0").split("|")]


def test_a_table_is_markdown_and_aligned_plain_text(outputs):
    show_table(["name", "value"], [["sinusoidal", "1"], ["|x|", "22"]])
    (output,) = outputs
    assert output["data"].keys() == {"text/markdown", "text/plain"}
    markdown = output["data"]["text/markdown"].split("\n")
    assert markdown == ["| name | value |", "| --- | --- |", "| sinusoidal | 1 |", "| \\|x\\| | 22 |"]
    plain = [line.rstrip() for line in output["data"]["text/plain"].split("\n")]
    assert plain == ["name        value", "sinusoidal  1", "|x|         22"]


def test_the_columns_of_the_scorecard_are_shown_in_order(outputs):
    show_columns()
    header, _, *rows = outputs[0]["data"]["text/markdown"].split("\n")
    assert cells(header) == ["column", "question", "number", "ideal"]
    assert [cells(row)[0] for row in rows] == list(COLUMNS)


def test_a_scorecard_has_two_decimals_whole_counts_and_dashes(outputs):
    row = dict.fromkeys(COLUMNS, None) | {"order": 0.5, "shift": 1.23456, "parameters": 2048}
    apart = {"order": 1.0, "order lowest": 0.9, "order highest": 1.0}
    close = {"order": 1.0, "order lowest": 0.98, "order highest": 1.0}
    show_scorecard({"learned": row, "nope": row | apart, "rope": row | close})
    header, _, first, second, third = (cells(line) for line in outputs[0]["data"]["text/markdown"].split("\n"))
    assert header == ["encoding", *COLUMNS]
    shown = dict(zip(header, first, strict=True))
    filled = {"order": "0.50", "shift": "1.23", "parameters": "2048"}
    assert shown == {"encoding": "learned"} | dict.fromkeys(COLUMNS, "-") | filled
    assert second[0] == "nope" and second[header.index("order")] == "1.00 (0.90 to 1.00)"
    assert third[header.index("order")] == "1.00"


def test_a_row_that_does_not_fit_the_header(outputs):
    for row in (["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match=f"has {len(row)} entries, the header has 2"):
            show_table(["name", "value"], [["x", "y"], row])
    assert outputs == []
