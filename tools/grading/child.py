"""What runs in the sandbox: a student's cells, then the check that the teacher's copy of the course has.

The check is imported, and called, here: no name of the student's code can take its place. Where that code puts something
of its own into the modules that judge it, the answer does not count. That stops what students try, not an expert: code in
one process with the check can do anything, so look at marks that surprise you.
"""

import ast
import builtins
import importlib
import json
import linecache
import os
import sys
import traceback

from posenc_helpers.classroom.exercises.checking import Outcome
from tools.grading import guard
from tools.grading.sandbox import said

MEMORY, FILE = 8 * 2**30, 2**24  # bytes that a process, or one of its files, may take
JUDGES = (
    "posenc_helpers.classroom.exercises",
    "posenc_helpers.lessons",
    "tools.grading",
    "posenc_helpers.encodings",
    "posenc_helpers.lab",
)


def limit() -> None:
    """End with the guard that started this process, and limit memory and the size of files, where the system can."""
    guard.tell_system(guard.DIE_WITH_PARENT, 9)
    if os.name == "posix":
        import resource

        for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, FILE), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(kind, (most, most))


def judges() -> dict[str, dict]:
    """Return what the modules hold on which a verdict rests."""
    import torch

    ours = {name: dict(vars(module)) for name, module in sys.modules.items() if name.startswith(JUDGES)}
    compared = {name: getattr(torch, name) for name in ("allclose", "isclose", "equal")}  # torch itself replaces others
    return ours | {"torch": compared, "builtins": dict(vars(builtins))}


def changed(before: dict[str, dict]) -> list[str]:
    """Return what is no longer as it was: "posenc_helpers.classroom.exercises.checking.need"."""
    now = {name: vars(sys.modules[name]) if name in sys.modules else {} for name in before}
    return [
        f"{name}.{key}"
        for name, held in before.items()
        for key, value in held.items()
        if key != "_" and not key.startswith("__") and now[name].get(key) is not value
    ]


def run(units: list[dict], space: dict) -> None:
    """Run `units` in the namespace `space`, so that an error knows its line."""
    for number, unit in enumerate(units):
        tree = ast.parse(unit["source"])
        tree.body = [node for k, node in enumerate(tree.body) if k not in unit["drop"]]
        name = f"<{unit['cell'] or 'lesson'} {number}>"
        lines = unit["source"].splitlines(keepends=True)
        linecache.cache[name] = (len(unit["source"]), None, lines, name)
        exec(compile(tree, name, "exec"), space)


def verdict(job: dict) -> dict:
    """Return the verdict on `job`."""
    check = getattr(importlib.import_module(job["module"]), job["check"])
    sys.modules["tests"] = sys.modules["tools"] = None  # the course's tests have right answers: no import finds them
    before, space = judges(), {"__name__": "__main__"}
    try:
        run(job["units"], space)
        outcome = check(eval(job["argument"], space))
    except BaseException as error:  # SystemExit and KeyboardInterrupt, too: it is a student's code that raised them
        return said("error", type(error).__name__, told(error))
    touched = changed(before)
    if touched or not isinstance(outcome, Outcome):
        return said("error", "changes the check", f"The answer replaces {', '.join(touched[:3])}.")
    return said(outcome.kind, outcome.mistake, outcome.message)


def told(error: BaseException) -> str:
    """Return what a student needs to know of `error`: its name, its first line, and where in her cells it arose."""
    text = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<")]
    mine = [frame for frame in frames if frame.line]
    return f"{text} (line {mine[-1].lineno}: {mine[-1].line.strip()})" if mine else text


def main() -> None:
    job = json.loads(sys.stdin.read())
    limit()
    outcome = verdict(job)
    with open(job["result"] + ".part", "w", encoding="utf-8") as file:
        json.dump(outcome | {"token": job["token"]}, file)
    os.replace(job["result"] + ".part", job["result"])
    os._exit(0)  # whatever the student's code left running


if __name__ == "__main__":
    main()
