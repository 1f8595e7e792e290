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
from joblib import Parallel, delayed
from nbformat import NotebookNode

from tools.course import ROOT, notebook_paths
from tools.editions.stamps import replace
from tools.pages.frames import draw_all
from tools.pages.playable import collect_playable, playable_cells
from tools.pages.room import Room
from tools.pages.sources import HERE as PAGES
from tools.slides.choose import choose, read_choices
from tools.slides.notes import notes, read_plan
from tools.slides.pictures import redrawn
from tools.slides.render import CODE, pictured, render, room

BUILD = ROOT / "build"
HERE = Path(__file__).resolve().parent
AS_SAVED = {  # too full for larger words: teaching/slides.md names them
    ("04_learned", "watch-show"),
    ("08_length_extrapolation", "at-what-show"),
    ("09_long_context", "bars-show"),
}
QUICK = ("05",)  # runs in seconds: where `few` will do, the others keep the pictures of the notebook
EXPLORER = Room(1232, 358)  # under the controls and above the sentence, where these are longest: see static/slides.css
REVEAL = ("dist/reveal.js", "dist/reveal.css", "plugin/notes/notes.js")
DECK = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="static/favicon.svg">
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
    """Build the decks into `out`; the frames are kept in `work`. `only` names notebooks, and leaves their other decks.

    `few` draws few frames, as in `tools.pages`, and runs the notebooks of QUICK only.
    Raises ValueError where a choice names no cell, or a picture is not described; FileNotFoundError without reveal.js.
    """
    paths = [path for path in notebook_paths() if only is None or path.name.startswith(tuple(only))]
    choices = read_choices()
    notebooks = redraw(paths, choices, work / "slides" / "pictures", QUICK if few else ("",))
    frames = draw_all(paths, work / "slides" / "frames", few, EXPLORER)
    part = out.with_name(f".{out.name}")
    shutil.rmtree(part, ignore_errors=True)
    (part / "static").mkdir(parents=True)
    for other in (path for path in notebook_paths() if path not in paths and (out / f"{path.stem}.html").is_file()):
        shutil.copy(out / f"{other.stem}.html", part)
        shutil.copytree(out / other.stem, part / other.stem)
    shared = [PAGES / "static" / file for file in ("explorer.js", "playable.js", "favicon.svg")]
    for file in (*(reveal() / name for name in REVEAL), *(HERE / "static").iterdir(), *shared):
        shutil.copy(file, part / "static")
    (part / "static" / "code.css").write_text(CODE.get_style_defs(".code"), encoding="utf-8")
    for path in paths:
        name, notebook = path.stem, notebooks[path]
        plan = read_plan(name, notebook)
        moving = {cell: drawn for (where, cell), drawn in frames.items() if where == name}
        played = {cell_id: collect_playable(notebook, cell_id) for cell_id in playable_cells(notebook)}
        sections = [
            render(slide, part / name, name, moving | played, notes(slide, plan))
            for slide in choose(notebook, name, choices)
        ]
        for cell, drawn in moving.items():
            drawn.copy_to(part / name / cell)
        title = name.replace("_", " ")
        (part / f"{name}.html").write_text(DECK.format(title=title, slides="\n".join(sections)), encoding="utf-8")
    replace(out, part, "slides", paths)


def redraw(paths: list[Path], choices: dict, work: Path, drawn: tuple[str, ...]) -> dict[Path, NotebookNode]:
    """Return the notebooks at `paths`; in those whose name begins as `drawn` says, pictures are drawn for the slides."""

    def rooms(notebook: NotebookNode, name: str) -> dict[str, Room]:
        slides = choose(notebook, name, choices) if name.startswith(drawn) else []
        shown = {cell.id: room(slide) for slide in slides if (cell := pictured(slide))}
        return {cell: space for cell, space in shown.items() if (name, cell) not in AS_SAVED}

    saved = [nbformat.read(path, as_version=4) for path in paths]
    jobs = [
        delayed(redrawn)(notebook, rooms(notebook, path.stem), work / path.stem)
        for path, notebook in zip(paths, saved, strict=True)
    ]
    return dict(zip(paths, Parallel(n_jobs=-1)(jobs), strict=True))


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
