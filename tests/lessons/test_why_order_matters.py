"""Drawings of notebook 01: what they draw is what they were given, and the explorer may redraw its moving parts alone."""

import pytest

from posenc_helpers.classroom.figures import style
from posenc_helpers.lessons.why_order_matters.pictures import SENTENCE, models_by_door, shuffled_sentence

REVERSED = {"order": (4, 3, 2, 1, 0), "causal_mask": False, "positions": False}
MASKED = {"order": (0, 4, 2, 3, 1), "causal_mask": True, "positions": True}


def number(values) -> str:
    """Return what stands in bold in the explorer's right panel."""
    with style():
        fig, _ = shuffled_sentence(**values)
    return fig.axes[2].texts[0].get_text()


def test_the_number_in_the_panel():
    assert number(REVERSED) == "largest difference 0.00"
    for changed in ("causal_mask", "positions"):
        assert number(REVERSED | {changed: True}) != "largest difference 0.00"


def test_the_shuffled_words_stand_beside_their_rows_and_columns():
    with style():
        fig, update = shuffled_sentence(**REVERSED)
        update(**MASKED)
    written, moved = ([text.get_text() for text in ax.texts] for ax in fig.axes[:2])
    assert written == [*SENTENCE, *SENTENCE]
    assert moved == 2 * ["one", "men", "bites", "two", "dog"]
    weights, new_weights = (ax.images[0].get_array() for ax in fig.axes[:2])
    assert weights.sum(axis=1).tolist() == pytest.approx([1] * 5) and new_weights[0].tolist() == [1, 0, 0, 0, 0]


def test_a_model_stands_in_the_row_of_its_door():
    (ax,) = models_by_door([("late", 2022, 0), ("early", 2019, 2)]).axes
    labels = dict(zip(ax.get_yticks(), (tick.get_text() for tick in ax.get_yticklabels()), strict=True))
    found = {(float(line.get_xdata()[0]), labels[line.get_ydata()[0]]) for line in ax.lines}
    assert found == {(2019, "door 2: rotate"), (2022, "no door")}
