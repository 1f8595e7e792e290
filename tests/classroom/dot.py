"""A small picture that one plays with, dot.js beside this file, and what `play` is given for it."""

from pathlib import Path

from posenc_helpers.classroom.figures import figure

MODULE = Path(__file__).with_name("dot.js")
STATE = {"place": (0, 10, 3), "size": (["small", "large"], "large"), "ticked": False}
CAPTION = "The dot moves along the line."


def draw(place, size, ticked):
    fig = figure(4, 1)
    fig.add_subplot().plot([place], [0], "o", markersize=8 if size == "small" else 16)
    return fig


def describe(place, size, ticked):
    return f"A dot at {place} of 10, {size}{', ticked' * ticked}."
