"""Handouts for paper: what students get holds no key, and each page prints."""

import re

import pytest

from tests.notebooks.reading import read
from tools.course import homework_paths
from tools.editions.leaks import answers, leaks, plain
from tools.handouts import __main__ as handouts
from tools.handouts import paper

SHEETS = homework_paths()
EXAM = """# Exam of a test

## 1. A question (5 points)

What is $2 + 2$?

<details><summary>Key</summary>

The secret of this question is four (5 points).
</details>

## 2. Another

| a | b |
|---|---|
| 1 | 2 |
"""


def test_handouts_hold_keys_only_where_their_folder_says_so(tmp_path, monkeypatch):
    exams = tmp_path / "exam"
    exams.mkdir()
    (exams / "one.md").write_text(EXAM, encoding="utf-8")
    (exams / "README.md").write_text("# About exams\n", encoding="utf-8")
    monkeypatch.setattr(handouts, "EXAMS", exams)
    pages = handouts.write(tmp_path / "out")
    assert len(pages) == 2 * (len(SHEETS) + 1)
    secrets = set().union(*(answers(read(path)) for path in SHEETS)) | {plain("The secret of this question is four")}
    for path in (path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        text, secret = path.read_text(encoding="utf-8"), path.parent.name == "key-SECRET"
        found = leaks(secrets, [text, re.sub(r"<[^>]+>", "", text)])
        assert bool(found) == secret, (path.name, found[:3])
        assert "<details" not in text
    exam = (tmp_path / "out" / "student" / "exam-one.html").read_text(encoding="utf-8")
    assert "<math" in exam and "<table>" in exam and "Name: ___" in exam


def test_a_fold_that_is_not_closed_is_no_handout():
    with pytest.raises(ValueError, match="not closed"):
        paper.page(EXAM.replace("</details>", ""), keys=False)


def test_a_page_is_printed_where_there_is_a_browser(tmp_path):
    if not handouts.browser():
        pytest.skip("no Chromium found")
    source = tmp_path / "exam.html"
    source.write_text(paper.page(EXAM, keys=True), encoding="utf-8")
    handouts.print_pdf(handouts.browser(), source)
    assert source.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
