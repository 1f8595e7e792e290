"""`make notebooks`: notebooks are run from fresh kernels and saved clean."""

import re
from copy import deepcopy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import tools.notebooks
from tests.copying import contents
from tools.course import ROOT
from tools.notebooks import CHECKED, FOLDED, METADATA, SHUT, SOLUTION, WIDGET_VIEW, clean, write


@pytest.fixture
def untidy():
    """A notebook as Jupyter saves it after a run."""
    view = {WIDGET_VIEW: {"model_id": "0a1b", "version_major": 2, "version_minor": 0}}
    picture = {"image/png": "aGVsbG8=", "text/plain": "Two bars."}
    alt = {"image/png": {"alt": "Two bars."}}
    shown = [new_output("display_data", view | picture, metadata=alt), new_output("display_data", view | {})]
    printed = [new_output("stream", name="stdout", text=text) for text in ("one\n", "two\n")]
    timed = {"execution": {"iopub.execute_input": "2001-01-01T00:00:00Z"}, "scrolled": True}
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# Title", id="title", metadata={"editable": True}),
            new_code_cell("explore(build)", id="explorer", execution_count=1, outputs=shown, metadata=timed),
            new_code_cell("claim('x', 1, below=2)", id="claims", execution_count=2, outputs=printed),
            new_code_cell("for n in (1, 2):\n    claim('x', n, below=3)", id="loop", metadata={"tags": ["mine"]}),
            new_code_cell("check_it(it)", id="exercise"),
            new_markdown_cell("hint", id="exercise-solution", metadata={"tags": [SOLUTION, "hide-output"]}),
        ],
        metadata={"kernelspec": {"name": "my-env", "display_name": "mine"}, "widgets": {"state": {}}, "toc": {"x": 1}},
    )
    nbformat.validate(notebook)
    return notebook


def test_clean_drops_what_belongs_to_one_machine_and_keeps_ids_sources_and_outputs(untidy):
    before = deepcopy(untidy)
    clean(untidy)
    assert untidy.metadata == METADATA
    assert "widget" not in nbformat.writes(untidy) and "2001" not in nbformat.writes(untidy)
    assert [cell.metadata for cell in untidy.cells[:2]] == [{}, {}]
    assert [(cell.id, cell.source) for cell in untidy.cells] == [(cell.id, cell.source) for cell in before.cells]
    (picture,) = untidy.cells[1].outputs  # the second output was a widget view and nothing else
    assert picture.data == {"image/png": "aGVsbG8=", "text/plain": "Two bars."}
    assert picture.metadata == {"image/png": {"alt": "Two bars."}}
    assert untidy.cells[2].execution_count == 2
    assert [output.text for output in untidy.cells[2].outputs] == ["one\ntwo\n"]  # a kernel sends it in pieces
    tags = {cell.id: cell.metadata.tags for cell in untidy.cells if "tags" in cell.metadata}
    checked = {name: [CHECKED] for name in ("claims", "loop", "exercise")}
    assert tags == checked | {"exercise-solution": [SOLUTION]}
    once = deepcopy(untidy)
    clean(untidy)
    assert untidy == once


def test_clean_folds_code_under_its_title_and_sections_under_their_headings():
    notebook = new_notebook(
        cells=[
            new_code_cell("#@title Setup\nimport sys", id="setup"),
            new_code_cell("#@title Draw it\ndraw()", id="drawing", metadata={"tags": [FOLDED]}),
            new_code_cell("#@title Test it\ntest()", id="answering", metadata={"tags": [SHUT]}),
            new_code_cell(
                "#@title no fold\nclaim('x', True)", id="open", metadata={"jupyter": {"source_hidden": True}}
            ),
            new_markdown_cell("## Going deeper: why\n\ntext", id="why"),
            new_markdown_cell("### Going deeper: how", id="how"),
            new_markdown_cell("Going deeper: no heading\n\n## Going deeper: not first", id="text"),
        ]
    )
    clean(notebook)
    folded, deeper = {"cellView": "form", "jupyter": {"source_hidden": True}}, {"jp-MarkdownHeadingCollapsed": True}
    shut = {**folded, "jupyter": {"source_hidden": True, "outputs_hidden": True}, "collapsed": True}
    code = [*[{"tags": [FOLDED], **folded}] * 2, {"tags": [SHUT], **shut}, {"tags": [CHECKED]}]
    assert [cell.metadata for cell in notebook.cells] == [*code, {"id": "why", **deeper}, {"id": "how", **deeper}, {}]
    assert notebook.metadata == METADATA | {"colab": {"collapsed_sections": ["why", "how"]}}
    once = deepcopy(notebook)
    clean(notebook)
    assert notebook == once


@pytest.mark.parametrize("call", ["claim('x', 1, below=2)", "answer('x', True)", "with proof('x'):", "check_it(it)"])
def test_what_is_claimed_is_compared(call):
    source = call + ("\n    claim('x', True)" if call.endswith(":") else "")
    notebook = new_notebook(cells=[new_code_cell(source, id="one"), new_code_cell("proclaim(1)", id="two")])
    clean(notebook)
    assert [cell.metadata.get("tags", []) for cell in notebook.cells] == [[CHECKED], []]


def test_clean_refuses_stderr_and_a_fold_without_a_title(untidy):
    untidy.cells[1].outputs.append(new_output("stream", name="stderr", text="UserWarning: old\n"))
    with pytest.raises(ValueError, match="explorer wrote to stderr: UserWarning: old"):
        clean(untidy)
    folded = new_code_cell("draw()", id="drawing", metadata={"tags": [FOLDED]})
    with pytest.raises(ValueError, match="drawing is folded, so its first line must be a title: #@title What it does"):
        clean(new_notebook(cells=[folded]))


# notebooks.write and `make notebooks`


def test_write_is_readable_again_and_ends_in_a_newline(tmp_path, untidy):
    path = tmp_path / "one.ipynb"
    write(untidy, path)
    assert nbformat.read(path, as_version=4) == untidy
    assert path.read_bytes().endswith(b"}\n") and b"\r" not in path.read_bytes()
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with three notebooks, which stand for the course's."""
    sources = {"01_good": ["1 + 1", "print('two')"], "02_error": ["1 / 0"]}
    sources["03_stderr"] = ["import sys", "print('old', file=sys.stderr)"]
    for name, cells in sources.items():
        cells = [new_code_cell(source, id=f"cell-{k}", metadata={"tags": ["a"]}) for k, source in enumerate(cells)]
        nbformat.write(new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    monkeypatch.setattr(tools.notebooks, "notebook_paths", lambda: sorted(tmp_path.glob("*.ipynb")))
    return tmp_path


def test_make_notebooks_runs_and_saves(folder, monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "tools")  # whatever the folder, a notebook starts in its own
    others = {path.name: path.read_bytes() for path in folder.iterdir() if path.name[:2] != "01"}
    tools.notebooks.main(["01"])
    assert re.fullmatch(r"01_good\.ipynb: \d+ s, \d+ KB\n", capsys.readouterr().out)
    first, second = nbformat.read(folder / "01_good.ipynb", as_version=4).cells
    assert (first.id, first.execution_count, first.outputs[0].data["text/plain"]) == ("cell-0", 1, "2")
    assert (second.id, second.execution_count, second.outputs[0].text) == ("cell-1", 2, "two\n")
    saved = (folder / "01_good.ipynb").read_bytes()
    tools.notebooks.main(["01"])
    assert (folder / "01_good.ipynb").read_bytes() == saved, "a second run gives the same file"
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name[:2] != "01"} == others


@pytest.mark.parametrize("number, trouble", [("02", "ZeroDivisionError"), ("03", "cell cell-1 wrote to stderr: old")])
def test_a_failing_notebook_is_left_as_it_was(folder, number, trouble):
    before = contents(folder)
    with pytest.raises(SystemExit) as stop:
        tools.notebooks.main([number])
    assert re.match(rf"{number}_\w+\.ipynb is left as it was, since .*{trouble}", str(stop.value), re.S)
    assert contents(folder) == before


def test_an_unknown_notebook_is_named(folder):
    with pytest.raises(SystemExit, match=r"no notebook starts with 12; there are 01_good\.ipynb, 02_error"):
        tools.notebooks.main(["12"])
