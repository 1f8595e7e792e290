"""`make results`: run the experiments of `tools.experiments` and store their rows in data/results/.

ONLY=shootout runs one of them. All together take some two hours on two cores. An interrupted run is taken up where it
stopped: what is finished waits in data/results/unfinished/ until all of it is there. Delete that folder after a change of
the code, so that old and new numbers do not mix.
"""

import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import NamedTuple

from posenc_helpers.encodings import ENCODINGS
from posenc_helpers.lab.results import FOLDER, save_results
from posenc_helpers.lab.shootout import CONTESTANTS
from posenc_helpers.lab.sweep import grid, sweep
from tools import experiments

RATES = (3e-3, 6e-3, 1e-2, 1.5e-2, 2e-2)


class Study(NamedTuple):
    """An experiment with the values it is run with, and the files its rows are kept in (a row's `result` says which)."""

    run: Callable
    jobs: list[dict]
    files: tuple[str, ...]


STUDIES = {
    "language": Study(
        experiments.language, grid(encoding=list(CONTESTANTS), seed=range(8)), ("shootout", "windowed", "shift")
    ),
    "recall": Study(
        experiments.algorithmic,
        grid(task=["recall"], encoding=list(CONTESTANTS), seed=range(8), steps=[300, 600]),
        ("recall",),
    ),
    "lag": Study(
        experiments.algorithmic,
        grid(task=["lag"], encoding=list(CONTESTANTS), seed=range(8), steps=[300, 600]),
        ("lag",),
    ),
    "rescue": Study(experiments.rescue, grid(steps=[400, 800], seed=range(8)), ("rescue",)),
    "cure_settings": Study(experiments.cure_settings, grid(steps=[400, 800]), ("cure_settings",)),
    "stretched_recall": Study(
        experiments.stretched_recall, grid(steps=[300, 600], seed=range(8)), ("stretched_recall",)
    ),
    "twice": Study(experiments.twice, grid(encoding=list(CONTESTANTS), seed=range(8)), ("twice",)),
    "nope": Study(
        experiments.depth,
        grid(encoding=["nope"], layers=[1, 2, 3, 4], steps=[300, 900], seed=range(8))
        + grid(encoding=["rope"], layers=[1, 2, 3, 4], steps=[300], seed=range(8)),
        ("nope",),
    ),
    "scaled": Study(experiments.scaled, grid(encoding=["t5"], seed=range(8), steps=[300, 600]), ("scaled",)),
    "thresholds": Study(
        experiments.thresholds,
        grid(encoding=[*CONTESTANTS, "learned x8"], seed=range(8), steps=[300])
        + grid(encoding=["learned x8"], seed=range(8), steps=[600])
        + grid(encoding=["alibi x8"], seed=range(8), steps=[300, 600]),
        ("thresholds",),
    ),
    "fresh": Study(experiments.fresh, grid(encoding=["nope", "t5"], seed=range(8), steps=[300]), ("fresh",)),
    "first_row": Study(experiments.first_row, grid(seed=range(8), steps=[300]), ("first_row",)),
    "deeper_lag": Study(
        experiments.deeper_lag,
        grid(encoding=["nope", "alibi", "t5 x8"], layers=[2], steps=[300, 600], seed=range(8)),
        ("deeper_lag",),
    ),
    "lengths": Study(experiments.lengths, grid(encoding=list(ENCODINGS), seed=range(8)), ("lengths",)),
    "clipped": Study(
        experiments.clipped,
        grid(steps=[300], encoding=["t5"], clip=[16, 128], seed=range(8))
        + grid(steps=[300], encoding=["deberta"], clip=[16, 512], seed=range(8))
        + grid(steps=[600], encoding=["t5"], clip=[16, 128], seed=range(8))
        + grid(steps=[600], encoding=["deberta"], clip=[16, 512], seed=range(8)),
        ("clipped",),
    ),
    "knobs": Study(
        experiments.knobs,
        grid(encoding=["rope"], setting=[2.0], seed=range(8), steps=[300, 600])
        + grid(encoding=["t5"], setting=[16.0], seed=range(8), steps=[300, 600]),
        ("knobs",),
    ),
    "table": Study(experiments.table, grid(seed=range(3)), ("table",)),
    "bias": Study(experiments.bias, grid(lag=[1, 3, 5], seed=range(3)), ("bias",)),
    "learned": Study(
        experiments.learned, grid(encoding=list(ENCODINGS), seed=range(8), steps=[300, 600]), ("learned",)
    ),
    "rope_base": Study(
        experiments.rope_base,
        grid(base=[2.0, 100.0, 1e4, 1e6], seed=range(8), steps=[300, 600])
        + grid(base=[1e4], seed=range(8, 20), steps=[300]),
        ("rope_base",),
    ),
    "alibi_lag": Study(
        experiments.alibi_lag,
        grid(heads=[2, 8], slopes=["fixed"], seed=range(8), steps=[300, 2000])
        + grid(heads=[2], slopes=["learned"], seed=range(8), steps=[300, 600])
        + grid(heads=[2], slopes=["fixed"], seed=range(8), steps=[4000])
        + grid(heads=[2], slopes=["steep"], seed=range(8), steps=[300])
        + grid(heads=[8], slopes=["flat"], seed=range(8), steps=[300, 2000]),
        ("alibi_lag",),
    ),
    "slopes": Study(
        experiments.read_slopes,
        grid(slopes=["1 to 1/8"], seed=range(8), steps=[300, 600])
        + grid(slopes=["1/64 to 1/512"], seed=range(8), steps=[300]),
        ("slopes",),
    ),
    "two_sided": Study(experiments.two_sided, grid(seed=range(8), steps=[300, 1500, 3000]), ("two_sided",)),
    "scorecard": Study(experiments.card, grid(encoding=list(ENCODINGS)), ("scorecard",)),
    "naive_codes": Study(
        experiments.naive_codes,
        grid(code=experiments.CODES, times=[1.0], seed=range(8), steps=[300, 900])
        + grid(code=["binary"], times=[0.25], seed=range(8), steps=[300, 900]),
        ("naive_codes", "answers"),
    ),
    "ruler": Study(experiments.ruler, grid(steps=[400, 2000], seed=range(8), std=[0.02, 0.5]), ("ruler",)),
    "three_back": Study(
        experiments.three_back,
        grid(encoding=list(experiments.RELATIVE), seed=range(8), steps=[300, 600], rate=[1.0])
        + grid(encoding=["relative bias, K = 8", "t5"], seed=range(8), steps=[1500], rate=[1.0])
        + grid(encoding=["relative bias, K = 8", "relative bias, K = 16", "t5"], seed=range(8), steps=[300], rate=[8.0])
        + grid(encoding=["relative bias, K = 16", "t5"], seed=range(8), steps=[300], rate=[16.0, 32.0]),
        ("three_back",),
    ),
    "hybrids": Study(
        experiments.hybrids,
        grid(mixture=list(experiments.HYBRIDS), seed=range(8), steps=[300])
        + grid(mixture=list(experiments.HYBRIDS), seed=range(8), steps=[600]),
        ("hybrids",),
    ),
    "keys_only": Study(experiments.keys_only, grid(seed=range(8), steps=[300, 600]), ("keys_only",)),
    "smaller_k": Study(
        experiments.smaller_k, grid(encoding=list(experiments.SMALLER_K), seed=range(8), steps=[600]), ("smaller_k",)
    ),
    "pictures": Study(
        experiments.pictures,
        grid(
            question=["above", "left"],
            encoding=[name for name in experiments.ON_IMAGES if name != "nope, lit"],
            seed=range(8),
            steps=[300, 600],
            rate=[1.0],
        )
        + grid(question=["above", "left"], encoding=["learned", "swin"], seed=range(8), steps=[300, 600], rate=[8.0])
        + grid(question=["above", "left"], encoding=["swin"], seed=range(8), steps=[1200, 2400], rate=[1.0])
        + grid(question=["above"], encoding=["nope, lit"], seed=range(8), steps=[300, 600], rate=[1.0]),
        ("pictures",),
    ),
    "new_columns": Study(
        experiments.new_columns,
        grid(encoding=experiments.on_images.REAL, seed=range(8), steps=[300, 600], rate=[1.0])
        + grid(encoding=["swin"], seed=range(8), steps=[300, 600], rate=[8.0]),
        ("new_columns",),
    ),
    "waves": Study(
        experiments.waves,
        grid(wavelength=experiments.on_images.WAVES, columns=[4], seed=range(8), steps=[300, 600], scale=[0.3])
        + grid(wavelength=[4.0, 5.0, 5.6, 6.2832], columns=[4], seed=range(8), steps=[2400], scale=[0.3])
        + grid(wavelength=experiments.on_images.WIDER, columns=[6], seed=range(8), steps=[300, 600], scale=[0.3])
        + grid(wavelength=[4.0, 6.0], columns=[6], seed=range(8), steps=[2400], scale=[0.3])
        + grid(wavelength=[2.6, 4.0, 6.2832], columns=[4], seed=range(8), steps=[600], scale=[1.0])
        + grid(wavelength=[3.0, 4.0, 5.0, 6.0, 6.2832], columns=[6], seed=range(8), steps=[600], scale=[1.0]),
        ("waves",),
    ),
    "slower": Study(
        experiments.slower,
        grid(encoding=["axial rope"], speed=[1.0, 0.5], scale=[1.0], seed=range(8), steps=[600])
        + grid(encoding=["sinusoidal 2-D"], speed=[1.0, 0.25], scale=[1.0], seed=range(8), steps=[600])
        + grid(encoding=["sinusoidal 2-D"], speed=[0.5], scale=[0.3], seed=range(8), steps=[600]),
        ("slower",),
    ),
    "swap": Study(experiments.swap, grid(steps=[300], seed=range(8)), ("swap",)),
    "tuning": Study(
        experiments.tuning,
        grid(what=["rate"], setting=RATES, encoding=list(CONTESTANTS))
        + grid(what=["table rate"], setting=[1.0, 2.0, 4.0, 8.0, 16.0], encoding=["t5"])
        + grid(what=["base"], setting=[2.0, 10.0, 100.0, 1e4, 1e6], encoding=["rope"])
        + grid(what=["beta"], setting=[1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 32.0], encoding=["rope"]),
        ("tuning",),
    ),
}


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


def notes(study: Study, file: str) -> list[str]:
    """Return what stands above the table: how it was made, what it holds, on which machine."""
    text = experiments.text_once()
    size = sum(len(part) for part in (text.train, text.validation, text.test))
    return [
        f"made by: make results ONLY={file}",
        f"tools.experiments.{study.run.__name__}: {study.run.__doc__.strip().splitlines()[0]}",
        f"text: {text.name}, {size} characters",
        f"machine: {platform.machine()}, {platform.system()}, one core a run; "
        f"Python {platform.python_version()}, torch {version('torch')}",
    ]


def main(only: list[str]) -> None:
    """Make the studies named in `only`, by their own name or by that of a file; all of them where it is empty."""
    wanted = {name for name, study in STUDIES.items() if not only or name in only or set(study.files) & set(only)}
    unknown = [o for o in only if o not in STUDIES and all(o not in study.files for study in STUDIES.values())]
    if unknown:
        sys.exit(f"no result {unknown[0]!r}; there are {', '.join(f for s in STUDIES.values() for f in s.files)}")
    for name in STUDIES:
        if name in wanted:
            make(name)


if __name__ == "__main__":
    main(sys.argv[1:])
