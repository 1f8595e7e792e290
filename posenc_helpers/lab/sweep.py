"""Many independent runs, on all cores or on a cluster, whose results survive whatever interrupts them."""

import json
import os
import shutil
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import count, product
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
    module or of a notebook, and runs in other processes, each on one core. Values pass through JSON: tuples become
    lists, NaN and infinities stay what they are (as NaN and Infinity, which not every reader of JSON takes).

    `workers` processes of this machine do the work, by default all cores, and end with the sweep; 1 stays in this
    process. For a cluster the call is the same: `with joblib.parallel_config(backend="dask"): sweep(...)` with a Dask
    client open. Its workers need this package and the module of `run`, and best have one thread each; joblib ignores a
    cluster of a single core. The job of a worker that dies is done by another one; but joblib waits without end for a
    job that kills every worker it meets, or that cannot be loaded there (interrupt the sweep). On this machine a worker
    that dies ends the sweep. backend="ray", after ray.util.joblib.register_ray(), should work and was never run.

    The file has one line of JSON per finished job, {"job": {...}, "rows": [...]}, and is replaced as a whole each time
    a job finishes. Jobs that it holds are not run again, so an interrupted sweep is resumed by the same call; lines of
    other jobs stay. Lines that cannot be read are named in a warning, the whole file is set aside under the name
    <path>.corrupt-1 (or the next free number), and their jobs run again. The empty file .<path>.lock stays, too.

    A run that raises does not stop the others. At the end RuntimeError names the jobs that failed; the next call runs
    only these. Raises TypeError at once if `run` returns something that JSON cannot hold, RuntimeError if another sweep
    is writing the file, TypeError or ValueError for jobs that are no dicts of plain values, for the same job twice, no
    jobs, `workers` that are neither None, -1 nor at least 1, and a path in a folder that does not exist.
    """
    if not callable(run):
        raise TypeError(f"run={run!r} must be a function that takes a job's values by name")
    if workers is not None:
        check_count("workers", workers, least=-1)
    if workers == 0:
        raise ValueError("workers=0 must be at least 1, or -1 for all cores")
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

    failed: dict[str, tuple[str, str]] = {}
    with _lock(path):
        done = _read(path)
        missing = [key for key in wanted if key not in done]
        title = f"{label}, {len(wanted) - len(missing)} of {len(wanted)} jobs found in {path.name}"
        with closing(_finished(run, missing, workers)) as finished:
            for _, (key, rows, problem) in zip(progress(len(missing), title), finished, strict=True):
                if problem is None:
                    done[key] = f'{{"job": {key}, "rows": {rows}}}'
                    _write(path, done)
                else:
                    failed[key] = problem
    if failed:
        names = [f"  {key}: {what}" for key, (what, _) in failed.items()]
        raise RuntimeError(
            f"{len(failed)} of {len(wanted)} jobs failed; the results of the others are in {path.name}, and the next call "
            "runs only these:\n" + "\n".join(names[:10] + ["  ..."] * (len(names) > 10))
        ) from RuntimeError(next(iter(failed.values()))[1])
    return [{**job, **row} for key, job in wanted.items() for row in json.loads(done[key])["rows"]]


def _key(job: object) -> str:
    """Return `job` as JSON, the same for every order of its names."""
    if not isinstance(job, dict):
        raise TypeError(f"job {job!r} must be a dict, the values that run takes by name")
    try:
        key = json.dumps(job, sort_keys=True, allow_nan=False)  # NaN is not equal to itself
        plain = json.loads(key) == job
    except (TypeError, ValueError):
        plain = False
    if not plain:  # it would not be found again in the file
        raise TypeError(f"job {job!r} must hold plain values: finite numbers, strings, booleans, None, lists, dicts")
    return key


def _are_rows(rows: object) -> bool:
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


def _call(run: Callable, key: str) -> tuple[str, str | None, tuple[str, str] | None]:
    """Do one job in a worker: return its key, and its rows as JSON or what went wrong.

    Only text goes back, because an exception or a value that cannot be unpickled would take the whole sweep down.
    """
    try:
        with _TURN, one_thread():
            rows = run(**json.loads(key))
    except (Exception, SystemExit) as error:
        return key, None, (f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
    rows = [rows] if isinstance(rows, dict) else rows
    try:
        if not _are_rows(rows):
            raise TypeError(f"got {type(rows).__name__}")
        return key, json.dumps(rows), None
    except (TypeError, ValueError) as error:  # every other job would do the same: better to stop now than in an hour
        raise TypeError(f"job {key}: run must return a dict of plain values, or a list of them ({error})") from None


def _finished(run: Callable, keys: list[str], workers: int | None) -> Iterator:
    """Yield what `_call` returns for each of `keys`, in the order of finishing."""
    if not keys:
        return
    import joblib  # here, so that importing the helpers stays quick
    from joblib.externals.loky import get_reusable_executor
    from joblib.parallel import get_active_backend

    backend, asked = get_active_backend()  # of the reader's parallel_config
    calls = [joblib.delayed(_call)(run, key) for key in keys]
    jobs = workers or asked or -1
    # Batches of one, so that a result is stored as soon as it is there; all are dispatched at once, so that workers that
    # join a cluster later get their share.
    if backend.supports_return_generator:
        try:
            yield from joblib.Parallel(jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="all")(calls)
        finally:
            if jobs != 1 and type(backend).__name__ == "LokyBackend":  # joblib's own processes on this machine
                # They would stay for five minutes, each with its PyTorch, beside whatever the notebook does next.
                get_reusable_executor().shutdown(wait=True)
        return
    with joblib.Parallel(jobs, batch_size=1) as parallel:  # Ray: results come only when a whole call is done
        size = joblib.effective_n_jobs(jobs)
        for first in range(0, len(calls), size):
            yield from parallel(calls[first : first + size])


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep other sweeps from writing `path`.

    The operating system holds the lock and drops it with the process, however that ends, so no stale one stays behind.
    The file itself stays: if it were removed, a third sweep could lock a new one while a second still locks the old.
    """
    with open(path.with_name(f".{path.name}.lock"), "ab") as file:
        try:
            if os.name == "nt":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RuntimeError(f"another sweep is writing {path.name}; wait for it, or pass another path") from error
        yield


def _read(path: Path) -> dict[str, str]:
    """Return {key: line} for the finished jobs in the file `path`, after setting it aside if a line is unreadable."""
    done: dict[str, str] = {}
    bad = []
    for number, line in enumerate(path.read_bytes().split(b"\n") if path.exists() else [], start=1):
        try:
            if line.strip():
                entry = json.loads(line)
                key = _key(entry["job"])
                if not _are_rows(entry["rows"]) or key in done:
                    raise ValueError("no rows, or two results of one job")
                done[key] = json.dumps(entry)
        except (ValueError, TypeError, KeyError, RecursionError):
            bad.append(number)
    if bad:
        names = (path.with_name(f"{path.name}.corrupt-{number}") for number in count(1))
        aside = next(name for name in names if not name.exists())
        shutil.copyfile(path, aside)  # and not renamed: a kill before the next line must not hide the good lines
        _write(path, done)
        lines = ("lines " if bad[1:] else "line ") + ", ".join(map(str, bad[:10])) + ", ..." * (len(bad) > 10)
        warnings.warn(
            f"{path.name} was damaged at {lines}: set aside as {aside.name}; {len(done)} results are kept, and the jobs "
            "of the damaged lines run again",
            stacklevel=3,
        )
    return done


def _write(path: Path, done: dict[str, str]) -> None:
    """Replace the file `path` by the lines of `done` in one step.

    Appending to it could leave half a line, since even a single write can be cut short; a sweep has few enough lines.
    """
    replace_file(path, "".join(f"{line}\n" for line in done.values()))
