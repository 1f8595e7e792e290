"""Grading by program: what a submitted notebook answers, and what the checks say of it.

    reading.py      the exercises of a notebook: stubs, checks, solutions, and the tags that say where an answer stands
    slicing.py      which statements of a notebook a name needs
    submissions.py  which exercise a student's cells answer, and the code that must run to know
    suspicious.py   reads that code, and says why a human should look at it; usual.py, naming.py, writing.py,
                    defining.py, foreign.py
    package.py      the copy of the course that answers import, and whether it is still as it was
    jail.py         where an answer reaches nothing but that copy: bubblewrap, on Linux; seccomp.py
    sandbox.py      runs an answer in a process of its own, with limits; child.py is what runs there, guard.py ends it
    again.py        asks a right answer once more, otherwise
    report.py       the table, and who made which mistake

`python -m tools.grading FOLDER` is the command.
"""


def said(kind: str, mistake: str, message: str) -> dict[str, str]:
    """Return the verdict on an answer."""
    return {"kind": kind, "mistake": mistake, "message": message}


def encodable(text: str) -> str:
    """Return `text` with an escape for each half of a character, which no encoding takes."""
    return text.encode(errors="backslashreplace").decode()
