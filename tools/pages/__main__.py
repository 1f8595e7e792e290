"""`make pages`: the saved notebooks as a web site in build/pages, whose explorers move without a kernel.

python -m tools.pages [--language de | --catalogues]
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from tools.course import ROOT, notebook_paths
from tools.editions.stamps import write_stamps
from tools.pages.frames import draw_all
from tools.pages.search import write_index
from tools.pages.sources import HERE, write_sources

BUILD = ROOT / "build"
LOCALES = ROOT / "teaching" / "locales"


def build(out: Path, work: Path = BUILD, few: bool = False, language: str = "en", builder: str = "html") -> None:
    """Build the pages into `out`; what is kept for the next time lies in `work`.

    `few` draws few frames (see `frames.draw`). What teaching/locales has in `language` takes the place of the English
    text. The builder "gettext" writes catalogues of all texts instead of pages.
    Raises ValueError where an explorer is too large, a picture is not described, or Sphinx has something to warn of.
    """
    frames = draw_all(notebook_paths(), work / "frames", few)
    sources = work / "sources"
    write_sources(sources, frames)
    shutil.rmtree(out, ignore_errors=True)
    settings = {"html_extra_path": sources / "extra", "locale_dirs": LOCALES, "language": language}
    options = ["-q", "-W", "--keep-going", "-E", "-j", "auto", "-b", builder, "-c", HERE, "-d", work / "doctrees"]
    options += [f"-D{name}={value}" for name, value in settings.items()]
    if sphinx([str(option) for option in [*options, sources, out]]):
        raise ValueError("Sphinx stopped, or warned of something: see above")
    for (name, cell_id), drawn in frames.items() if builder == "html" else ():
        drawn.copy_to(out / "frames" / name / cell_id)
    if builder == "html":
        name_landmarks(out)
        write_index(out)


def name_landmarks(out: Path) -> None:
    """Give the two sides of each page names by ear, which the theme's templates have no place for."""
    for path in out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for side, name in (("sidebar", "The course"), ("toc", "This page")):
            text = text.replace(f'<aside class="{side}-drawer', f'<aside aria-label="{name}" class="{side}-drawer')
        path.write_text(text, encoding="utf-8")


def main(language: str, catalogues: bool) -> None:
    name = "translations" if catalogues else "pages" if language == "en" else f"pages-{language}"
    started = time.monotonic()
    try:
        build(BUILD / name, language=language, builder="gettext" if catalogues else "html")
    except ValueError as error:
        sys.exit(str(error))
    if name == "pages":
        write_stamps(name, BUILD / name, notebook_paths())
    size = sum(file.stat().st_size for file in (BUILD / name).rglob("*") if file.is_file())
    print(f"build/{name}: {size / 1e6:.0f} MB in {time.monotonic() - started:.0f} s")
    if not catalogues:
        print(f"Open build/{name}/index.html, or: python -m http.server --directory build/{name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--language", default="en", help="with the translations of teaching/locales, into pages-LANGUAGE"
    )
    parser.add_argument("--catalogues", action="store_true", help="write the texts that can be translated instead")
    main(**vars(parser.parse_args()))
