"""The syllabus and the project's brief: hours are those of the cards, shares and points add up."""

import re

import pytest
import torch

from posenc_helpers.checks import check_embedded
from posenc_helpers.lab.rules import examine
from tests.notebooks.reading import PATHS, exercises, read
from tools.course import ROOT
from tools.guide import card, title

SYLLABUS = (ROOT / "teaching" / "syllabus.md").read_text(encoding="utf-8")
PROJECT = (ROOT / "teaching" / "project.md").read_text(encoding="utf-8")
WEEKS = PATHS[:11]


def test_hours_are_those_of_the_cards_and_add_up():
    rows = {name: float(hours) for name, hours in re.findall(r"^\| ([\w ,]+) \| ([\d.]+) \| ", SYLLABUS, re.M)}
    total = rows.pop("all")
    assert total == pytest.approx(sum(rows.values()), abs=0.01)
    one_by_one = [[title(exercise) for exercise in exercises(read(path))] for path in WEEKS]
    reading, at_home = sum(card(path)[0] for path in WEEKS), sum(card(path)[2] for path in WEEKS)
    in_class = sum(each[0][2] for each in one_by_one)
    hard = sum(minutes for each in one_by_one for _, level, minutes in each if level == "hard")
    assert f"| {reading} minutes by the cards" in SYLLABUS and f"({hard} of the minutes)" in SYLLABUS
    assert f"{at_home} minutes by the cards, less {in_class} of" in SYLLABUS
    assert rows["Reading and running notebooks"] == round(reading / 60, 1)
    assert rows["Exercises at home"] == round((at_home - in_class) / 60, 1)
    assert rows["In class"] == rows["Homework sheets"] == 11 * 1.5


def test_shares_of_the_marks_add_up():
    assert sum(map(int, re.findall(r"^\| [\w ,]+ \| (\d+) % \|", SYLLABUS, re.M))) == 100


def test_the_rubric_of_the_project_adds_up():
    rows = re.findall(r"^\| [\w ,]+ \| (\d+) \| .*\((\d+)\) \| .*\((\d+)\) \| .*\((\d+)\) \|$", PROJECT, re.M)
    assert sum(int(points) for points, *_ in rows) == 100 and "| all | 100 |" in PROJECT
    assert all(int(points) == int(full) > int(half) > int(little) for points, full, half, little in rows)


@pytest.mark.parametrize("name", ["RootPrice", "FirstMarked", "below"])
def test_the_topics_of_the_project_keep_the_rules(name):
    known = {"torch": torch, "nn": torch.nn, "check_embedded": check_embedded}
    for block in re.findall(r"```python\n(.*?)```", PROJECT, re.S):
        exec(block, known)
    assert [rule.name for rule, broken in examine(known[name]) if broken] == []
    for instrument in re.findall(r"`(\w+)\(", PROJECT.split("## Rules of measuring")[0]):
        assert instrument in known
