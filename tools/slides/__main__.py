"""The saved notebooks as decks of slides in build/editions/slides, whose explorers move without a kernel.

python -m tools.slides [--only 01 03]
"""

import argparse
import importlib.util
import shutil
import sys
import time
from pathlib import Path

import nbformat

from tools.course import ROOT, notebook_paths
from tools.pages.frames import draw_all
from tools.pages.playable import collect_playable, playable_cells
from tools.pages.sources import HERE as PAGES
from tools.slides.choose import choose, read_choices
from tools.slides.notes import notes, read_plan
from tools.slides.render import CODE, render

BUILD = ROOT / "build"
HERE = Path(__file__).resolve().parent
REVEAL = ("dist/reveal.js", "dist/reveal.css", "plugin/notes/notes.js")
DECK = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="static/reveal.css">
<link rel="stylesheet" href="static/code.css">
<link rel="stylesheet" href="static/slides.css">
</head>
<body>
<div class="reveal"><div class="slides">
{slides}
</div></div>
<script src="static/explorer.js"></script>
<script src="static/playable.js"></script>
<script src="static/reveal.js"></script>
<script src="static/notes.js"></script>
<script src="static/deck.js"></script>
</body>
</html>
"""


def build(
    out: Path = BUILD / "editions" / "slides", work: Path = BUILD, only: list[str] | None = None, few: bool = False
) -> None:
    """Build the decks into `out`; the frames are kept in `work`. `only` and `few` are as in `tools.pages`.

    Raises ValueError where a choice names no cell, or a picture is not described; FileNotFoundError without reveal.js.
    """
    paths = [path for path in notebook_paths() if only is None or path.name.startswith(tuple(only))]
    frames = draw_all(paths, work / "frames", few)
    shutil.rmtree(out, ignore_errors=True)
    (out / "static").mkdir(parents=True)
    scripts = [PAGES / "static" / file for file in ("explorer.js", "playable.js")]
    for file in (*(reveal() / name for name in REVEAL), *(HERE / "static").iterdir(), *scripts):
        shutil.copy(file, out / "static")
    (out / "static" / "code.css").write_text(CODE.get_style_defs(".code"), encoding="utf-8")
    choices = read_choices()
    for path in paths:
        name = path.stem
        notebook = nbformat.read(path, as_version=4)
        plan = read_plan(name, notebook)
        moving = {cell: drawn for (where, cell), drawn in frames.items() if where == name}
        played = {cell_id: collect_playable(notebook, cell_id) for cell_id in playable_cells(notebook)}
        sections = [
            render(slide, out / name, name, moving | played, notes(slide, plan))
            for slide in choose(notebook, name, choices)
        ]
        for cell, drawn in moving.items():
            drawn.copy_to(out / name / cell)
        title = name.replace("_", " ")
        (out / f"{name}.html").write_text(DECK.format(title=title, slides="\n".join(sections)), encoding="utf-8")


def reveal() -> Path:
    """Return the folder of reveal.js, which sphinx-revealjs carries. Raises FileNotFoundError where it is not installed."""
    found = importlib.util.find_spec("sphinx_revealjs")
    if found is None:
        raise FileNotFoundError("the slides need reveal.js: pip install -r tools/pages/requirements.txt")
    return Path(found.origin).parent / "_static" / "revealjs"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NN", help="these notebooks only")
    started = time.monotonic()
    try:
        build(only=parser.parse_args().only)
    except (ValueError, FileNotFoundError) as error:
        sys.exit(str(error))
    print(
        f"build/editions/slides: {time.monotonic() - started:.0f} s. Open a deck in a browser; s opens the speaker view."
    )
