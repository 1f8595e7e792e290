"""Many independent runs, on all cores or on a cluster, whose results survive whatever interrupts them."""

import json
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

from posenc_helpers.checks import check_count
from posenc_helpers.lab.files import replace_file
from posenc_helpers.lab.progress import progress
from posenc_helpers.lab.training import one_thread

# Runs seed PyTorch's global random state and its number of threads, so those that share a process take turns.
_TURN = threading.RLock()


def grid(**choices: Iterable) -> list[dict]:
    """Return one job per combination: grid(seed=[0, 1], encoding=["rope", "alibi"]) has four, the last name fastest.

    Raises TypeError for a choice that is a string or no iterable, and ValueError for an empty one.
    """
    for name, values in choices.items():
        if isinstance(values, str | bytes | dict) or not isinstance(values, Iterable):
            raise TypeError(f"{name}={values!r} must be a list of values, also where there is only one")
        choices[name] = list(values)
        if not choices[name]:
            raise ValueError(f"{name}={values!r} must hold at least one value")
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


def sweep(
    run: Callable[..., dict | list[dict]],
    jobs: Iterable[dict],
    path: str | Path,
    workers: int | None = None,
    label: str = "sweep",
) -> list[dict]:
    """Call `run(**job)` for each of `jobs`, keep the results in the file `path`, and return {**job, **row} for every row.

    Rows come in the order of `jobs`. `run` returns a dict of plain values, or a list of them; it is a function of a
    module or of a notebook, and runs in other processes, each on one core. Its values pass through JSON: tuples become
    lists. `workers` processes do the work, by default one a core; 1 stays in this process. With a Dask client open,
    `with joblib.parallel_config(backend="dask")` around the call hands the work to a cluster.

    The file has one line of JSON per finished job, {"job": {...}, "rows": [...]}. Jobs that it holds are not run again,
    so an interrupted sweep is resumed by the same call. One sweep at a time may write it.

    A run that raises does not stop the others: at the end RuntimeError names the jobs that failed. Raises TypeError at
    once if `run` returns something else or what JSON cannot hold, and for jobs that are no dicts of plain values;
    ValueError for the same job twice, no jobs, `workers` below 1, a path in a folder that does not exist, and a file
    that cannot be read (it says which line).
    """
    if workers is not None:
        check_count("workers", workers)
    path = Path(path).resolve()
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"path={str(path)!r} must be a file in a folder that exists")
    wanted: dict[str, dict] = {}
    for job in jobs:
        if (key := _key(job)) in wanted:
            raise ValueError(f"jobs hold {job!r} twice; allowed: every job once")
        wanted[key] = job
    if not wanted:
        raise ValueError("jobs are empty; allowed: at least one job")

    done, failed = _read(path), {}
    missing = {key: job for key, job in wanted.items() if key not in done}
    title = f"{label}, {len(wanted) - len(missing)} of {len(wanted)} jobs found in {path.name}"
    with closing(_finished(run, missing, workers)) as finished:
        for _, (key, rows, problem) in zip(progress(len(missing), title), finished, strict=True):
            if problem:
                failed[key] = problem
                continue
            done[key] = rows
            replace_file(path, "".join(f'{{"job": {key}, "rows": {rows}}}\n' for key, rows in done.items()))
    if failed:
        raise RuntimeError(
            f"{len(failed)} of {len(wanted)} jobs failed; the results of the others are in {path.name}, and the next "
            f"call runs only these: {', '.join(failed)}\n\nThe first of them:\n{next(iter(failed.values()))}"
        )
    return [{**job, **row} for key, job in wanted.items() for row in json.loads(done[key])]


def _key(job: object) -> str:
    """Return `job` as JSON, the same for every order of its names."""
    try:
        if isinstance(job, dict):
            return json.dumps(job, sort_keys=True, allow_nan=False)  # NaN would not be found again
    except (TypeError, ValueError):
        pass
    raise TypeError(
        f"job {job!r} must be a dict of plain values: finite numbers, strings, booleans, None, lists, dicts"
    )


def _read(path: Path) -> dict[str, str]:
    """Return {key: rows} for the finished jobs in the file `path`, both as JSON."""
    done = {}
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else [], start=1):
        try:
            entry = json.loads(line)
            done[_key(entry["job"])] = json.dumps(entry["rows"])
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{path}, line {number}: no finished job; without the line, its job runs again") from None
    return done


def _call(run: Callable, key: str, job: dict) -> tuple[str, str, str]:
    """Do one job in a worker: return its key, and its rows as JSON or how it failed, as text that every process reads."""
    try:
        with _TURN, one_thread():
            rows = run(**job)
    except Exception as error:
        return key, "", "".join(traceback.format_exception(error))
    rows = [rows] if isinstance(rows, dict) else rows
    try:
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            return key, json.dumps(rows), ""
    except (TypeError, ValueError):
        pass
    # every other job would do the same: better to stop now than in an hour
    raise TypeError(f"job {key}: run returned {rows!r:.200}; allowed: a dict of plain values, or a list of them")


def _finished(run: Callable, missing: dict[str, dict], workers: int | None) -> Iterator[tuple[str, str, str]]:
    """Yield what `_call` returns for each of the jobs `missing`, in the order of finishing."""
    if not missing:
        return
    import joblib  # here, so that importing the helpers stays quick
    from joblib.externals.loky import get_reusable_executor
    from joblib.parallel import LokyBackend, get_active_backend

    backend, asked = get_active_backend()  # of the reader's parallel_config
    count = workers or asked or -1
    # one by one, so that a result is kept as soon as it is there
    parallel = joblib.Parallel(count, return_as="generator_unordered", batch_size=1, pre_dispatch="all")
    try:
        yield from parallel(joblib.delayed(_call)(run, *job) for job in missing.items())
    finally:
        if count != 1 and isinstance(backend, LokyBackend):  # joblib's own processes, which would stay for five minutes
            get_reusable_executor().shutdown(wait=True)
