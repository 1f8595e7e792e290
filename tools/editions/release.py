"""Zip archives of the editions, build/releases/posenc-0.1.0-student.zip; same content, same bytes.

Slides, pages and quizzes go along, as far as they have been made.
"""

import sys
from pathlib import Path

from tools.archive import pack
from tools.course import ROOT, homework_paths, notebook_paths, project
from tools.editions.__main__ import BUILD, EDITIONS, place

RELEASES = ROOT / "build" / "releases"
BESIDE = ("pages", "quiz")  # of build/


def whole(folder: Path) -> bool:
    """Whether the edition in `folder`, which is called as it is, has every notebook and every homework sheet."""
    return all((folder / place(folder.name, path)).is_file() for path in (*notebook_paths(), *homework_paths()))


def archive(folder: Path, target: Path) -> None:
    """Write what `folder` holds to `target`, in a folder named as `target` is."""
    pack(target, folder, (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts))


def main() -> None:
    missing = [edition for edition in EDITIONS if not whole(BUILD / edition)]
    if missing:
        sys.exit(f"{', '.join(missing)}: not made, or not of all notebooks. Run `make editions` first.")
    RELEASES.mkdir(parents=True, exist_ok=True)
    editions = sorted(path for path in BUILD.iterdir() if path.is_dir() and not path.name.startswith("."))
    for folder in [*editions, *(BUILD.parent / name for name in BESIDE if (BUILD.parent / name).is_dir())]:
        target = RELEASES / f"posenc-{project()['version']}-{folder.name}.zip"
        archive(folder, target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    main()
