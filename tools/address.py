"""`python -m tools.address owner/name`: write the public address of the repository wherever it appears.

Its one home is `[project.urls]` in pyproject.toml; setup cells, badges, README and CITATION.cff follow it. An empty REPO
takes the address out again. Tests hold all places to the one home.
"""

import re
import sys

import nbformat

from tools.course import ROOT, address, all_paths, badges, notebook_paths, reading, setup_cell
from tools.notebooks import write

HOME = ROOT / "pyproject.toml"


def set_address(repository: str) -> None:
    """Write `repository`, https://github.com/owner/name or "", into every place that names it."""
    old = address()
    text = re.sub(r'(\[project\.urls\]\n)(Repository = "[^"]*"\n)?', r"\1", HOME.read_text(encoding="utf-8"))
    if repository:
        text = text.replace("[project.urls]\n", f'[project.urls]\nRepository = "{repository}"\n')
    HOME.write_text(text, encoding="utf-8", newline="\n")
    for path in all_paths():
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = cell.source.replace(setup_cell(old), setup_cell(repository))
            cell.source = cell.source.replace(badges(old, path.name), badges(repository, path.name))
        write(notebook, path)
    first = notebook_paths()[0].name  # to which the README's badges lead
    for name in ("README.md", "CITATION.cff"):
        path = ROOT / name
        text = re.sub(r"^repository-code: .*\n", "", path.read_text(encoding="utf-8"), flags=re.M)
        text = text.replace(badges(old, first), badges(repository, first))
        text = text.replace(reading(old), reading(repository))
        if name == "CITATION.cff" and repository:
            text = text.rstrip("\n") + f'\nrepository-code: "{repository}"\n'
        path.write_text(text, encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> None:
    if len(arguments) > 1 or (arguments and not re.fullmatch(r"[\w.-]+/[\w.-]+", arguments[0])):
        sys.exit(f"usage: python -m tools.address owner/name (got {' '.join(arguments)!r})")
    set_address(f"https://github.com/{arguments[0]}" if arguments else "")


if __name__ == "__main__":
    main(sys.argv[1:])
