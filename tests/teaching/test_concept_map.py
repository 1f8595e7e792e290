"""The concept map of the course: its ideas are taught where it says, in an order that can be followed."""

from tests.notebooks.reading import PATHS, read
from tools.concept_map import Concept, direct_needs, read_concepts


def test_every_idea_names_a_cell_of_its_notebook_and_every_notebook_teaches():
    cells = {path.stem[:2]: [cell.id for cell in read(path).cells] for path in PATHS}
    concepts = read_concepts()
    assert [row for row in concepts if row.cell not in cells[row.notebook]] == []
    assert {row.notebook for row in concepts} == cells.keys()
    assert [row.idea for row in concepts if not row.needs] == ["attention is equivariant"]


def test_ideas_stand_once_in_the_order_of_the_notebooks_and_need_earlier_ones_alone():
    concepts, taught = read_concepts(), set()
    assert [row.notebook for row in concepts] == sorted(row.notebook for row in concepts)
    for row in concepts:
        assert row.idea not in taught and taught.issuperset(row.needs), row
        taught.add(row.idea)


def test_a_need_that_another_brings_along_is_not_drawn_again():
    a, b, c = Concept("a", "01", "x", ()), Concept("b", "01", "x", ("a",)), Concept("c", "01", "x", ("a", "b"))
    assert direct_needs([a, b, c]) == {"a": [], "b": ["a"], "c": ["b"]}


def test_what_courses_say_of_weeks_that_can_be_left_out():
    concepts = read_concepts()
    week = {row.idea: row.notebook for row in concepts}
    left_out = {"04", "10"}
    needed = {need for row in concepts if row.notebook not in left_out for need in row.needs if week[need] in left_out}
    assert needed == {"rows never reached", "counted position ids"}
