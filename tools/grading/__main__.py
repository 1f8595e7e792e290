"""`python -m tools.grading FOLDER --trust [--csv out.csv]`: who solved what, and who made which mistake.

FOLDER holds submitted notebooks: a folder for each student, named after the student, with anything in it. A file that lies
in FOLDER itself should have the student's name in its own. Each answer runs in a process of its own with limits of time and
memory; files that are no notebooks of the course get a row that says so.

These processes have your rights: an answer can read, change and delete what you can, use the network, and change the check
that judges it, so that "right" is no proof. Without --trust nothing is run. For submissions of people you do not know, call
the command in a container, or as a user who owns nothing of value.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

from tools.grading.report import grade_folder, lessons, nameless, summary, write_csv

UNTRUSTED = (
    "Nothing was run: submitted code would run with your rights (it can read, change and delete your files, and use the "
    "network); add --trust if you trust everyone whose notebooks lie in {folder}, or grade in a container."
)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.grading", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the submitted notebooks")
    parser.add_argument("--trust", action="store_true", help="run submitted code with your own rights; required")
    parser.add_argument("--csv", type=Path, default=Path("grades.csv"), help="where the table goes (grades.csv)")
    parser.add_argument("--seconds", type=float, default=180, help="how long an answer may take (180)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="answers judged at once")
    given = parser.parse_args(arguments)
    if not given.trust:
        sys.exit(UNTRUSTED.format(folder=given.folder))
    try:
        course = lessons()
        done = list(write_csv(grade_folder(given.folder, course, given.seconds, given.jobs), given.csv))
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(f"Stopped; what was judged until then is in {given.csv}.")
    print(summary(done))
    print(f"\n{len(done)} rows in {given.csv}")
    if unnamed := nameless(done, [lesson.name for lesson in course]):
        print(f"\nWhose are these? {', '.join(unnamed)}")
        print("Put each student's files into a folder with the student's name.")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # told to end, it tidies up as after Ctrl-C
    main()
