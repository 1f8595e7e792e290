"""Zip archives: same content, same bytes, whoever makes them and when."""

import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the time that zip counts from


def pack(target: Path, folder: Path, files: Iterable[Path]) -> None:
    """Write `files` of `folder`, sorted, to `target`, in a folder named as `target` is."""
    with zipfile.ZipFile(target, "w") as packed:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{target.stem}/{path.relative_to(folder).as_posix()}", EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if os.access(path, os.X_OK) else 0o644) << 16
            packed.writestr(entry, path.read_bytes())
