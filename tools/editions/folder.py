"""What an edition needs beside its notebooks: package, data, licences. A folder that works wherever it is put."""

import shutil
from pathlib import Path

from tools.course import ROOT, the_map

SHARED = ("posenc_helpers", "data", "images", "tools/jupyter", "GLOSSARY.md", "CONTRIBUTING.md", "CITATION.cff")
SHARED += ("LICENSE", "LICENSE-text", "pyproject.toml", "requirements.txt")
UNWANTED = ("__pycache__", "*.egg-info", "unfinished", ".ipynb_checkpoints", ".DS_Store")
ANSWERS = "questions.csv"  # short answers to what readers ask
TEMPLATES = Path(__file__).parent / "templates"


def course_folder(target: Path, edition: str) -> None:
    """Fill the new folder `target` with all but the notebooks.

    What is special to `edition` comes from its templates; those who open notebooks get templates/course, too.
    """
    target.mkdir(parents=True)
    for name in SHARED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns(*UNWANTED, ANSWERS))
        else:
            shutil.copy(ROOT / name, target / name)
    special = [TEMPLATES / edition, *([] if edition == "nbgrader" else [TEMPLATES / "course"])]
    for path in (path for folder in special for path in folder.iterdir()):
        text = path.read_text(encoding="utf-8").replace("{notebooks}", the_map())
        (target / path.name.replace("dot-", ".")).write_text(text, encoding="utf-8", newline="\n")
