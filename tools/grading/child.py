"""What runs in the sandbox: a student's cells, then the check that the teacher's copy of the course has.

The check is imported, and called, here: no name of the student's code can take its place. Where that code puts something
of its own into the modules that judge it, the answer does not count. That stops what students try, not an expert: code in
one process with the check can do anything, and suspicious.py says which answers a human should look at.
"""

import ast
import builtins
import importlib
import json
import linecache
import os
import sys
import traceback
from types import FunctionType

from posenc_helpers.classroom.exercises.checking import Outcome
from tools.grading import again, guard, said

ADDRESSES, FILE = 8 * 2**30, 4 * 2**20  # bytes of addresses, where guard.py cannot see memory; bytes of a file
OPEN = 128  # files at once
TRAINS = {"check_beats_rope"}  # takes a minute and more, and is asked once
JUDGES = (
    "posenc_helpers.classroom.exercises",
    "posenc_helpers.lessons",
    "tools.grading",
    "posenc_helpers.encodings",
    "posenc_helpers.lab",
)


def limit() -> None:
    """End with the guard that started this process, and limit files, where the system can."""
    guard.tell_system(guard.DIE_WITH_PARENT, 9)
    if os.name == "posix":
        import resource

        limits = {resource.RLIMIT_FSIZE: FILE, resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: OPEN}
        if sys.platform != "linux":  # there it would stop PyTorch from loading what it never uses
            limits[resource.RLIMIT_AS] = ADDRESSES
        for kind, most in limits.items():
            resource.setrlimit(kind, (most, most))


def judges() -> dict[str, dict]:
    """Return what the modules hold on which a verdict rests, and what that is made of."""
    import torch

    ours = {name: vars(module) for name, module in sys.modules.items() if name.startswith(JUDGES)}
    compared = {name: getattr(torch, name) for name in ("allclose", "isclose", "equal", "Tensor")}  # it replaces others
    held = ours | {"torch": compared, "builtins": vars(builtins)}
    return {
        name: {key: parts(value) for key, value in of.items() if key != "_" and not key.startswith("__")}
        for name, of in held.items()
    }


def parts(value) -> dict:
    """Return what must stay the same object in `value`, which can be another while its name stays."""
    found = {"": value}
    if isinstance(value, FunctionType):
        found |= {"code": value.__code__, "defaults": value.__defaults__, "named": value.__kwdefaults__}
    elif isinstance(value, type):
        found |= {(name, part): one for name, held in vars(value).items() for part, one in _code(held).items()}
        found["names"] = len(vars(value))
    elif isinstance(value, dict):
        found |= {("item", key): one for key, one in value.items()}
    elif isinstance(value, list):
        found |= dict(enumerate(value)) | {"length": len(value)}
    return found


def _code(held) -> dict:
    return {"": held} | ({"code": held.__code__} if isinstance(held, FunctionType) else {})


def changed(before: dict[str, dict]) -> list[str]:
    """Return what is no longer as it was: "posenc_helpers.classroom.exercises.checking.need"."""
    missing, found = object(), []
    for name, held in before.items():
        now = vars(sys.modules[name]) if name in sys.modules else {}
        for key, were in held.items():
            are = parts(now.get(key, missing))
            if any(are.get(part, missing) is not one for part, one in were.items()):  # a dict may have more by now
                found.append(f"{name}.{key}")
    return found


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
    units, argument, compare, judged, ask_again = job["units"], job["argument"], changed, said, again.differs
    trains, function = job["check"] in TRAINS, job["function"]
    job.clear()  # an answer that looks around finds less
    sys.modules["tests"] = sys.modules["tools"] = None  # the course's tests have right answers: no import finds them
    twin, before = again.Twin(check, lambda: made(units, argument)), judges()
    look = ""
    try:
        answer = made(units, argument)
        outcome = check(answer)
        if isinstance(outcome, Outcome) and outcome.kind == "right" and not trains:
            look = "hands in a class" if function and isinstance(answer, type) else ask_again(check, answer, twin)
    except BaseException as error:  # SystemExit and KeyboardInterrupt, too: it is a student's code that raised them
        return judged("error", type(error).__name__, told(error))
    touched = compare(before)
    if touched or not isinstance(outcome, Outcome):
        return judged("error", "changes the check", f"The answer replaces {', '.join(touched[:3])}.")
    return judged(outcome.kind, outcome.mistake, outcome.message) | {"look": look}


def made(units: list[dict], argument: str):
    """Run `units`, and return what `argument` then stands for: the answer."""
    space = {"__name__": "__main__"}
    run(units, space)
    return eval(argument, space)


def told(error: BaseException) -> str:
    """Return what a student needs to know of `error`: its name, its first line, and where in her cells it arose."""
    text = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<")]
    mine = [frame for frame in frames if frame.line]
    return f"{text} (line {mine[-1].lineno}: {mine[-1].line.strip()})" if mine else text


def main() -> None:
    job = json.loads(sys.stdin.read())
    verdicts = os.dup(1)  # what the student's code prints goes nowhere
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    limit()
    token = job.pop("token")
    outcome = {key: text[:1000] for key, text in verdict(job).items()}
    os.write(verdicts, json.dumps(outcome | {"token": token}).encode())
    os._exit(0)  # whatever the student's code left running


if __name__ == "__main__":
    # As a module with a name: `judges` looks at that one, too.
    importlib.import_module("tools.grading.child").main()
