"""`python -m posenc_helpers.grade FOLDER [--csv out.csv]`: who solved what, and who made which mistake.

FOLDER holds submitted notebooks: a folder for each student, named after the student, with anything in it. A file that lies
in FOLDER itself should have the student's name in its own. Each answer runs in a process of its own with limits; files
that are no notebooks of the course get a row that says so.
"""

import argparse
import os
import sys
from pathlib import Path

from posenc_helpers.grading.report import grade_folder, lessons, nameless, summary, write_csv


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m posenc_helpers.grade", description=__doc__)
    parser.add_argument("folder", type=Path, help="the submitted notebooks")
    parser.add_argument("--csv", type=Path, default=Path("grades.csv"), help="where the table goes (grades.csv)")
    parser.add_argument("--notebooks", type=Path, help="the course's own notebooks (those beside this package)")
    parser.add_argument("--seconds", type=float, default=180, help="how long an answer may take (180)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="answers judged at once")
    given = parser.parse_args(arguments)
    try:
        course = lessons(given.notebooks)
        done = list(write_csv(grade_folder(given.folder, course, given.seconds, given.jobs), given.csv))
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    print(summary(done))
    print(f"\n{len(done)} rows in {given.csv}")
    if unnamed := nameless(done, [lesson.name for lesson in course]):
        print(f"\nWhose are these? {', '.join(unnamed)}\nPut each student's files into a folder with the student's name.")


if __name__ == "__main__":
    main()
