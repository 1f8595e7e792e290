"""`python -m tools.grading FOLDER [--csv out.csv]`: who solved what, who made which mistake, and which answers to look at.

FOLDER holds submitted notebooks: a folder for each student, named after the student, with anything in it. A file that lies
in FOLDER itself should have the student's name in its own. Files that are no notebooks of the course get a row that says so.

Each answer runs in a jail (Linux with bubblewrap): no network, nothing of your files, limits of time, memory and processes.
Where there is no jail, nothing is run, unless you add --trust: then answers run with your rights, and can read, change and
delete what you can, and use the network.

An answer shares its process with the check that judges it, so "right" can be forged. The column `look` says why to look at
an answer: it uses something that no exercise asks for, or is not right when it is asked again.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

from tools.grading.report import grade_folder, lessons, nameless, notebooks_in, summary, write_csv
from tools.grading.sandbox import NoJail, opened


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.grading", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the submitted notebooks")
    parser.add_argument("--trust", action="store_true", help="run submitted code without a jail, with your rights")
    parser.add_argument("--csv", type=Path, default=Path("grades.csv"), help="where the table goes (grades.csv)")
    parser.add_argument("--seconds", type=float, default=300, help="how long an answer may take (300)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="answers judged at once")
    given = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # of names that no terminal takes
    try:
        notebooks_in(given.folder)
        course = lessons()
        with opened(given.trust) as sandbox:
            rows = grade_folder(given.folder, course, sandbox, given.seconds, given.jobs)
            done = list(write_csv(rows, given.csv))
    except (ValueError, OSError) as error:
        sys.exit(str(error).format(folder=given.folder) if isinstance(error, NoJail) else str(error))
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
