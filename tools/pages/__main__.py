"""`make pages`: the saved notebooks as a web site in build/pages, whose explorers move without a kernel.

python -m tools.pages [--only 01 03]
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from tools.course import ROOT, notebook_paths
from tools.pages.frames import draw_all
from tools.pages.sources import HERE, write_sources

BUILD = ROOT / "build"


def build(out: Path = BUILD / "pages", work: Path = BUILD, only: list[str] | None = None, few: bool = False) -> None:
    """Build the pages into `out`; what is kept for the next time lies in `work`.

    `only` are the first letters of the notebooks to take, if not all; `few` draws few frames (see `frames.draw`).
    Raises ValueError where an explorer is too large, a picture is not described, or Sphinx has something to warn of.
    """
    paths = [path for path in notebook_paths() if only is None or path.name.startswith(tuple(only))]
    frames = draw_all(paths, work / "frames", few)
    sources = work / "sources"
    write_sources(sources, frames, [path.stem for path in paths])
    shutil.rmtree(out, ignore_errors=True)
    copied = f"html_extra_path={sources / 'extra'}"
    code = sphinx(["-q", "-W", "--keep-going", "-j", "auto", "-E", "-d", str(work / "doctrees"), "-b", "html",
                   "-c", str(HERE), "-D", copied, str(sources), str(out)])  # fmt: skip
    if code:
        raise ValueError("Sphinx stopped, or warned of something: see above")
    for (name, cell_id), drawn in frames.items():
        target = out / "frames" / name / cell_id
        target.mkdir(parents=True)
        for file in drawn.folder.glob("*.webp"):
            shutil.copy(file, target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NN", help="these notebooks only")
    started = time.monotonic()
    try:
        build(only=parser.parse_args().only)
    except ValueError as error:
        sys.exit(str(error))
    size = sum(file.stat().st_size for file in (BUILD / "pages").rglob("*") if file.is_file())
    print(f"build/pages: {size / 1e6:.0f} MB in {time.monotonic() - started:.0f} s")
    print("Open build/pages/index.html, or: python -m http.server --directory build/pages")
