"""Files that are never half written, whatever interrupts the writing."""

import os
import time
from pathlib import Path

PATIENCE = 10.0  # seconds


def replace_file(path: Path, text: str) -> None:
    """Write `text` to the file `path` in one step: it holds the old content or the new, never a part of either.

    Windows does not replace a file while somebody reads it: it is tried again for PATIENCE seconds.
    Raises OSError where the file cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial")  # beside it: a move within one folder is atomic
    try:
        with open(partial, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return os.replace(partial, path)
            except PermissionError:
                if time.monotonic() >= end:
                    raise
                time.sleep(0.05)
    finally:
        partial.unlink(missing_ok=True)
