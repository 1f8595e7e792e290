"""The pictures of notebook 05 that compute something: the skew, made-up biases, and the bucket explorer."""

import pytest
import torch

from posenc_helpers.encodings import relative_positions, t5_buckets
from posenc_helpers.lessons.relative import pictures as drawings


def test_the_skew_ends_with_key_minus_query():
    last = drawings.skew_steps(5).axes[-1]
    shown = {tuple(map(round, text.get_position())): text.get_text() for text in last.texts}
    assert len(shown) == 25
    assert all(int(shown[n, m]) == n - m for m in range(5) for n in range(m + 1))


@pytest.mark.parametrize("head", drawings.HEADS)
def test_a_made_up_bias_is_one_number_a_bucket(head):
    relative = relative_positions(torch.arange(40), torch.arange(40))
    buckets = t5_buckets(relative, 8, 20)
    bias = drawings.bucket_bias(buckets, relative, head)
    assert bias.shape == buckets.shape
    assert all(len(bias[buckets == b].unique()) == 1 for b in buckets.unique())
    assert bias.abs().max() <= 1


def test_the_explorer_marks_the_shared_buckets_and_says_why_not():
    _, update = drawings.bucket_explorer(32, 128, "causal", "bands")
    with pytest.raises(ValueError, match="max_distance=16 must be at least 17"):
        update(32, 16, "causal", "near")
    circle = lambda *values: [float(place) for (place,) in update(*values)[1].get_data()]  # noqa: E731
    assert circle(8, 128, "causal", "near") == [-4.5, 4]  # distances 4 and 5, bucket 4
    assert circle(32, 128, "bidirectional", "near") == [-8.5, 8]
