"""What an edition was made from: a hash of the sources for each notebook, in a file beside the edition's folder.

`tools.editions.release` packs only what is made from the sources of now.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tools.course import ROOT, homework_paths, notebook_paths, title
from tools.editions.folder import SHARED

TOOLS = {
    "slides": ("tools/slides", "tools/pages", "teaching"),
    "quiz": ("tools/quiz", "teaching/quiz"),
    "pages": ("tools/pages", "tools/quiz", "teaching"),
}
GENERATED = ("__pycache__", ".egg-info")
WITH_SHEETS = ("student", "nbgrader", "solutions")  # made from the homework, too


def record(folder: Path) -> Path:
    """Return the file that says what the edition in `folder` was made from."""
    return folder.with_name(f".{folder.name}.json")


def stamp(edition: str, notebook: Path) -> str:
    """Return what changes whenever the part of `edition` that comes from `notebook` could."""
    return hashlib.sha256(notebook.read_bytes() + _around(edition).encode()).hexdigest()


@cache
def _around(edition: str) -> str:
    """Return what changes with all that `edition` is made from beside the notebooks."""
    found = []
    for name in (*SHARED, *TOOLS.get(edition, ("tools/editions",))):
        path = ROOT / name
        found += [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    found = sorted({file for file in found if not any(part.endswith(GENERATED) for part in file.parts)})
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in found)).hexdigest()


def write_stamps(edition: str, folder: Path, made: Iterable[Path]) -> None:
    """Note that `edition` in `folder` was made just now, as far as it comes from the notebooks `made`."""
    new = read_stamps(folder) | {title(path): stamp(edition, path) for path in made}
    record(folder).write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")


def replace(old: Path, new: Path, edition: str, made: Iterable[Path]) -> None:
    """Put the folder `new` in the place of `old`, and note that `edition` was made of the notebooks `made`."""
    if not old.is_dir():
        record(old).unlink(missing_ok=True)
    shutil.rmtree(old, ignore_errors=True)
    new.rename(old)
    write_stamps(edition, old, made)


def read_stamps(folder: Path) -> dict[str, str]:
    return json.loads(record(folder).read_text(encoding="utf-8")) if record(folder).is_file() else {}


def refusal(edition: str, folder: Path) -> str:
    """Return the sentence that says why `edition` in `folder` cannot be released, or ""."""
    made = read_stamps(folder) if folder.is_dir() else {}
    if not made:
        return f"{edition}: not made."
    paths = [*notebook_paths(), *(homework_paths() if edition in WITH_SHEETS else [])]
    if missing := [title(path) for path in paths if title(path) not in made]:
        return f"{edition}: not made of {', '.join(missing)}."
    if stale := [title(path) for path in paths if made[title(path)] != stamp(edition, path)]:
        return f"{edition}: its sources have changed since it was made of {', '.join(stale)}."
    return ""
