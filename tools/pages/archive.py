"""The course as one zip file, for a reader who has nothing but the pages: what git tracks, same content, same bytes."""

import subprocess
import zipfile
from pathlib import Path

from tools.course import ROOT, project

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the time that zip counts from
MADE = {".git", ".venv", "build", "__pycache__", ".ruff_cache", ".pytest_cache", ".hypothesis", ".ipynb_checkpoints"}


def name_of_course() -> str:
    return f"posenc-{project()['version']}.zip"


def tracked() -> list[Path]:
    """Return the files of the course, sorted; outside a clone, all but those that tools make."""
    git = ["git", "-C", ROOT, "ls-files", "-z"]
    if (ROOT / ".git").exists():
        names = subprocess.run(git, capture_output=True, check=True, encoding="utf-8").stdout.split("\0")
        files = [ROOT / name for name in names if name]
    else:
        files = [path for path in ROOT.rglob("*") if not MADE & {*path.relative_to(ROOT).parts}]
    return sorted(path for path in files if path.is_file() and not path.is_symlink())


def course(target: Path) -> None:
    """Write the course to `target`, in a folder named as `target` is."""
    with zipfile.ZipFile(target, "w") as file:
        for path in tracked():
            entry = zipfile.ZipInfo(f"{target.stem}/{path.relative_to(ROOT).as_posix()}", EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (path.stat().st_mode & 0o777) << 16
            file.writestr(entry, path.read_bytes())
