"""The course as one zip file, for a reader who has nothing but the pages: what git tracks, same content, same bytes."""

import subprocess
from pathlib import Path

from tools.archive import pack
from tools.course import ROOT, project

MADE = {".git", ".venv", "build", "__pycache__", ".ruff_cache", ".pytest_cache", ".hypothesis", ".ipynb_checkpoints"}


def name_of_course() -> str:
    return f"posenc-{project()['version']}.zip"


def tracked() -> list[Path]:
    """Return the files of the course; outside a clone, all but those that tools make."""
    git = ["git", "-C", ROOT, "ls-files", "-z"]
    if (ROOT / ".git").exists():
        names = subprocess.run(git, capture_output=True, check=True, encoding="utf-8").stdout.split("\0")
        files = [ROOT / name for name in names if name]
    else:
        files = [path for path in ROOT.rglob("*") if not MADE & {*path.relative_to(ROOT).parts}]
    return [path for path in files if path.is_file() and not path.is_symlink()]


def course(target: Path) -> None:
    """Write the course to `target`, in a folder named as `target` is."""
    pack(target, ROOT, tracked())
