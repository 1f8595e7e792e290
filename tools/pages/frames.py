"""The frames of the explorers: every state of every explorer, drawn beforehand by the code that draws it live."""

import hashlib
import io
import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib
import nbformat
from joblib import Parallel, delayed
from PIL import Image

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from tools.course import ROOT
from tools.pages.collect import Explorer, collect, explorer_cells, needed
from tools.pages.room import SCALE, Room, smallest

MOST_STATES = 256  # of one explorer
MOST_BYTES = 8_000_000  # of all frames of one explorer
COLOURS = 128  # of a frame: half the bytes of one in all colours, and letters stay sharp


@dataclass(frozen=True)
class Drawn:
    """An explorer on a page: which file and sentence each state has, what its controls are."""

    folder: Path  # of files 0.webp, 1.webp ...
    files: list[int | None]  # by state; None where the state is refused
    sentences: list[str]
    controls: list[dict]  # name, kind, words (one a choice), start (index)
    play: str | None
    caption: str
    size: list[int]  # pixels, width and height
    letters: float  # pixels, of the smallest words

    @property
    def start(self) -> int:
        """The number of the state that the explorer opens in."""
        number = 0
        for entry in self.controls:
            number = number * len(entry["words"]) + entry["start"]
        return number

    def copy_to(self, folder: Path) -> None:
        """Copy the frames into the new folder `folder`."""
        folder.mkdir(parents=True)
        for file in self.folder.glob("*.webp"):
            shutil.copy(file, folder)


def draw(path: Path, cell_id: str, folder: Path, few: bool = False, room: Room | None = None) -> Drawn:
    """Draw all states of an explorer of the notebook at `path` into `folder`, or take what was drawn there before.

    `few` leaves out the pictures, not the sentences, of states in which several controls differ from the start: for tests.
    `room` is that of a slide; on a page a picture has the size of its own.
    Raises ValueError where there are more than MOST_STATES states, or their files hold more than MOST_BYTES.
    """
    notebook = nbformat.read(path, as_version=4)
    key, record = key_of([str(few), repr(room), *needed(notebook, cell_id)]), folder / "explorer.json"
    stored = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    if stored.pop("key", None) == key:
        return Drawn(**stored | {"folder": folder})
    explorer = collect(notebook, cell_id)
    states = explorer.states()
    if len(states) > MOST_STATES:
        raise ValueError(
            f"{path.name}, {cell_id}: {len(states)} states; allowed: {MOST_STATES}. Name fewer in page={{}}"
        )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files, sentences, size, letters = draw_states(explorer, states, folder, few, room)
    total = sum(file.stat().st_size for file in folder.iterdir())
    if total > MOST_BYTES:
        raise ValueError(f"{path.name}, {cell_id}: frames of {total:,} bytes; allowed: {MOST_BYTES:,}")
    entries = [
        {
            "name": name,
            "kind": explorer.kinds[name],
            "words": list(choices),
            "start": list(choices.values()).index(explorer.start[name]),
        }
        for name, choices in explorer.controls.items()
    ]
    drawn = Drawn(folder, files, sentences, entries, explorer.play, explorer.caption, size, letters)
    record.write_text(json.dumps(vars(drawn) | {"folder": None, "key": key}), encoding="utf-8")
    return drawn


def draw_states(
    explorer: Explorer, states: list[dict], folder: Path, few: bool, room: Room | None = None
) -> tuple[list, list[str], list[int], float]:
    """Draw `states` into `folder`; return the file and the sentence of each, and the sizes of picture and words in pixels.

    States that look the same share a file. One that the subject refuses has none, and the reason as its sentence.
    """
    files, sentences, known = [], [], {}
    with style():
        fig, update = explorer.build(**explorer.start)
        if room:
            room.fit(fig)
            fig.set_dpi(fig.dpi * SCALE)
        screen, letters = Screen(fig, update), smallest(fig)
        size = Image.open(io.BytesIO(screen.draw(explorer.start))).size
        for values in states:
            moved = sum(values[name] != start for name, start in explorer.start.items())
            try:
                sentence = explorer.describe(**values)
                drawn = None if few and moved > 1 else Image.open(io.BytesIO(screen.draw(values))).convert("RGB")
            except ValueError as error:
                drawn, sentence = None, str(error)
            files.append(None if drawn is None else known.setdefault(drawn.tobytes(), len(known)))
            sentences.append(sentence)
            if drawn is not None and not (file := folder / f"{files[-1]}.webp").exists():
                fewer = drawn.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
                fewer.convert("RGB").save(file, lossless=True, quality=20, method=4)
    return files, sentences, list(size), letters


def key_of(sources: list[str]) -> str:
    """Return what changes whenever a frame could: the cells, and all that they run on."""
    return hashlib.sha256("\0".join([_surroundings(), *sources]).encode()).hexdigest()


@cache
def _surroundings() -> str:
    """Return what changes with the helper package, the stored data, or Matplotlib."""
    parts = [matplotlib.__version__.encode()]
    for folder, pattern in (
        ("posenc_helpers", "*.py"),
        ("tools/pages", "frames.py"),
        ("tools/pages", "room.py"),
        ("tools/pages", "collect.py"),
        ("data", "*.csv"),
    ):
        parts += [file.read_bytes() for file in sorted((ROOT / folder).rglob(pattern))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def draw_all(
    paths: list[Path], folder: Path, few: bool = False, room: Room | None = None
) -> dict[tuple[str, str], Drawn]:
    """Return {(notebook, cell): drawn} for every explorer of the notebooks at `paths`, drawn on all cores."""
    jobs = [(path, cell_id) for path in paths for cell_id in explorer_cells(nbformat.read(path, as_version=4))]
    run = Parallel(n_jobs=-1)
    drawn = run(delayed(draw)(path, cell_id, folder / path.stem / cell_id, few, room) for path, cell_id in jobs)
    return {(path.stem, cell_id): found for (path, cell_id), found in zip(jobs, drawn, strict=True)}
