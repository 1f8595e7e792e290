"""Which cells become slides, and what their speaker notes hold."""

import csv

import nbformat
import pytest

from tests.notebooks.reading import NAMES, PATHS, read
from tests.teaching.test_slides import plain, slides_of
from tools.slides import notes as speaker
from tools.slides.choose import CHOICES, choose


def test_choices_are_in_order_none_stands_twice_and_one_that_names_no_cell_is_refused():
    with open(CHOICES, encoding="utf-8", newline="") as file:
        rows = [(row["notebook"], row["cell"]) for row in csv.DictReader(file)]
    order = [(path.stem, cell.id) for path in PATHS for cell in read(path).cells]
    assert rows == sorted(set(rows), key=order.index)
    with pytest.raises(ValueError, match="no-such-cell"):
        choose(read(PATHS[0]), NAMES[0], {(NAMES[0], "no-such-cell"): ""})


def test_notes_hold_the_guide_s_minutes_and_the_whole_text(tmp_path, monkeypatch):
    plan = "## 50 minutes\n\n| Minutes | Cells | What you do | Skip |\n|---|---|---|---|\n"
    plan += "| 0-7 | `puzzle` to `by-hand` | Count hands | `depth` |\n"
    (tmp_path / f"{NAMES[0]}.md").write_text(plan, encoding="utf-8")
    monkeypatch.setattr(speaker, "GUIDE", tmp_path)
    found = speaker.read_plan(NAMES[0], read(PATHS[0]))
    assert found["puzzle-claims"] == ["50 minutes, 0-7: Count hands"] and "depth" not in found and "title" not in found
    slide = next(slide for slide in slides_of(PATHS[0]) if slide.lead.id == "puzzle")
    said = plain(speaker.notes(slide, found))
    assert said.startswith("50 minutes, 0-7: Count hands") and "lets every word look at every word" in said
    assert speaker.read_plan(NAMES[1], nbformat.v4.new_notebook()) == {}
