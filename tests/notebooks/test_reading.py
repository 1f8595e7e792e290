"""What counts as an exercise: a cell that calls a check of a lesson's exercises, and nothing else."""

from nbformat import v4

from tests.notebooks.reading import exercises


def notebook(*cells: str) -> v4.new_notebook:
    return v4.new_notebook(cells=[v4.new_code_cell(source) for source in cells] + [v4.new_markdown_cell("below")])


def test_other_functions_called_check_make_no_exercise():
    """check_encoding reports on an encoding; a reader's own function may have any name."""
    cells = [
        "from posenc_helpers.classroom.rules import check_encoding\nfrom posenc_helpers.checks import check_count",
        "check_encoding(Mine)\ncheck_count('width', 3)",
        "def check_mine(x):\n    return x\n\ncheck_mine(3)",
    ]
    assert exercises(notebook(*cells)) == []
    asked = "from posenc_helpers.lessons.rope.exercises import check_rotate as check_it\nanswer = ...\ncheck_it(answer)"
    assert [e.check for e in exercises(notebook(*cells, asked + "\ncheck_encoding(answer)"))] == ["check_it"]
