"""The pictures of slides, drawn anew by the cells of the notebook for the room that a slide has: words of 24 pixels."""

import base64
import contextlib
import io
import json
import shutil
from copy import deepcopy
from pathlib import Path
from unittest import mock

from matplotlib.figure import Figure
from nbformat import NotebookNode

from posenc_helpers.classroom import figures
from tools.grading.reading import code_cells
from tools.pages.frames import key_of
from tools.pages.room import SCALE, Room, smallest

SHARP = 1.5  # pixels of the file, one of the slide


def redrawn(notebook: NotebookNode, rooms: dict[str, Room], folder: Path) -> NotebookNode:
    """Return a copy of `notebook` in which the first picture of each cell in `rooms` is drawn for its room.

    The cells up to the last of these are run, trainings included; what is drawn is kept in `folder` for the next time.
    """
    if not rooms:
        return notebook
    cells = code_cells(notebook)
    last = max((k for k, cell in enumerate(cells) if cell.id in rooms), default=-1)
    cells = cells[: last + 1]
    key = key_of([Path(__file__).read_text(encoding="utf-8"), repr(rooms), *(cell.source for cell in cells)])
    record = folder / "pictures.json"
    if not record.is_file() or json.loads(record.read_text(encoding="utf-8"))["key"] != key:
        facts = draw(cells, rooms, folder)
        record.write_text(json.dumps({"key": key, "facts": facts}), encoding="utf-8")
    facts = json.loads(record.read_text(encoding="utf-8"))["facts"]
    made = deepcopy(notebook)
    for cell in (cell for cell in made.cells if cell.id in rooms):
        output = next(output for output in cell.outputs if "image/png" in output.get("data", {}))
        output.data["image/png"] = base64.b64encode((folder / f"{cell.id}.png").read_bytes()).decode()
        output.metadata["image/png"].update(facts[cell.id])
    return made


def draw(cells: list[NotebookNode], rooms: dict[str, Room], folder: Path) -> dict[str, dict]:
    """Run `cells`, store the first picture of each one in `rooms`, and return {cell: width, height, letters}."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    facts, space, here = {}, {"__name__": "__main__"}, ""
    png = figures.png

    def capture(fig: Figure) -> bytes:
        if here in rooms and here not in facts:
            rooms[here].fit(fig)
            (folder / f"{here}.png").write_bytes(png(fig, SCALE * SHARP))
            width, height = (round(side * fig.dpi) for side in fig.get_size_inches())
            facts[here] = {"width": width, "height": height, "letters": round(smallest(fig), 2)}
        return b""

    with mock.patch.object(figures, "png", capture), contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            here = cell.id
            exec(compile(cell.source, cell.id, "exec"), space)
    return facts
