"""Helper package of posenc, a course on positional encodings.

Imports go one way:  lessons -> classroom -> lab -> transformer -> encodings

    encodings/      the subject: one file per family of methods, each entering through one of three doors
    transformer.py  one attention layer and one TinyTransformer that call all three doors
    checks.py       bad arguments refused by name, value and what is allowed; anyone may import it
    lab/            what is measured: tasks, training, comparisons, sweeps, stored results
    classroom/      what any cell shows: claims, figures, charts, explorers, exercises
    lessons/        one folder a notebook: its pictures, its explorers, the checks of its exercises
"""
