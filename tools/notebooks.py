"""`make notebooks`: run the notebooks from fresh kernels, top to bottom, and save them the way they are committed.

Outputs stay; widget views, widget state, timings and all metadata of the machine go; every cell keeps its id; cells that
hold a claim or a check are tagged so that the tests compare what they print; cells tagged hide-input or hide-cell and
sections headed "Going deeper: ..." are folded when the notebook opens. A notebook in which a cell fails is left as it was,
and no file is ever half written.
"""

import base64
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert.preprocessors import CoalesceStreamsPreprocessor

from posenc_helpers.lab.files import replace_file
from tools.course import README_PICTURE, ROOT, notebook_paths
from tools.grading.reading import ANSWER, ASIDE, FOLDED_ANSWER, SOLUTION, calls

CHECKED = "nbval-check-output"  # nbval compares the output of cells with this tag
# Code that is one click away: JupyterLab, Colab and the pages each have a mark of their own for it.
FOLDED = "hide-input"
SHUT = "hide-cell"  # what it shows is one click away, too: in "Spot the bug", what answers
TAGS = {CHECKED, FOLDED, SHUT, SOLUTION, ANSWER, FOLDED_ANSWER, ASIDE}  # all others go
PREDICT = "**Predict"  # a text with this asks; the line that `answer` prints further down says
DEEPER = "Going deeper: "  # what such a heading of level 2 or more holds is collapsed when the notebook opens
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def execute(path: Path) -> nbformat.NotebookNode:
    """Return the notebook at `path` with the outputs of a fresh run. Raises CellExecutionError where a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    return notebook


def clean(notebook: nbformat.NotebookNode) -> None:
    """Drop from `notebook`, in place, everything that belongs to one run on one machine, and set tags and metadata."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", [])) & TAGS
        if cell.cell_type == "code":
            if cell.id == "setup":
                tags.add(FOLDED)
            if any(re.search(r"(^|\s)(claim|answer|proof|check_\w+)\(", line) for line in cell.source.splitlines()):
                tags.add(CHECKED)
            for output in cell.outputs:
                output.get("data", {}).pop(WIDGET_VIEW, None)
                if output.output_type == "stream" and output.name == "stderr":
                    raise ValueError(f"cell {cell.id} wrote to stderr: {output.text.strip()[:200]}")
            cell.outputs = [out for out in cell.outputs if out.output_type == "stream" or out.get("data", True)]
        cell.metadata = nbformat.from_dict(({"tags": sorted(tags)} if tags else {}) | folds(cell, tags))
    deeper = [cell.id for cell in notebook.cells if is_deeper(cell)]
    if deeper:
        notebook.metadata["colab"] = nbformat.from_dict({"collapsed_sections": deeper})
    CoalesceStreamsPreprocessor().preprocess(notebook, {})  # a kernel sends what is printed in pieces that differ
    nbformat.validate(notebook)


def folds(cell: nbformat.NotebookNode, tags: set[str]) -> dict:
    """Return the metadata by which JupyterLab and Colab fold the code of `cell`, or all that stands under its heading.

    Raises ValueError for a folded cell whose first line is no title: JupyterLab and Colab show that line in its place.
    """
    if tags & {FOLDED, SHUT}:
        if not re.match(r"#@title \S", cell.source):
            raise ValueError(f"cell {cell.id} is folded, so its first line must be a title: #@title What it does")
        folded = {"cellView": "form", "jupyter": {"source_hidden": True}}
        if SHUT in tags:
            folded["jupyter"]["outputs_hidden"] = folded["collapsed"] = True  # "collapsed" as Colab has it
        return folded
    if is_deeper(cell):
        return {"id": cell.id, "jp-MarkdownHeadingCollapsed": True}  # Colab knows a cell by this id
    return {}


def is_deeper(cell: nbformat.NotebookNode) -> bool:
    """Return whether `cell` begins with a heading of what is for a second reading."""
    return cell.cell_type == "markdown" and bool(re.match(rf"##+ {DEEPER}", cell.source))


def printed(cell: nbformat.NotebookNode) -> list[str]:
    """Return the lines that `cell` printed, without their colours."""
    text = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    return [line for line in re.sub(r"\x1b\[\d*m", "", text).splitlines() if line.strip()]


def is_folded(cell: nbformat.NotebookNode) -> bool:
    """Return whether the code of `cell` is one click away."""
    return bool({FOLDED, SHUT} & set(cell.metadata.get("tags", [])))


def asks(cell: nbformat.NotebookNode) -> bool:
    """Return whether `cell` is the field in which a reader writes down a prediction."""
    return cell.cell_type == "code" and is_folded(cell) and "predict" in calls(cell.source)


def in_sight(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the cells that are open when the notebook opens: those outside of collapsed sections, whose heading counts."""
    shown, closed = [], 0  # level of the collapsed heading that we are under; 0: none
    for cell in notebook.cells:
        heading = re.match(r"(#+) ", cell.source) if cell.cell_type == "markdown" else None
        if heading and len(heading[1]) <= closed:
            closed = 0
        if not closed:
            shown.append(cell)
            closed = len(heading[1]) if is_deeper(cell) else 0
    return shown


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write `notebook` to `path` in one step: the file holds the old content or the new, never a part."""
    replace_file(path, nbformat.writes(notebook) + "\n")


def save_readme_picture(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Keep the README's picture the same as the one in the notebook, if `path` is the notebook that it comes from."""
    name, cell_id, target = README_PICTURE
    if path.name == name:
        (cell,) = (cell for cell in notebook.cells if cell.id == cell_id)
        pictures = [output.data["image/png"] for output in cell.outputs if "image/png" in output.get("data", {})]
        (ROOT / target).write_bytes(base64.b64decode(pictures[0]))


def main(prefixes: list[str]) -> None:
    chosen = [path for path in notebook_paths() if not prefixes or path.name.startswith(tuple(prefixes))]
    if not chosen:
        names = ", ".join(path.name for path in notebook_paths())
        sys.exit(f"no notebook starts with {' or '.join(prefixes)}; there are {names}")
    for path in chosen:
        started = time.monotonic()
        try:
            notebook = execute(path)
            clean(notebook)
        except (CellExecutionError, ValueError) as error:
            sys.exit(f"{path.name} is left as it was, since a cell failed:\n{error}")
        write(notebook, path)
        save_readme_picture(notebook, path)
        print(f"{path.name}: {time.monotonic() - started:.0f} s, {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
