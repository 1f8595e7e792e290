"""The exam: both versions have one form, points and minutes add up, and keys are what the README's lines compute."""

import re
from itertools import pairwise
from statistics import mean

import pytest

from posenc_helpers.lab import load_results, values_of
from tools.course import ROOT

FOLDER = ROOT / "teaching" / "exam"
VERSIONS = {letter: (FOLDER / f"exam_{letter.lower()}.md").read_text(encoding="utf-8") for letter in "AB"}
README = (FOLDER / "README.md").read_text(encoding="utf-8")
HEADING = re.compile(r"^## (\d+)\. .*\((\d+) points, (\d+) minutes\)$", re.M)
FOLD = "<details><summary>Key</summary>\n\n"
POINTS = {int(number): int(points) for number, points, _ in HEADING.findall(VERSIONS["A"])}


def questions(text):
    """Return {number: (question, key)}."""
    starts = [*HEADING.finditer(text), None]
    parts = {int(a[1]): text[a.end() : b.start() if b else None] for a, b in pairwise(starts)}
    return {number: tuple(part.split(FOLD)) for number, part in parts.items()}


def numbers(text):
    return [float(found) for found in re.findall(r"(?<![\w.,])-?\d+(?:\.\d+)?", text.replace("8,192", "8192"))]


def test_both_versions_have_one_form():
    forms = [HEADING.findall(text) for text in VERSIONS.values()]
    assert (
        forms[0]
        == forms[1]
        == re.findall(r"^\| (\d+) \|.*\| (\d+) \| (\d+) \| (?:recall|apply|analyse) \|$", README, re.M)
    )
    nine = [(int(points), int(minutes)) for number, points, minutes in forms[0] if number != "10"]
    assert sum(points for points, _ in nine) == 60 and 80 <= sum(minutes for _, minutes in nine) <= 88
    sheets = [text[text.index("## Sheet") : text.index("## 1.")] for text in VERSIONS.values()]
    assert sheets[0] == sheets[1]


@pytest.mark.parametrize("number", POINTS)
@pytest.mark.parametrize("letter", VERSIONS)
def test_each_question_has_one_key_and_its_parts_have_its_points(letter, number):
    question, key = questions(VERSIONS[letter])[number]
    assert key.rstrip().endswith("</details>") and key.count("</details>") == 1
    parts = [int(points) for points in re.findall(r"\((\d)\)$", question, re.M)]
    assert sum(parts) == POINTS[number] or "2 each" in question


@pytest.mark.parametrize("number", POINTS)
def test_twins_ask_for_the_same_parts(number):
    form = [
        re.findall(r"^- [a-z]\).*?(\(\d\))?$|^```|^\|", questions(text)[number][0], re.M) for text in VERSIONS.values()
    ]
    assert form[0] == form[1]


@pytest.mark.parametrize("letter", VERSIONS)
def test_keys_are_what_the_readme_computes(letter):
    found = {}
    exec(re.search(r"```python\n(from math.*?)```", README, re.S)[1], found)
    code, key = found["keys"](**found[letter])
    asked = questions(VERSIONS[letter])
    for number, wanted, text in [(2, code, asked[2][0]), *((n, values, asked[n][1]) for n, values in key.items())]:
        said = numbers(text)
        missing = [value for value in wanted if min(abs(value - other) for other in said) > 0.0051]
        assert missing == [], f"question {number}"


def table(letter, number):
    rows = re.findall(r"^\| (.+) \|$", questions(VERSIONS[letter])[number][0], re.M)[1:]
    return {name: [*map(float, values)] for name, *values in (row.split(" | ") for row in rows)}


@pytest.mark.parametrize(("letter", "name", "clip"), [("A", "t5", 128), ("B", "deberta", 512)])
def test_the_losses_of_question_6_are_stored(letter, name, clip):
    stored = load_results("clipped")
    for said, what in zip(table(letter, 6).values(), ("language", "filled"), strict=True):
        given = {"encoding": name, "clip": clip, "steps": 300, "what": what}
        runs = [values_of(stored, "value", times=times, **given) for times in (1, 4, 8, 16)]
        assert said == [round(mean(run), 2) for run in runs]
        within = float(re.search(r"every seed within ([\d.]+)", VERSIONS[letter])[1])
        assert max(abs(value - mean(run)) for run in runs for value in run) < within


@pytest.mark.parametrize(("letter", "times"), [("A", 1), ("B", 4)])
def test_the_losses_of_question_7_are_stored(letter, times):
    stored = load_results("lengths")
    for name, (*runs, average) in table(letter, 7).items():
        kept = values_of(
            stored, "value", encoding=name if name == "relative bias" else name.lower(), what="language", times=times
        )
        assert runs == [round(value, 3) for value in kept] and average == round(mean(kept), 3)


@pytest.mark.parametrize(("letter", "turn"), [("A", 16), ("B", 24)])
def test_the_losses_of_question_10_are_stored(letter, turn):
    pairs, far = load_results("released_pairs"), load_results("released_long")
    for said, turns, change in zip(
        table(letter, 10).values(), (32, turn), ("as released", f"fastest {turn} turn"), strict=True
    ):
        runs = [values_of(pairs, "loss", end="fastest", turn=turns)]
        runs += [values_of(far, "loss", change=change, **{"from": begin}) for begin in (0, 6144)]
        assert said == [round(mean(run), 2) for run in runs]
