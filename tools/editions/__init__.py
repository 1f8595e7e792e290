"""`make editions`: what a class gets, made from the saved notebooks into build/editions/, never by hand.

    student.py     no solutions, no answers
    solutions.py   every stub replaced by its solution, and run
    nbgrader.py    an assignment for each notebook: its exercises, graded
    folds.py       the folds of a cell, told apart by its tag
    folder.py      what an edition needs beside its notebooks, so that it works anywhere
    leaks.py       no line of an answer stands in what students get
    stamps.py      what an edition was made from
    release.py     zip archives of all of them

Another edition is a function of a notebook and a folder in `__main__.EDITIONS`, and a folder of its own in templates/.
"""
