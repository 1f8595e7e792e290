"""`claim`: a sentence of the text, measured by the cell beside it. `answer`: the one that a "Predict" asked for.

ok  difference from the package: 2.4e-07 (below 1e-05)
ok  three pairs and a half are refused
=>  moved by 5, the scores change by: 3.1e-07 (below 1e-05)            (bold, where the viewer can)
ok  4 of 4: the rules of a conversion                                  (of `proof`: a click shows the four)
"""

import html
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from IPython.display import display
from torch import Tensor

from posenc_helpers.classroom.predictions import entered

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"  # what terminals, JupyterLab, Colab and GitHub all show as bold
# What a claim measured, between its statement and its bound: tests blank it. `tests/nbval.cfg` has the same.
MEASURED = re.compile(r": \S+(?= \((?:below|above|within) )")
_proof: list[str] | None = None  # the lines of the proof that is being written


class ClaimFailed(AssertionError):
    """The measurement contradicts the text."""


def difference(left: Tensor, right: Tensor) -> Tensor:
    """Return the largest absolute difference of two tensors of like shape, what most claims measure."""
    return (left - right).abs().max()


def refused(call: Callable[[], object]) -> bool:
    """Return whether `call()` raises a ValueError, and print what it says."""
    try:
        call()
    except ValueError as error:
        print(error)
        return True
    return False


def claim(
    statement: str,
    measured: float | bool | Tensor,
    *,
    below: float | None = None,
    above: float | None = None,
    near: float | None = None,
    within: float | None = None,
    equals: float | None = None,
) -> None:
    """Print `ok  STATEMENT: MEASURED (BOUND)`, or raise ClaimFailed if the measurement says otherwise.

    Give one bound: `below`, `above`, `equals` (for counts), or `near` together with `within` (its largest allowed
    distance); none where `measured` is True or False. Else it is a number or a tensor of one element. NaN fails every
    claim. Raises TypeError or ValueError when the claim itself is ill-formed.
    """
    _say("ok  ", _line(statement, measured, below, above, near, within, equals))


def answer(statement: str, measured: float | bool | Tensor, **bound: float) -> None:
    """Make the claim that answers a "Predict": as `claim`, but its line stands out, below what `predict` was told."""
    if _proof is not None:
        raise ValueError(f"the answer {statement!r} stands in a proof, where it would be folded away")
    line = _line(statement, measured, **bound)
    if entry := entered(statement):
        print(f"    you: {entry}")
    _say("=>  ", line, BOLD, PLAIN)


@contextmanager
def proof(statement: str) -> Iterator[None]:
    """Show one line for the claims of the block, `ok  4 of 4: STATEMENT`, that unfolds to all; one that fails ends it.

    Raises ValueError for a proof within a proof, and for one without a claim.
    """
    global _proof
    if _proof is not None:
        raise ValueError(f"the proof {statement!r} stands within another")
    _check_statement(statement)
    _proof = lines = []
    try:
        yield
    except BaseException:
        print(*lines, sep="\n")  # what held until then
        raise
    finally:
        _proof = None
    if not lines:
        raise ValueError(f"the proof {statement!r} holds no claim")
    line = f"ok  {len(lines)} of {len(lines)}: {statement}"
    summary, text = html.escape(line), html.escape("\n".join(lines))
    folded = f"<details><summary><code>{summary}</code></summary><pre>{text}</pre></details>"
    display({"text/html": folded, "text/plain": "\n    ".join([line, *lines])}, raw=True)


def _say(mark: str, line: str, before: str = "", after: str = "") -> None:
    if _proof is not None:
        _proof.append(mark + line)
    else:
        print(f"{before}{mark}{line}{after}")


def _line(statement, measured, below=None, above=None, near=None, within=None, equals=None) -> str:
    """Return the line of a claim without its mark, or raise ClaimFailed."""
    _check_statement(statement)
    if isinstance(measured, Tensor):
        if measured.numel() != 1:
            raise ValueError(f"measured has shape {tuple(measured.shape)}; allowed: one number")
        yes_or_no = measured.dtype == torch.bool
        measured = measured.detach()  # or PyTorch warns, in the cell that makes the claim
    else:
        yes_or_no = isinstance(measured, bool) or type(measured).__name__ in ("bool", "bool_")  # NumPy's too
    value = float(measured)
    bounds = [below, above, near, equals]
    if yes_or_no and bounds == [None] * 4 and within is None:
        if not value:
            raise ClaimFailed(f"not so: {statement}")
        return statement
    if bounds.count(None) != 3 or (near is None) != (within is None):
        raise ValueError("give exactly one bound: below=, above=, equals=, or near= with within=")
    if below is not None:
        holds, bound = value < below, f"below {below:g}"
    elif above is not None:
        holds, bound = value > above, f"above {above:g}"
    elif equals is not None:
        holds, bound = value == equals, f"exactly {equals:g}"
    else:
        holds, bound = abs(value - near) <= within, f"within {within:g} of {near:g}"
    line = f"{statement}: {_short(value)} ({bound})"
    if not holds:  # NaN compares false and lands here
        raise ClaimFailed(f"not so: {line}")
    return line


def _check_statement(statement: str) -> None:
    if not statement or "\n" in statement or MEASURED.search(statement):
        raise ValueError(f"statement={statement!r} must be one line that holds no number with its bound")


def _short(value: float) -> str:
    """Three significant digits; whole numbers in full."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.3g}"
