"""The frames of the explorers: every state of every explorer, drawn beforehand by the code that draws it live.

A notebook is not executed for this: of each, only the cells of its explorers, and the statements that make the names they use.
"""

import ast
import builtins
import contextlib
import hashlib
import io
import itertools
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import matplotlib
import nbformat
from joblib import Parallel, delayed
from PIL import Image

from posenc_helpers.classroom import explorers
from posenc_helpers.classroom.controls import control, on_page
from posenc_helpers.classroom.figures import style
from tools.course import ROOT

MOST_STATES = 256  # of one explorer
MOST_BYTES = 8_000_000  # of all frames of one explorer
COLOURS = 128  # of a frame: half the bytes of one in all colours, and letters stay sharp


@dataclass
class Explorer:
    """What one call of `explore` was given: `controls` is {name: {words: value}}, `start` {name: value}."""

    build: object
    describe: object
    caption: str
    play: str | None
    controls: dict[str, dict]
    start: dict
    kinds: dict[str, str] = field(default_factory=dict)  # "range", "radio" or "checkbox"

    def states(self) -> list[dict]:
        """Return the values of every state, the last control fastest."""
        names = list(self.controls)
        return [
            dict(zip(names, values, strict=True))
            for values in itertools.product(*(choices.values() for choices in self.controls.values()))
        ]


@dataclass(frozen=True)
class Drawn:
    """An explorer on a page: which file and sentence each state has, what its controls are."""

    folder: Path  # of files 0.webp, 1.webp ...
    files: list[int | None]  # by state; None where the state is refused
    sentences: list[str]
    controls: list[dict]  # name, kind, words (one a choice), start (index)
    play: str | None
    caption: str
    size: tuple[int, int]  # pixels, width and height

    @property
    def start(self) -> int:
        """The number of the state that the explorer opens in."""
        number = 0
        for entry in self.controls:
            number = number * len(entry["words"]) + entry["start"]
        return number


def explorer_cells(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the ids of the cells that call `explore`."""
    return [c.id for c in notebook.cells if c.cell_type == "code" and "explore" in _names(c.source)[0]]


def needed(notebook: nbformat.NotebookNode, cell_id: str) -> list[str]:
    """Return the statements that cell `cell_id` needs, its own last: those that make a name that it uses, and so on."""
    before: list[str] = []
    for cell in notebook.cells:
        if cell.id == cell_id:
            break
        if cell.cell_type == "code":
            before += [ast.unparse(statement) for statement in ast.parse(cell.source).body]
    kept, wanted = [cell.source], _names(cell.source)[0]
    for statement in reversed(before):
        used, made = _names(statement)
        if made & wanted:
            kept.append(statement)
            wanted = (wanted - made) | used
    return kept[::-1]


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the names that `source` uses, and those that it makes at its top level."""
    tree = ast.parse(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    made = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            made |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return used - set(dir(builtins)), made


def collect(notebook: nbformat.NotebookNode, cell_id: str) -> Explorer:
    """Run the cells that the explorer of `cell_id` needs, and return what `explore` was given."""
    found = []

    def capture(build, describe, *, caption, play=None, page=None, **controls):
        widgets = {name: control(name, spec) for name, spec in controls.items()}
        kinds = {"SelectionSlider": "range", "ToggleButtons": "radio", "Checkbox": "checkbox"}
        found.append(
            Explorer(
                build, describe, caption, play, on_page(widgets, page or {}),
                {name: widget.value for name, widget in widgets.items()},
                {name: kinds.get(type(widget).__name__, "range") for name, widget in widgets.items()},
            )
        )  # fmt: skip

    space: dict = {}
    with mock.patch.object(explorers, "explore", capture), contextlib.redirect_stdout(io.StringIO()):
        for source in needed(notebook, cell_id):
            exec(compile(source, cell_id, "exec"), space)
    (explorer,) = found
    return explorer


def draw(path: Path, cell_id: str, folder: Path) -> Drawn:
    """Draw all states of an explorer of the notebook at `path` into `folder`, or take what was drawn there before.

    Raises ValueError where there are more than MOST_STATES states, or their files hold more than MOST_BYTES.
    """
    notebook = nbformat.read(path, as_version=4)
    key = _key(needed(notebook, cell_id))
    record = folder / "explorer.json"
    if record.is_file():
        stored = json.loads(record.read_text(encoding="utf-8"))
        if stored.pop("key") == key:
            return Drawn(folder, **stored)
    explorer = collect(notebook, cell_id)
    states = explorer.states()
    if len(states) > MOST_STATES:
        raise ValueError(f"{path.name}, {cell_id}: {len(states)} states; allowed: {MOST_STATES}. Name fewer in page={{}}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with style():
        fig, update = explorer.build(**explorer.start)
        screen = explorers.Screen(fig, update)
        screen.draw(explorer.start)
        files, sentences, pictures, size = [], [], {}, (0, 0)
        for values in states:
            try:
                drawn, sentence = Image.open(io.BytesIO(screen.draw(values))), explorer.describe(**values)
            except ValueError as error:  # a combination that the subject does not allow
                files.append(None)
                sentences.append(str(error))
                continue
            number = pictures.setdefault(drawn.tobytes(), len(pictures))
            file = folder / f"{number}.webp"
            if not file.exists():
                fewer = drawn.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
                fewer.convert("RGB").save(file, lossless=True, quality=20, method=4)
            files.append(number)
            sentences.append(sentence)
            size = drawn.size
    total = sum(file.stat().st_size for file in folder.iterdir())
    if total > MOST_BYTES:
        raise ValueError(f"{path.name}, {cell_id}: frames of {total:,} bytes; allowed: {MOST_BYTES:,}")
    entries = [
        {"name": name, "kind": explorer.kinds[name], "words": list(choices),
         "start": list(choices.values()).index(explorer.start[name])}
        for name, choices in explorer.controls.items()
    ]  # fmt: skip
    stored = {"files": files, "sentences": sentences, "controls": entries, "play": explorer.play,
              "caption": explorer.caption, "size": list(size)}  # fmt: skip
    record.write_text(json.dumps(stored | {"key": key}), encoding="utf-8")
    return Drawn(folder, **stored)


def _key(sources: list[str]) -> str:
    """Return what changes whenever a frame could: the cells, the helper package, the stored data, Matplotlib."""
    parts = [matplotlib.__version__.encode(), Path(__file__).read_bytes(), *(s.encode() for s in sources)]
    for folder, pattern in (("posenc_helpers", "*.py"), ("data", "*.csv")):
        parts += [file.read_bytes() for file in sorted((ROOT / folder).rglob(pattern))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def draw_all(paths: list[Path], folder: Path) -> dict[tuple[str, str], Drawn]:
    """Return {(notebook, cell): drawn} for every explorer of the notebooks at `paths`, drawn on all cores."""
    jobs = [(path, cell_id) for path in paths for cell_id in explorer_cells(nbformat.read(path, as_version=4))]
    run = Parallel(n_jobs=-1)
    drawn = run(delayed(draw)(path, cell_id, folder / path.stem / cell_id) for path, cell_id in jobs)
    return {(path.stem, cell_id): found for (path, cell_id), found in zip(jobs, drawn, strict=True)}
