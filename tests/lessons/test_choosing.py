"""Pictures of notebook 11: what they sort, count and average, and a cost calculator that takes every setting."""

import re

import pytest

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from posenc_helpers.lab.costs import COSTED
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.models import CHOICES, load_models
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.shootout import Row
from posenc_helpers.lessons.choosing import costs as choosing_costs
from posenc_helpers.lessons.choosing import pictures as choosing


def test_the_best_far_loss_is_on_top_and_what_ends_at_the_bottom():
    rows = {
        "rope": {"near": [1.5], "far": [2.5], "recall": [0.3]},
        "learned": {"near": [1.7], "far": [], "recall": []},
        "kerple": {"near": [1.5, 1.6], "far": [1.5, 1.7], "recall": [1.0, 1.0]},
    }
    fig = choosing.near_and_far(rows, "loss", "recall", marked=["kerple"])
    labels = fig.axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == ["learned", "RoPE", "KERPLE"]
    assert [label.get_fontweight() for label in labels] == ["normal", "normal", "bold"]
    assert any(text.get_text() == "its table ends" for text in fig.axes[0].texts)


def test_ones_own_curve_is_averaged_over_the_octaves_of_the_stored_ones():
    rows = [Row("mine", 0, position, float(position)) for position in range(512)]
    curve = choosing.octaves((row.position, row.loss) for row in rows)
    assert len(curve) == 6
    assert [loss for _, loss in curve] == [(2**k + 2 ** (k + 1) - 1) / 2 for k in range(3, 9)]
    assert all(2**k < at < 2 ** (k + 1) for k, (at, _) in zip(range(3, 9), curve, strict=True))
    blocks = [((a + b - 1) / 2, (a + b - 1) / 2) for a, b in octave_blocks(512)]
    assert choosing.octaves(blocks) == curve  # of blocks, as they are stored, or of single positions
    fig = choosing.beside_all(rows, load_results("shootout"))
    assert len(fig.axes[0].lines) == 7 + 1 and "mine" in [text.get_text() for text in fig.axes[0].texts]


def test_every_method_has_a_family_and_every_dated_model_is_counted():
    families = [method for _, methods in choosing.FAMILIES.values() for method in methods]
    assert sorted(families) == sorted(CHOICES["method"])
    models = load_models()
    fig = choosing.by_year(models)
    counted = [int(text.get_text()) for text in fig.axes[0].texts if text.get_text().isdigit()]
    assert sum(counted) == sum(model.year is not None for model in models)


@pytest.mark.parametrize(("length", "width", "layers"), [(512, 256, 2), (131_072, 256, 96), (512, 8192, 2)])
def test_the_calculator_takes_every_setting_and_says_its_numbers(length, width, layers):
    fig, update = choosing_costs.costs_explorer(512, 256, 2)
    with style():
        Screen(fig, update).draw({"length": length, "width": width, "layers": layers})
    for ax, (_, _, (low, high), _) in zip(fig.axes, choosing_costs.PANELS, strict=True):
        assert all(low <= bar.get_width() < high for bar in ax.patches)
        for bar, text in zip(ax.patches, ax.texts, strict=True):  # what counts stands out, twice
            noted = bar.get_width() >= choosing_costs.NOTED
            assert (bar.get_alpha(), text.get_weight()) == ((1, "bold") if noted else (0.3, "normal"))
    words = choosing_costs.costs_words(length, width, layers)
    assert f"{length:,} tokens" in words and choosing_costs.short(length * width) in words
    assert words.endswith(".") and re.search(r"Shaw [\d<]", words) and len(fig.axes[0].patches) == len(COSTED)


def test_numbers_as_one_says_them():
    said = {0: "0", 512: "512", 4_200_000: "4.2 M", 2.2e12: "2.2 T"}
    assert {number: choosing_costs.short(number) for number in said} == said
    assert choosing_costs.percent(5.4e-7) == "< 0.001 %" and choosing_costs.percent(0.14) == "14 %"


def test_published_numbers_start_at_or_before_what_was_trained_and_go_beyond():
    for _, lines, trained in choosing_costs.PUBLISHED.values():
        assert all(points[0][0] <= trained < points[-1][0] for points in lines.values())
    assert len(choosing_costs.published().axes) == len(choosing_costs.PUBLISHED) == 3
