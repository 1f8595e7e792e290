"""What the pictures of notebook 07 compute: windows, slopes as fractions, and an explorer that takes any head."""

import pytest
import torch

from posenc_helpers.lessons.alibi.heads import as_fraction, nearest_keys
from posenc_helpers.lessons.alibi.pictures import explorer


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


@pytest.mark.parametrize(("heads", "head", "shown"), [(8, 2, "head 2 of"), (8, 39, "head 7 of"), (1, 0, "head 0 of")])
def test_the_explorer_takes_any_head(heads, head, shown):
    fig, update = explorer(8, 2, 64, 1.0, True)
    update(heads, head, 8, 0.0, False)
    assert shown in fig.axes[0].get_title("right")
