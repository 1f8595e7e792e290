"""`make results`: run the experiments of `tools.experiments` and store their rows in data/results/.

ONLY=shootout runs one of them. All together take some two hours on two cores. An interrupted run is taken up where it
stopped: what is finished waits in data/results/unfinished/ until all of it is there. Delete that folder after a change of
the code, so that old and new numbers do not mix.
"""

import csv
import math
import platform
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab.files import replace_file
from posenc_helpers.lab.results import FOLDER
from posenc_helpers.lab.shootout import CONTESTANTS
from posenc_helpers.lab.sweep import grid, sweep
from posenc_helpers.lessons.released_model.stretches import STRETCHES
from tools import experiments as e
from tools.experiments import on_images
from tools.experiments.common import text_once
from tools.experiments.on_released import LONG_CHANGES, TEXTS

ALL, SEEDS, BOTH = list(CONTESTANTS), range(8), [300, 600]

ON_OTHERS = [name for name in e.ON_IMAGES if name != "nope, lit"]  # not trained on lit pictures


class Study(NamedTuple):
    """An experiment with the values it is run with, and the files its rows are kept in (a row's `result` says which).

    Without `files` there is one, which has the study's name.
    """

    run: Callable
    jobs: list[dict]
    files: tuple[str, ...] = ()


_STUDIES = {
    "language": Study(e.language, grid(encoding=ALL, seed=SEEDS), ("shootout", "windowed", "shift")),
    "recall": Study(e.algorithmic, grid(task=["recall"], encoding=ALL, seed=SEEDS, steps=BOTH)),
    "lag": Study(e.algorithmic, grid(task=["lag"], encoding=ALL, seed=SEEDS, steps=BOTH)),
    "rescue": Study(e.rescue, grid(steps=[400, 800], seed=SEEDS)),
    "cure_settings": Study(e.cure_settings, grid(steps=[400, 800])),
    "stretched_recall": Study(e.stretched_recall, grid(steps=BOTH, seed=SEEDS)),
    "twice": Study(e.twice, grid(encoding=ALL, seed=SEEDS)),
    "nope": Study(
        e.depth,
        grid(encoding=["nope"], layers=[1, 2, 3, 4], steps=[300, 900], seed=SEEDS)
        + grid(encoding=["rope"], layers=[1, 2, 3, 4], steps=[300], seed=SEEDS),
    ),
    "scaled": Study(e.scaled, grid(encoding=["t5"], seed=SEEDS, steps=BOTH)),
    "thresholds": Study(
        e.thresholds,
        grid(encoding=[*CONTESTANTS, "learned x8"], seed=SEEDS, steps=[300])
        + grid(encoding=["learned x8"], seed=SEEDS, steps=[600])
        + grid(encoding=["alibi x8"], seed=SEEDS, steps=BOTH),
    ),
    "fresh": Study(e.fresh, grid(encoding=["nope", "t5"], seed=SEEDS, steps=[300])),
    "first_row": Study(e.first_row, grid(seed=SEEDS, steps=[300])),
    "deeper_lag": Study(e.deeper_lag, grid(encoding=["nope", "alibi", "t5 x8"], layers=[2], steps=BOTH, seed=SEEDS)),
    "lengths": Study(e.lengths, grid(encoding=list(ENCODINGS), seed=SEEDS)),
    "clipped": Study(
        e.clipped,
        grid(steps=BOTH, encoding=["t5"], clip=[16, 128], seed=SEEDS)
        + grid(steps=BOTH, encoding=["deberta"], clip=[16, 512], seed=SEEDS),
    ),
    "knobs": Study(
        e.knobs,
        grid(encoding=["rope"], setting=[2.0], seed=SEEDS, steps=BOTH)
        + grid(encoding=["t5"], setting=[16.0], seed=SEEDS, steps=BOTH),
    ),
    "table": Study(e.table, grid(seed=range(3))),
    "bias": Study(e.bias, grid(lag=[1, 3, 5], seed=range(3))),
    "learned": Study(e.learned, grid(encoding=list(ENCODINGS), seed=SEEDS, steps=BOTH)),
    "rope_base": Study(
        e.rope_base,
        grid(base=[2.0, 100.0, 1e4, 1e6], seed=SEEDS, steps=BOTH) + grid(base=[1e4], seed=range(8, 20), steps=[300]),
    ),
    "alibi_lag": Study(
        e.alibi_lag,
        grid(heads=[2, 8], slopes=["fixed"], seed=SEEDS, steps=[300, 2000])
        + grid(heads=[2], slopes=["learned"], seed=SEEDS, steps=BOTH)
        + grid(heads=[2], slopes=["fixed"], seed=SEEDS, steps=[4000])
        + grid(heads=[2], slopes=["steep"], seed=SEEDS, steps=[300])
        + grid(heads=[8], slopes=["flat"], seed=SEEDS, steps=[300, 2000]),
    ),
    "slopes": Study(
        e.read_slopes,
        grid(slopes=["1 to 1/8"], seed=SEEDS, steps=BOTH) + grid(slopes=["1/64 to 1/512"], seed=SEEDS, steps=[300]),
    ),
    "two_sided": Study(e.two_sided, grid(seed=SEEDS, steps=[300, 1500, 3000])),
    "scorecard": Study(e.card, grid(encoding=list(ENCODINGS))),
    "naive_codes": Study(
        e.naive_codes,
        grid(code=list(e.CODES), times=[1.0], seed=SEEDS, steps=[300, 900])
        + grid(code=["binary"], times=[0.25], seed=SEEDS, steps=[300, 900]),
        ("naive_codes", "answers"),
    ),
    "ruler": Study(e.ruler, grid(steps=[400, 2000], seed=SEEDS, std=[0.02, 0.5])),
    "three_back": Study(
        e.three_back,
        grid(encoding=list(e.RELATIVE), seed=SEEDS, steps=BOTH, rate=[1.0])
        + grid(encoding=["relative bias, K = 8", "t5"], seed=SEEDS, steps=[1500], rate=[1.0])
        + grid(encoding=["relative bias, K = 8", "relative bias, K = 16", "t5"], seed=SEEDS, steps=[300], rate=[8.0])
        + grid(encoding=["relative bias, K = 16", "t5"], seed=SEEDS, steps=[300], rate=[16.0, 32.0]),
    ),
    "hybrids": Study(e.hybrids, grid(mixture=e.HYBRIDS, seed=SEEDS, steps=BOTH)),
    "keys_only": Study(e.keys_only, grid(seed=SEEDS, steps=BOTH)),
    "smaller_k": Study(e.smaller_k, grid(encoding=list(e.SMALLER_K), seed=SEEDS, steps=[600])),
    "pictures": Study(
        e.pictures,
        grid(question=["above", "left"], encoding=ON_OTHERS, seed=SEEDS, steps=BOTH, rate=[1.0])
        + grid(question=["above", "left"], encoding=["learned", "swin"], seed=SEEDS, steps=BOTH, rate=[8.0])
        + grid(question=["above", "left"], encoding=["swin"], seed=SEEDS, steps=[1200, 2400], rate=[1.0])
        + grid(question=["above"], encoding=["nope, lit"], seed=SEEDS, steps=BOTH, rate=[1.0]),
    ),
    "new_columns": Study(
        e.new_columns,
        grid(encoding=on_images.REAL, seed=SEEDS, steps=BOTH, rate=[1.0])
        + grid(encoding=["swin"], seed=SEEDS, steps=BOTH, rate=[8.0]),
    ),
    "waves": Study(
        e.waves,
        grid(wavelength=on_images.WAVES, columns=[4], seed=SEEDS, steps=BOTH, scale=[0.3])
        + grid(wavelength=[4.0, 5.0, 5.6, 6.2832], columns=[4], seed=SEEDS, steps=[2400], scale=[0.3])
        + grid(wavelength=on_images.WIDER, columns=[6], seed=SEEDS, steps=BOTH, scale=[0.3])
        + grid(wavelength=[4.0, 6.0], columns=[6], seed=SEEDS, steps=[2400], scale=[0.3])
        + grid(wavelength=[2.6, 4.0, 6.2832], columns=[4], seed=SEEDS, steps=[600], scale=[1.0])
        + grid(wavelength=[3.0, 4.0, 5.0, 6.0, 6.2832], columns=[6], seed=SEEDS, steps=[600], scale=[1.0]),
    ),
    "slower": Study(
        e.slower,
        grid(encoding=["axial rope"], speed=[1.0, 0.5], scale=[1.0], seed=SEEDS, steps=[600])
        + grid(encoding=["sinusoidal 2-D"], speed=[1.0, 0.25], scale=[1.0], seed=SEEDS, steps=[600])
        + grid(encoding=["sinusoidal 2-D"], speed=[0.5], scale=[0.3], seed=SEEDS, steps=[600]),
    ),
    "swap": Study(e.swap, grid(steps=[300], seed=SEEDS)),
    "tuning": Study(
        e.tuning,
        grid(what=["rate"], setting=[3e-3, 6e-3, 1e-2, 1.5e-2, 2e-2], encoding=ALL)
        + grid(what=["table rate"], setting=[1.0, 2.0, 4.0, 8.0, 16.0], encoding=["t5"])
        + grid(what=["base"], setting=[2.0, 10.0, 100.0, 1e4, 1e6], encoding=["rope"]),
    ),
    # notebook 12: a released model, on text that differs a little between versions of Python and NumPy
    "released": Study(e.released, grid(stretch=STRETCHES)),
    "released_pairs": Study(e.released_pairs, grid(stretch=STRETCHES, end=["fastest", "slowest"])),
    "released_windows": Study(e.released_windows, grid(stretch=STRETCHES)),
    "released_heads": Study(e.released_heads, grid(length=[256])),
    "released_long": Study(e.released_long, grid(text=list(TEXTS), change=[*LONG_CHANGES, "read afresh"])),
}
STUDIES = {name: study if study.files else study._replace(files=(name,)) for name, study in _STUDIES.items()}


def make(name: str) -> None:
    """Run the study `name` and store its files."""
    study = STUDIES[name]
    unfinished = FOLDER / "unfinished"
    unfinished.mkdir(parents=True, exist_ok=True)
    path = unfinished / f"{name}.jsonl"
    rows = sweep(study.run, study.jobs, path, label=name)
    for file in study.files:
        kept = [{k: v for k, v in row.items() if k != "result"} for row in rows if row.get("result", file) == file]
        save_results(file, kept, notes(study, file))
        print(f"stored data/results/{file}.csv: {len(kept)} rows")
    path.unlink()


def save_results(name: str, rows: Sequence[dict], notes: Sequence[str], folder: Path = FOLDER) -> Path:
    """Write rows under `notes` (lines of their own, marked with #) in place of the stored result; return its path.

    The old file stays until the new one is complete. Floats keep four decimals.
    Raises ValueError for no rows, rows that differ in their columns, numbers that are not finite.
    """
    if not rows:
        raise ValueError(f"{name} has no rows")
    columns = list(rows[0])
    for row in rows:
        if list(row) != columns:
            raise ValueError(f"row {row} has other columns than the first: {columns}")
        if not all(math.isfinite(value) for value in row.values() if isinstance(value, float)):
            raise ValueError(f"row {row} holds a number that is not finite")
    table = StringIO()
    table.writelines(f"# {line}\n" for note in notes for line in note.splitlines())
    writer = csv.writer(table, lineterminator="\n")  # None becomes an empty cell
    writer.writerow(columns)
    writer.writerows([f"{v:.4f}" if isinstance(v, float) else v for v in row.values()] for row in rows)
    path = folder / f"{name}.csv"
    replace_file(path, table.getvalue())
    return path


def notes(study: Study, file: str) -> list[str]:
    """Return what stands above the table: how it was made, what it holds, on which machine."""
    text = text_once()
    size = sum(len(part) for part in (text.train, text.validation, text.test))
    read = f"{text.name}, {size} characters"
    if file.startswith("released"):
        read = "help topics of Python and help texts of NumPy, as they came with these versions"
    return [
        f"made by: make results ONLY={file}",
        f"tools.experiments.{study.run.__name__}: {study.run.__doc__.strip().splitlines()[0]}",
        f"text: {read}",
        f"machine: {platform.machine()}, {platform.system()}, one core a run; "
        f"Python {platform.python_version()}, torch {version('torch')}",
    ]


def main(only: list[str]) -> None:
    """Make the studies named in `only`, by their own name or by that of a file; all of them where it is empty."""
    names = {name: {name, *study.files} for name, study in STUDIES.items()}
    known = set().union(*names.values())
    if unknown := set(only) - known:
        sys.exit(f"no result {min(unknown)!r}; there are {', '.join(sorted(known))}")
    for name in STUDIES:
        if not only or names[name] & set(only):
            make(name)


if __name__ == "__main__":
    main(sys.argv[1:])
