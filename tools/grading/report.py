"""The table of a folder of submissions, row by row, and who made which mistake."""

import csv
import re
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from nbformat import NotebookNode

from tools.course import all_paths
from tools.grading import encodable, said
from tools.grading.reading import Exercise
from tools.grading.sandbox import Sandbox
from tools.grading.submissions import Lesson, NotOurs, job, lesson_of, read_submission, unread
from tools.grading.suspicious import reasons

# Up to Python 3.11.7 ast.parse in two threads at once may raise SystemError (CPython's issue 106905).
_ONE_PARSES = threading.Lock()


@dataclass(frozen=True)
class Row:
    student: str
    notebook: str
    exercise: str
    outcome: str  # right, wrong, not attempted, error, timed out
    mistake: str
    look: str  # why a human should look at the answer
    message: str
    file: str

    @classmethod
    def of(cls, *fields: str) -> "Row":
        """Return a row whose text can be printed and written, whatever an answer or a name brought along."""
        return cls(*map(_printable, fields))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in encodable(text)).strip()


COLUMNS = [field.name for field in fields(Row)]


def student_of(path: Path, folder: Path, names: Iterable[str]) -> str:
    """Return the first folder under `folder`, or the file's name without that of the notebook, where that leaves one."""
    parts = path.relative_to(folder).parts
    if len(parts) > 1:
        return parts[0]
    name = path.stem
    for known in names:
        name = name.replace(known, "")
    words = re.sub(r"(?i)copy( of)?|[\W\d_]", "", name)  # "Copy of ...", "... (1)"
    return name.strip(" _-()") if words else path.stem


def nameless(rows: Iterable[Row], names: Iterable[str]) -> list[str]:
    """Return the files of `rows` whose student is no name: that of a notebook, of a folder of them, or of mine/."""
    known = [*names, "notebooks", "homework"]
    return sorted({row.file for row in rows if row.student == "mine" or any(name in row.student for name in known)})


def lessons() -> list[Lesson]:
    """Return the course's own notebooks, and its homework sheets."""
    return [Lesson.read(path) for path in all_paths()]


def grade_file(
    path: Path, folder: Path, course: list[Lesson], sandbox: Sandbox, seconds: float, stop: threading.Event
) -> list[Row]:
    """Return a row for every exercise of the notebook at `path`, or one that says why there is none."""
    student, file = student_of(path, folder, [lesson.name for lesson in course]), path.relative_to(folder).as_posix()
    try:
        notebook = read_submission(path)
        with _ONE_PARSES:
            lesson = lesson_of(notebook, course)
            known = set().union(*(lesson.imports for lesson in course))
            names = [exercise.check.removeprefix("check_") for exercise in lesson.exercises]
            jobs = [_prepared(exercise, notebook, lesson, known) for exercise in lesson.exercises]
    except NotOurs as error:
        return [Row.of(student, path.stem, "", "error", "not a notebook of the course", "", str(error), file)]
    rows = []
    for name, (prepared, look) in zip(names, jobs, strict=True):
        verdict = prepared if "kind" in prepared else sandbox.judge(prepared, seconds, stop)
        message = " ".join(verdict["message"].split())[:300]
        mistake, look = verdict["mistake"][:100], "; ".join(filter(None, [verdict.get("look", ""), look]))
        rows.append(Row.of(student, lesson.name, name, verdict["kind"], mistake, look[:300], message, file))
    return rows


def _prepared(exercise: Exercise, notebook: NotebookNode, lesson: Lesson, known: set) -> tuple[dict, str]:
    """Return what the sandbox must run to judge the answer to `exercise`, and why a human should look at it.

    Where nothing must run, the first is the verdict.
    """
    try:
        found = job(exercise, notebook, lesson)
        return (found, reasons(found, known, exercise.uses)) if found else (unread(exercise, notebook, lesson), "")
    except Exception as error:  # SyntaxError, and what else a cell brings along that no parser takes
        line = f" (line {error.lineno} of its cell)" if isinstance(error, SyntaxError) else ""
        name = type(error).__name__
        return said("error", name, f"{name}: {error}{line}"), ""


def notebooks_in(folder: Path) -> list[Path]:
    """Return the notebooks that were handed in. Raises ValueError if there are none."""
    paths = sorted(
        path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts and path.is_file()
    )
    if not paths:
        raise ValueError(f"{folder} holds no notebooks (files that end in .ipynb)")
    return paths


def grade_folder(folder: Path, course: list[Lesson], sandbox: Sandbox, seconds: float, jobs: int) -> Iterator[Row]:
    """Yield the rows of all notebooks in `folder`, file by file as they are done.

    Raises ValueError if there are none, or if an answer changed the course.
    """
    paths, stop = notebooks_in(folder), threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for rows in pool.map(lambda path: grade_file(path, folder, course, sandbox, seconds, stop), paths):
                yield from rows
        finally:  # Ctrl-C, too: what runs is ended, what waits is not begun
            stop.set()
            pool.shutdown(cancel_futures=True)


def write_csv(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    """Write `rows` to `path` one by one, so that an interrupted run keeps what it has; pass them on."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        table = csv.writer(file, quoting=csv.QUOTE_ALL)
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow(map(_harmless, astuple(row)))
            file.flush()
            yield row


def _harmless(text: str) -> str:
    """Return `text` so that no spreadsheet takes it for a formula, whatever it takes for a separator."""
    text = re.sub(r"([;|\t\r\n]\s*|,|^\s*)(?=[=+@-])", r"\1'", text)
    return f"'{text}" if text.startswith(("\t", "\r")) else text


def summary(rows: list[Row]) -> str:
    """Return, for each exercise, how many solved it and who made which mistake, and then a total for each student."""
    lines = []
    for notebook, exercise in dict.fromkeys((row.notebook, row.exercise) for row in rows):
        here = [row for row in rows if (row.notebook, row.exercise) == (notebook, exercise)]
        if not exercise:
            lines += [f"{row.file}: {row.mistake}" for row in here]
            continue
        solved = sum(row.outcome == "right" for row in here)
        lines.append(f"{notebook} {exercise}: {solved} of {len(here)} right")
        groups: dict[str, list[str]] = {}
        for row in here:
            if row.outcome != "right":
                groups.setdefault(row.mistake or row.outcome, []).append(row.student)
        for mistake, students in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
            lines.append(f"    {len(students)}  {mistake}: {', '.join(sorted(students))}")
    lines.append("")
    for student in sorted({row.student for row in rows}):
        here = [row for row in rows if row.student == student and row.exercise]
        exercises = {(row.notebook, row.exercise) for row in here}  # each counts once, however often it was handed in
        solved = {(row.notebook, row.exercise) for row in here if row.outcome == "right"}
        look = sum(bool(row.look) for row in here)
        lines.append(f"{student}: {len(solved)} of {len(exercises)} right{f', {look} to look at' * bool(look)}")
    return "\n".join(lines)
