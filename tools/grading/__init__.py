"""Grading by program: what a submitted notebook answers, and what the checks say of it.

    reading.py      the exercises of a notebook: stubs, checks, solutions, and the tags that say where an answer stands
    slicing.py      which statements of a notebook a name needs
    submissions.py  which exercise a student's cells answer, and the code that must run to know
    sandbox.py      runs that code in a process of its own, with limits; child.py is what runs there, guard.py ends it
    report.py       the table, and who made which mistake

`python -m tools.grading FOLDER --trust` is the command. What it runs has the rights of whoever calls it.
"""
