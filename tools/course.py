"""Facts about the course that several tools and tests share: its folders, its address, its setup cell."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
HOMEWORK = ROOT / "teaching" / "homework"
README_PICTURE = ("03_sinusoidal.ipynb", "clocks-run", "images/clocks.png")  # notebook, cell, file

SETUP_CELL = """\
#@title Setup: finds the helper package; on Colab it fetches the course first
# Nothing already installed is changed.
import importlib.util, pathlib, shutil, subprocess, sys

REPO = "{address}"  # the course's public address, filled in by `python -m tools.address`
def course():  # the folder that holds the helpers, or None
    here = pathlib.Path.cwd()
    places = (here, *here.parents, here / "posenc")
    return next((f for f in places if (f / "posenc_helpers").is_dir()), None)

if not importlib.util.find_spec("posenc_helpers"):
    if REPO and not course() and shutil.which("git"):
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", REPO, "posenc"])
    if not course():
        raise ModuleNotFoundError(
            "The helper package is missing: download the whole course, not this "
            "notebook alone, start Jupyter in its folder, and run this cell again.")
    sys.path.insert(0, str(course()))
import posenc_helpers, torch
print("ready, with torch", torch.__version__)"""


def notebook_paths() -> list[Path]:
    """Return the notebooks of the course in order."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def homework_paths() -> list[Path]:
    """Return the homework sheets in order: each is called as the notebook that it belongs to."""
    return sorted(HOMEWORK.glob("*.ipynb"))


def all_paths() -> list[Path]:
    """Return the notebooks of the course, then its homework sheets."""
    return [*notebook_paths(), *homework_paths()]


def title(path: Path) -> str:
    """Return how a record, a report and a sentence name the notebook or homework sheet at `path`: both may have one name."""
    return f"homework/{path.stem}" if path.parent == HOMEWORK else path.stem


def project() -> dict:
    """Return what pyproject.toml says of the project."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def address() -> str:
    """Return the public address of the repository, or "" while it is not known. Its one home is pyproject.toml."""
    return project().get("urls", {}).get("Repository", "")


def setup_cell(repository: str) -> str:
    """Return the source of the setup cell, the same in every notebook."""
    return SETUP_CELL.replace("{address}", repository)


def badges(repository: str, notebook: str) -> str:
    """Return the line of badges of `notebook` (its file name), or a plain sentence while there is no address."""
    owner_name = repository.removeprefix("https://github.com/")
    if not repository:
        return "*Runs in JupyterLab (`make lab`). Colab and Binder badges appear here once the course has a public address.*"
    colab = f"https://colab.research.google.com/github/{owner_name}/blob/main/notebooks/{notebook}"
    binder = f"https://mybinder.org/v2/gh/{owner_name}/main?urlpath=lab/tree/notebooks/{notebook}"
    return (
        f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab}) "
        f"[![Open in Binder](https://mybinder.org/badge_logo.svg)]({binder})"
    )


def reading(repository: str) -> str:
    """Return the README's line for those who only read and play: the published pages, or how to make them."""
    if not repository:
        return "**Just read and play:** `make pages`, then open `build/pages/index.html`: everything moves without a kernel."
    owner, name = repository.removeprefix("https://github.com/").split("/")
    return f"**[Just read and play](https://{owner}.github.io/{name}/):** every page, every slider, nothing to install."


def the_map() -> str:
    """Return the README's table of the notebooks."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"^\| No. \| Notebook .+?(?=\n\n)", readme, re.M | re.S)[0]
