"""A progress line that rewrites itself in a notebook and stays short as plain text."""

import sys
import time
from collections.abc import Iterator

from IPython import get_ipython
from IPython.display import display


def progress(count: int, label: str | None, unit: str = "steps") -> Iterator[int]:
    """Yield 0 ... count - 1 and show how many `unit` are done: one line that rewrites itself, with the seconds left.

    Outside a notebook, and in a saved one, only the last line remains. The line is display data, never part of a
    stream, so that it cannot mix with what a cell prints. `label=None` shows nothing.
    """
    if label is None:
        yield from range(count)
        return
    live = get_ipython() is not None and hasattr(get_ipython(), "kernel")
    started = shown = time.monotonic()
    handle = _show(f"{label}: starting", None) if live else None
    for step in range(count):
        yield step
        now, done = time.monotonic(), step + 1
        if live and done < count and now - shown > 0.4:
            bar = "#" * (20 * done // count)
            left = (now - started) / done * (count - done)
            _show(f"{label}: [{bar:<20}] {done} of {count}, {left:.0f} s left", handle)
            shown = now
    line = f"{label}: done, {count} {unit} in {time.monotonic() - started:.1f} s"
    if live:
        _show(line, handle)
    else:
        print(line, file=sys.stderr)


def _show(line: str, handle):
    data = {"text/plain": line}
    if handle is None:
        return display(data, raw=True, display_id=True)
    return handle.update(data, raw=True)
