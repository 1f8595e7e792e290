"""What the pictures of notebook 07 compute: windows, slopes as fractions, and an explorer that takes any head."""

import pytest
import torch

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from posenc_helpers.lessons.alibi.heads import as_fraction, nearest_keys
from posenc_helpers.lessons.alibi.pictures import explorer, left_over, slopes, strips


@pytest.mark.parametrize(("share", "count"), [(0.39, 1), (0.41, 2), (0.7, 2), (0.9, 3), (1.0, 4)])
def test_nearest_keys_counts_from_the_query(share, count):
    weights = torch.tensor([0.1, 0.2, 0.3, 0.4])
    assert nearest_keys(weights, torch.tensor([-3, -2, -1, 0]), share) == count


def test_nearest_keys_takes_both_sides():
    weights = torch.tensor([0.05, 0.2, 0.5, 0.2, 0.05])
    assert nearest_keys(weights, torch.arange(-2, 3), 0.9) == 3


@pytest.mark.parametrize(("slope", "text"), [(1 / 2, "1/2"), (1 / 256, "1/256"), (2**-0.5, "0.707"), (0.9, "0.900")])
def test_slopes_as_fractions(slope, text):
    assert as_fraction(slope) == text


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("heads", "head", "shown"), [(8, 2, "head 2 of"), (8, 39, "head 7 of"), (1, 0, "head 0 of")])
def test_the_explorer_takes_any_head(heads, head, shown, causal):
    fig, update = explorer(8, 2, 64, 1.0, True)
    update(heads, head, 8, 0.0, causal)
    assert shown in fig.axes[0].get_title("right")


def test_the_explorer_redraws_the_same_artists_and_leaves_all_others_alone():
    start = {"heads": 8, "head": 2, "length": 64, "content": 1.0, "causal": True}
    other = {"heads": 40, "head": 32, "length": 512, "content": 6.0, "causal": False}
    with style():
        fig, update = explorer(**start)
        kept, whole = Screen(fig, update), Screen(*explorer(**start))
        first = kept.draw(start)
        assert kept.update(**start) == kept.update(**other)
        moved = kept.draw(other)
        whole.draw(start)
        whole.background = None  # drawn anew, so what is left of the start would show as a difference
        assert moved == whole.draw(other) and moved != first


def test_what_is_left_is_drawn_as_a_share_of_that_at_2():
    flat, steep = (
        left_over({"flat": torch.tensor([2.0, 2.0, 2.0] * 3), "steep": torch.tensor([1.0, 2.0, 1.0] * 3)})
        .axes[0]
        .lines[:2]
    )
    assert flat.get_ydata().tolist() == [1.0] * 9 and steep.get_ydata().tolist() == [0.5, 1.0, 0.5] * 3
    assert list(flat.get_xdata()) == list(range(1, 10))


def test_slopes_of_both_formulas_and_the_change_beside_them():
    changed = torch.linspace(0, 1, 6)
    left, right = slopes(12, changed).axes
    released, paper = left.lines
    assert released.get_ydata()[0] != paper.get_ydata()[0] and len(paper.get_ydata()) == 12
    assert [bar.get_height() for bar in right.patches] == pytest.approx(changed.tolist())


def test_strips_have_a_row_a_name_and_a_marker_a_kind():
    fig = strips({"one": {"near": [1.0, 2.0], "far": [3.0]}, "two": {"near": [4.0], "far": [5.0]}}, "loss")
    (ax,) = fig.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one", "two"]
    dots = {(line.get_marker(), *line.get_xdata(), *line.get_ydata()) for line in ax.lines}
    assert dots == {("o", 1.0, 2.0, 0, 0), ("o", 4.0, 1), ("s", 3.0, 0), ("s", 5.0, 1)}
    assert [text.get_text() for text in ax.get_legend().texts] == ["near", "far"]
    assert strips({"one": {"a seed": [1.0]}}, "loss").axes[0].get_legend() is None
