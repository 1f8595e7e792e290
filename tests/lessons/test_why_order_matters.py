"""Drawings of notebook 01: what they draw is what they were given."""

from posenc_helpers.lessons.why_order_matters.pictures import models_by_door


def test_a_model_stands_in_the_row_of_its_door():
    (ax,) = models_by_door([("late", 2022, 0), ("early", 2019, 2)]).axes
    labels = dict(zip(ax.get_yticks(), (tick.get_text() for tick in ax.get_yticklabels()), strict=True))
    found = {(float(line.get_xdata()[0]), labels[line.get_ydata()[0]]) for line in ax.lines}
    assert found == {(2019, "door 2: rotate"), (2022, "no door")}
