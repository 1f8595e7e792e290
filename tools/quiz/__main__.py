"""Write the quizzes of teaching/quiz/ to build/quiz/, for learning platforms, for paper and for the browser.

gift/ is for Moodle, canvas/ for Canvas (QTI 1.2), qti/ for others (QTI 2.1), nbgrader/ holds notebooks to release,
print/ pages to hand out and their keys, browser/ pages to open from the folder.
"""

from pathlib import Path

import nbformat

from tools.course import ROOT, notebook_paths
from tools.editions.stamps import write_stamps
from tools.quiz.exports import gift, nbgrader, printed, printed_key
from tools.quiz.file import Quiz, read_quizzes
from tools.quiz.html import standalone
from tools.quiz.qti import qti
from tools.quiz.qti12 import qti12

BUILD = ROOT / "build" / "quiz"


def write(quizzes: list[Quiz], folder: Path = BUILD) -> list[Path]:
    """Write every export of `quizzes` below `folder`, and return the files."""
    files = {}
    for quiz in quizzes:
        files[f"gift/{quiz.name}.gift"] = gift(quiz)
        files[f"print/{quiz.name}.html"] = printed(quiz)
        files[f"print/{quiz.name}-key.html"] = printed_key(quiz)
        files[f"browser/{quiz.name}.html"] = standalone(quiz)
        files[f"nbgrader/{quiz.name}.ipynb"] = nbformat.writes(nbgrader(quiz)) + "\n"
        files[f"qti/{quiz.name}.zip"] = qti(quiz)
        files[f"canvas/{quiz.name}.zip"] = qti12(quiz)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return [folder / name for name in files]


if __name__ == "__main__":
    written = write(read_quizzes())
    write_stamps("quiz", BUILD, notebook_paths())
    print(f"{len(written)} files in {BUILD.relative_to(ROOT)}: gift, canvas, qti, nbgrader, print, browser")
