"""`python -m tests.conditions`: run the notebooks as other machines would; how near do claims come to failing?

A trained number depends on how a processor adds: with other instructions or another number of threads the last digit
differs, and three hundred steps later the second one. So each notebook is run under other arithmetics, or from other
seeds, and for each claim this prints the usual value, the range seen, the bound, and how near it came:

    nearness = smallest distance of a run from the bound / usual (median) distance from the bound

1 is "always as far as usual", 0 is "on the bound", below 0 the claim failed. A nearness under --least ends the command
with an error: such a claim holds by luck.

    python -m tests.conditions [--notebook 06] [--only default] [--seeds 8] [--least 0.2] [--all]

With --seeds K, the notebook's trainings start from K other seeds each (in place of the arithmetics); explicit generators
of examples stay as they are.
"""

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import nbformat

from tests.mutations import first_error
from tests.replacing import PUT
from tools.course import ROOT, notebook_paths

BOUNDS = ("below", "above", "near", "within", "equals")

# What a processor with fewer instructions would compute: PyTorch's own kernels, MKL's and oneDNN's matrix products.
ARITHMETICS = {
    "as it is": {},
    "default": {"ATEN_CPU_CAPABILITY": "default"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "MKL compatible": {"MKL_CBWR": "COMPATIBLE"},
    "SSE": {"ATEN_CPU_CAPABILITY": "default", "MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}

# Runs behind the setup cell. Claims are written down and never raise; trainings start from seeds moved by OFFSET.
RECORDER = (
    PUT
    + """
import json
import posenc_helpers.classroom.claims as claims

def recorder(claim):
    def attempt(statement, measured, **bounds):
        try:
            claim(statement, measured, **bounds)
        except claims.ClaimFailed as failed:
            print(failed)
        bounds = bounds or {"equals": 1}  # yes or no
        row = {"statement": statement, "value": float(measured), **{k: float(v) for k, v in bounds.items()}}
        with open(RECORD, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\\n")
    return attempt

put(claims.claim, recorder(claims.claim))
put(claims.answer, recorder(claims.answer))
if OFFSET:
    import posenc_helpers.lab.training as training

    def moved(function, place):
        def call(*arguments, **settings):
            if len(arguments) > place:
                arguments = (*arguments[:place], arguments[place] + OFFSET, *arguments[place + 1:])
            else:
                settings["seed"] = settings.get("seed", 0) + OFFSET
            return function(*arguments, **settings)
        return call

    put(training.seeded, moved(training.seeded, 0))
    put(training.train, moved(training.train, 6))
    import posenc_helpers.lab.shootout as shootout
    put(shootout.train_readers, moved(shootout.train_readers, 1))
print("claims are written down")
"""
)


def run(notebook: Path, environment: dict[str, str], offset: int = 0) -> tuple[list[dict], str | None]:
    """Run `notebook`; return its claims in order, {statement, value, bounds}, and where it stopped (None: nowhere)."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "claims.jsonl"
        record.touch()
        cells = nbformat.read(notebook, as_version=4)
        source = f"RECORD, OFFSET = {str(record)!r}, {offset}\n{RECORDER}"
        cells.cells.insert(2, nbformat.v4.new_code_cell(source))  # behind title and setup
        failed = first_error(cells, notebook.parent, 1200, PYTHONPATH=str(ROOT), **environment)
        stopped = f"{failed[0].id}: {failed[1].ename}: {failed[1].evalue}" if failed else None
        return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()], stopped


def distance(row: dict) -> float:
    """Return how far a claim's value is on the right side of its bound; NaN counts as failed."""
    if "below" in row:
        found = row["below"] - row["value"]
    elif "above" in row:
        found = row["value"] - row["above"]
    elif "equals" in row:
        found = 0.0 if row["value"] == row["equals"] else -float("inf")
    else:
        found = row["within"] - abs(row["value"] - row["near"])
    return found if found == found else -float("inf")


def nearness(distances: list[float]) -> float:
    """Return the smallest of distances from a bound, as a share of the usual one.

    A claim without room on either side (true or false) counts as 1 where it always holds.
    """
    usual, least = median(distances), min(distances)
    if least < 0:
        return least / abs(usual) if usual else -float("inf")
    return least / usual if usual else 1.0


def describe(rows: list[dict]) -> str:
    """Say what was seen of one claim, in a line."""
    values = [row["value"] for row in rows]
    bound = ", ".join(f"{key} {row_bound:g}" for key, row_bound in rows[0].items() if key in BOUNDS)
    return f"usually {median(values):.3g}, seen {min(values):.3g} to {max(values):.3g}, {bound}"


def survey(notebook: Path, conditions: dict[str, tuple[dict[str, str], int]]) -> tuple[dict, list[str]]:
    """Run `notebook` under every condition: ({(statement, which of this name): rows}, what stopped or was missing)."""

    def job(name):  # one thread: two at a time
        environment, offset = conditions[name]
        return name, *run(notebook, environment, offset)

    seen, trouble = defaultdict(list), []
    single = [name for name, (environment, _) in conditions.items() if environment["OMP_NUM_THREADS"] == "1"]
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(job, single)) + [job(name) for name in conditions if name not in single]
    for name, rows, stopped in ended:
        if stopped:
            trouble.append(f"{notebook.name[:2]} {name}: stopped at {stopped}")
        counts = defaultdict(int)
        for row in rows:
            counts[row["statement"]] += 1
            seen[row["statement"], counts[row["statement"]]].append(row | {"condition": name})
    trouble += [
        f"{notebook.name[:2]} {statement}: claimed under {len(rows)} of {len(conditions)} conditions"
        for (statement, _), rows in seen.items()
        if len(rows) != len(conditions) and not any(stopped for _, _, stopped in ended)
    ]
    return seen, trouble


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conditions", description="How near do claims come to failing?"
    )
    parser.add_argument("--notebook", default="", help="the number of one notebook, such as 06")
    parser.add_argument("--only", default="", help=f"one arithmetic: {', '.join(ARITHMETICS)}")
    parser.add_argument("--seeds", type=int, default=0, help="other seeds in place of other arithmetics: how many")
    parser.add_argument("--least", type=float, default=0.2, help="the smallest nearness that passes")
    parser.add_argument("--all", action="store_true", help="print every claim, not only those nearer than one half")
    wanted = parser.parse_args(arguments)
    if wanted.seeds:
        conditions = {f"seeds moved by {k}": ({"OMP_NUM_THREADS": "1"}, k) for k in range(0, 1000 * wanted.seeds, 1000)}
    else:
        conditions = {
            f"{name}, {threads} thread{'s' * (threads > 1)}": (environment | {"OMP_NUM_THREADS": str(threads)}, 0)
            for threads in (1, 2)
            for name, environment in ARITHMETICS.items()
            if wanted.only in ("", name)
        }
    if not conditions:
        parser.error(f"--only {wanted.only!r}; there are {', '.join(ARITHMETICS)}")
    bad, count = [], 0
    for notebook in (path for path in notebook_paths() if path.name.startswith(wanted.notebook)):
        seen, trouble = survey(notebook, conditions)
        bad += trouble
        found = {key: nearness([distance(row) for row in rows]) for key, rows in seen.items()}
        count += len(found)
        print(f"\n{notebook.name[:2]}: {len(found)} claims under {len(conditions)} conditions", flush=True)
        for key in sorted(found, key=found.get):
            if wanted.all or found[key] < 0.5:
                print(f"  {found[key]:6.2f}  {key[0]}: {describe(seen[key])}", flush=True)
            if found[key] < wanted.least:
                bad.append(f"{notebook.name[:2]} {found[key]:.2f} {key[0]}: {describe(seen[key])}")
    print(f"\n{count} claims, {len(bad)} to look at", *bad, sep="\n")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
