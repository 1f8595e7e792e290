"""Zip archives: same content, same bytes, whoever makes them and when."""

import os
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path

from tools.course import ROOT, project

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the time that zip counts from
MADE = {".git", ".venv", "build", "__pycache__", ".ruff_cache", ".pytest_cache", ".hypothesis", ".ipynb_checkpoints"}


def pack(target: Path, folder: Path, files: Iterable[Path]) -> None:
    """Write `files` of `folder`, sorted, but nothing compiled, to `target`, in a folder named as `target` is."""
    with zipfile.ZipFile(target, "w") as packed:
        for path in sorted(path for path in files if path.is_file() and "__pycache__" not in path.parts):
            entry = zipfile.ZipInfo(f"{target.stem}/{path.relative_to(folder).as_posix()}", EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if os.access(path, os.X_OK) else 0o644) << 16
            packed.writestr(entry, path.read_bytes())


def name_of_course() -> str:
    return f"posenc-{project()['version']}.zip"


def course_files() -> list[Path]:
    """Return the files of the course that git tracks; outside a clone, all but those that tools make."""
    git = ["git", "-C", ROOT, "ls-files", "-z"]
    if (ROOT / ".git").exists():
        names = subprocess.run(git, capture_output=True, check=True, encoding="utf-8").stdout.split("\0")
        files = [ROOT / name for name in names if name]
    else:
        files = [path for path in ROOT.rglob("*") if not MADE & {*path.relative_to(ROOT).parts}]
    return [path for path in files if not path.is_symlink()]
