"""What a check says: a line for the reader, and an `Outcome` for programs: right, wrong with the likely mistake named, not
attempted, stopped by an error. A check never prints the expected value or formula. `answers.py` reads and calls answers.
"""

import dis
import functools
import inspect
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass

LINES = {
    "right": "right. ",
    "wrong": "not yet. ",
    "not attempted": "not attempted yet. ",
    "error": "your code stopped with ",
}


class NotRight(AssertionError):
    """Raised by `Outcome.require` for every outcome but "right"; its text is the line that the reader saw."""


@dataclass(frozen=True)
class Outcome:
    """What a check found out about one answer.

    title     the exercise, as in the printed line
    kind      "right", "wrong", "not attempted" or "error"
    message   praise, the hint, what to do, or the error
    mistake   a short name of what is wrong, the same for everyone who makes it; "" for a right answer
    """

    title: str
    kind: str
    message: str
    mistake: str = ""

    def __str__(self) -> str:
        return f"{self.title}: {LINES[self.kind]}{self.message}"

    def _ipython_display_(self) -> None:
        """Show nothing: a check is the last line of a cell, and it has printed its line already."""

    def require(self) -> None:
        """Raise NotRight unless the answer is right: for nbgrader, and wherever a wrong answer must not pass."""
        if self.kind != "right":
            raise NotRight(str(self))


class NotYet(Exception):
    """The answer is wrong: `hint` names the likely mistake, `where` says for which input, `name` is its short name."""

    def __init__(self, hint: str, where: str = "", name: str = ""):
        starts = hint[0].lower() if where.endswith(": ") and not hint[1:2].isupper() else hint[:1]
        super().__init__(where + starts + hint[1:])
        self.name = name or short(hint)


def need(condition: bool, hint: str, where: str = "", name: str = "") -> None:
    """Raise NotYet unless `condition` holds. Give `where` or `name` if the words of `hint` depend on the answer."""
    if not condition:
        raise NotYet(hint, where, name)


def short(hint: str) -> str:
    """Return the first clause of `hint` that has three words or more: the name of a mistake, without a full stop."""
    for stop in re.finditer(r"[.:;,?](?=\s|$)", hint):
        if len(hint[: stop.start()].split()) > 2:
            return hint[: stop.start()]
    return hint


def check(title: str, well_done: str) -> Callable:
    """Return a decorator that makes a check of a test: a function of an answer that raises NotYet where it is wrong.

    The check prints and returns the `Outcome` under this title, with the praise `well_done` for a right answer.
    """

    def made(test: Callable) -> Callable:
        @functools.wraps(test)
        def run(answer) -> Outcome:
            return run_check(title, answer, lambda: test(answer), well_done)

        return run

    return made


def run_check(title: str, answer, test: Callable[[], None], well_done: str) -> Outcome:
    """Run `test`, which raises NotYet with a hint where the answer is wrong; print and return the outcome."""
    outcome = _outcome(title, answer, test, well_done)
    print(outcome)
    return outcome


def _outcome(title: str, answer, test: Callable[[], None], well_done: str) -> Outcome:
    if not attempted(answer):
        return Outcome(title, "not attempted", "Replace the ... and run the cell again.", "not attempted")
    try:
        test()
    except NotYet as hint:
        return Outcome(title, "wrong", str(hint), hint.name)
    except NotImplementedError:
        return Outcome(title, "not attempted", "Replace the line that raises NotImplementedError.", "not attempted")
    except Exception as error:
        kind = type(error).__name__
        return Outcome(title, "error", f"{kind}: {_first_line(error)}{_line(error, answer)}{_plainly(error)}", kind)
    return Outcome(title, "right", well_done)


def attempted(answer) -> bool:
    """Return False for `...`, for a function whose body is still `...`, `return ...`, `pass` or a docstring alone, and for
    a tuple, a dict or a class (`__init__` apart) that holds nothing else."""
    if answer is ...:
        return False
    parts = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, tuple) else ()
    if inspect.isclass(answer):
        parts = [part for name, part in vars(answer).items() if inspect.isfunction(part) and name != "__init__"]
    if parts:
        return any(map(attempted, parts))
    code = getattr(answer, "__code__", None)
    if code is None:
        return True
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "NOP", "CACHE")]
    empty = all(step.opname in ("LOAD_CONST", "RETURN_VALUE", "RETURN_CONST") for step in steps)
    return not (empty and all(step.argval in (None, ...) for step in steps if step.opname != "RETURN_VALUE"))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0].rstrip(".")[:200]


def _line(error: Exception, answer) -> str:
    """Say where in the reader's own code the error arose, not where in ours."""
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    files = {function.__code__.co_filename for function in functions if hasattr(function, "__code__")}
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not frames:
        return "."
    return f". Look at line {frames[-1].lineno} of your cell: {(frames[-1].line or '').strip()}"


# What the messages of PyTorch, NumPy and Python mean, by a part of them.
MEANINGS = {
    r"einsum|subscript": "In einsum a letter stands for one axis: used twice, it ties two axes together.",
    r"must match the size|cannot be multiplied|be broadcast|is invalid for input": "Two shapes do not fit: print both.",
    r"out of (bounds|range)": "An index runs off the end: n things are numbered 0 to n - 1.",
    r"scalar type|same dtype": "Two types meet, such as float32 and float64.",
    r"before Module.__init__": "Call super().__init__() first.",
    r"positional argument|unexpected keyword": "The check gives it the arguments of the stub, in that order.",
    r"'NoneType'": "Something returned None: is a `return` missing?",
    r"in-place operation|single memory location": "Do not write into a tensor that others use: make a new one.",
}


def _plainly(error: Exception) -> str:
    """Return what the error means, with a separator before it, or nothing if the message says it all."""
    found = [meaning for pattern, meaning in MEANINGS.items() if re.search(pattern, str(error))]
    return f" ({found[0]})" if found else ""
