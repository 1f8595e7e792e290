"""Files that are never half written, whatever interrupts the writing."""

import os
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write `text` to the file `path` in one step: it holds the old content or the new, never a part of either."""
    partial = path.with_name(f".{path.name}.partial")  # beside it: a move within one folder is atomic
    try:
        with open(partial, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
