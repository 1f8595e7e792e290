"""Drawings of notebook 01: what they draw is what they were given, and the explorer may redraw its moving parts alone."""

import pytest
import torch

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from posenc_helpers.lessons.why_order_matters.pictures import (
    SENTENCE,
    changed_words,
    learned_columns,
    models_by_door,
    shuffled_sentence,
    walks,
)

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


def test_the_explorer_may_redraw_its_moving_parts_alone():
    """A picture that was moved is the one that is drawn afresh there."""
    with style():
        moved, fresh = (Screen(*shuffled_sentence(**values)) for values in (REVERSED, MASKED))
        moved.draw(REVERSED)
        assert moved.draw(MASKED) == fresh.draw(MASKED)


def test_every_walk_ends_at_the_sum():
    steps = {"a": torch.tensor([0.4, 0.0]), "b": torch.tensor([0.0, 0.2]), "c": torch.tensor([0.4, 0.4])}
    fig = walks(steps, ["abc", "cba", "bca"])
    assert [ax.get_title() for ax in fig.axes] == ["a b c", "c b a", "b c a"]
    ends = [[float(line.get_xdata()[0]), float(line.get_ydata()[0])] for ax in fig.axes for line in ax.lines]
    assert ends == [pytest.approx([0.8, 0.6])] * 3


def test_a_bar_for_each_word_and_a_panel_for_each_model():
    fig = changed_words({"one": torch.tensor([1.0, 0.0]), "two": torch.tensor([0.5, 0.25])}, ["x", "y"])
    assert [[bar.get_height() for bar in ax.patches] for ax in fig.axes] == [[1, 0], [0.5, 0.25]]
    assert [text.get_text() for text in fig.axes[1].texts] == ["0.50", "0.25"]


def test_means_are_drawn_over_how_far_the_seeds_lie_apart():
    rows = {
        "nope": {"order": 0.5, "order lowest": 0.47, "order highest": 0.53},
        "sinusoidal": {"order": 0.9, "order lowest": 0.8, "order highest": 1.0},
    }
    (ax,) = learned_columns(rows, {"order": "order, 16 tokens"}, rule=0.87).axes
    seeds, chance, rule = [[0.47, 0.53], [0.5], [0.8, 1.0], [0.9]], [0.5, 0.5], [0.87, 0.87]
    assert [list(line.get_ydata()) for line in ax.lines] == [*seeds, chance, rule]
    words = {"NoPE 0.50", "sinusoidal 0.90", "chance", "“the nearer,\nthe likelier” 0.87"}
    assert words <= {text.get_text() for text in ax.texts}


def test_a_model_stands_in_the_row_of_its_door():
    (ax,) = models_by_door([("late", 2022, 0), ("early", 2019, 2)]).axes
    labels = dict(zip(ax.get_yticks(), (tick.get_text() for tick in ax.get_yticklabels()), strict=True))
    found = {(float(line.get_xdata()[0]), labels[line.get_ydata()[0]]) for line in ax.lines}
    assert found == {(2019, "door 2: rotate"), (2022, "no door")}
