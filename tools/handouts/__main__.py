"""`python -m tools.handouts`: each homework sheet and exam for paper, in build/handouts/.

student/ is what students get, key-SECRET/ holds the same with keys and rubrics. Each as a page of HTML, as Markdown that
can be changed, and as a PDF where a Chromium is found (`CHROMIUM=` names one).
"""

import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from tools.chromium import find_chromium
from tools.course import ROOT, homework_paths
from tools.handouts.paper import exam, page, sheet, unfolded

BUILD = ROOT / "build" / "handouts"
EXAMS = ROOT / "teaching" / "exam"
FOLDERS = {"student": False, "key-SECRET": True}


def papers(keys: bool) -> dict[str, str]:
    """Return {name of a file without its ending: Markdown} of all sheets and exams."""
    found = {f"homework-{path.stem}": sheet(path, keys) for path in homework_paths()}
    for path in sorted(EXAMS.glob("*.md")):
        if "<summary>Key</summary>" in path.read_text(encoding="utf-8"):  # an exam, and no page about exams
            found[f"exam-{path.stem}"] = exam(path, keys)
    return found


def write(folder: Path = BUILD) -> list[Path]:
    """Write all handouts as HTML and Markdown below `folder`, in place of the old ones; return the pages of HTML.

    Raises ValueError where students would get a key.
    """
    shutil.rmtree(folder, ignore_errors=True)
    pages = []
    for name, keys in FOLDERS.items():
        (folder / name).mkdir(parents=True)
        for stem, markdown in papers(keys).items():
            pages.append(folder / name / f"{stem}.html")
            pages[-1].write_text(page(markdown, keys), encoding="utf-8", newline="\n")
            (folder / name / f"{stem}.md").write_text(unfolded(markdown), encoding="utf-8", newline="\n")
    return pages


def browser() -> str | None:
    """Return the path of a Chromium, or None where there is none, or $CHROMIUM is no program."""
    with suppress(FileNotFoundError):
        return find_chromium()
    return None


def print_pdf(program: str, source: Path) -> None:
    """Print the page `source` into a PDF beside it. Raises CalledProcessError or TimeoutExpired where that fails."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={profile}"]
        target = f"--print-to-pdf={source.with_suffix('.pdf')}"
        subprocess.run([program, *flags, target, source.as_uri()], check=True, capture_output=True, timeout=180)


def main() -> None:
    pages, program = write(), browser()
    for source in pages if program else ():
        print_pdf(program, source)
    kinds = "HTML, Markdown and PDF" if program else "HTML and Markdown; no Chromium found, so no PDF"
    print(f"{len(pages)} handouts in {BUILD.relative_to(ROOT)}, student/ and key-SECRET/: {kinds}")


if __name__ == "__main__":
    main()
