"""What an exercise forbids is refused while the answer runs, whatever name it was given, and wherever it was imported.

    ask = watched(forbidding(answer, "This exercise asks for it without `interpolate`.", interpolate))

Python reports every call to `sys.setprofile`'s function; what counts is the code that is called, not how it is named.
"""

import functools
import re
import sys
from collections.abc import Callable
from types import CodeType, FrameType

from posenc_helpers.classroom.exercises.checking import NotYet
from posenc_helpers.classroom.exercises.operations import Watch

PACKAGE = "posenc_helpers."
MACHINERY = re.compile(
    r"posenc_helpers\.(classroom\.exercises|lessons\.\w+\.(exercises|homework|mistakes|hints|six_models))\b"
)


def forbidding(
    answer: Callable,
    why: str,
    *functions: Callable,
    package: bool = False,
    but: tuple[str, ...] = (),
    operations: tuple[str, ...] = (),
) -> Callable:
    """Return `answer`, which raises NotYet with the sentence `why` where it calls what is forbidden.

    functions    what must not run, by whatever way: by another name, or inside another function
    package      whether the answer must call nothing of this package; what stands in the notebook is not the package
    but          names of functions of the package that it may call all the same
    operations   beginnings of names of PyTorch's operations that must not run: "upsample"
    """
    codes = {_code(function) for function in functions}

    @functools.wraps(answer)
    def run(*inputs):
        found: list[str] = []

        def see(frame: FrameType, event: str, called) -> None:
            if event == "call" and (frame.f_code in codes or (package and _enters(frame, but))):
                found.append(_name(frame.f_code))
                raise NotYet(why)
            if event == "c_call" and any(called is function for function in functions):
                found.append(called.__name__)
                raise NotYet(why)

        watch, before = Watch(), sys.getprofile()
        try:
            with watch:
                sys.setprofile(see)
                return answer(*inputs)
        finally:
            sys.setprofile(before)
            found += [name for name in sorted(watch.names) if name.startswith(operations or ("\n",))]
            if found:  # also where the answer caught what was raised
                raise NotYet(f"Your code calls {found[0]}. {why}", name="calls what is forbidden")

    return run


def _code(function: Callable) -> CodeType | None:
    """Return the code of a function, also of NumPy's, which stand behind a dispatcher; None if it is none of Python's."""
    return getattr(getattr(function, "_implementation", function), "__code__", None)


def _enters(frame: FrameType, but: tuple[str, ...]) -> bool:
    """Whether `frame` is a call into the package from outside it, of something that is not in `but`."""
    return _inside(frame) and not _inside(frame.f_back) and _name(frame.f_code) not in but


def _inside(frame: FrameType | None) -> bool:
    module = frame.f_globals.get("__name__", "") if frame else ""
    return module.startswith(PACKAGE) and not MACHINERY.match(module)


def _name(code: CodeType) -> str:
    """Return "RotaryEncoding" for its methods, and the name of a function."""
    return code.co_qualname.split(".")[0]
