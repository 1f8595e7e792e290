"""Codes of equal size: that they are, what the stored runs show in every seed, and a run of them made again."""

import pytest
import torch

from posenc_helpers.lab.answers import ranking
from posenc_helpers.lab.scorecard import GAP_BATCH, codes, learn, trained
from posenc_helpers.lab.tasks import GapTask
from posenc_helpers.lab.training import accuracy
from posenc_helpers.lessons.naive_encodings.pictures import CODES
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.on_tasks import as_long_as_words


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("times", [1.0, 0.25])
def test_codes_are_as_long_as_words_on_average(code, times):
    encoding = as_long_as_words(code, times)(32, 2, 32)
    length = codes(encoding, torch.arange(16), 32).norm(dim=-1).mean()
    words = TinyTransformer(500, 32, 2, 1).embedding.weight.detach().norm(dim=-1).mean()
    assert length / words == pytest.approx(times, rel=0.05)


def test_the_gap_model_is_the_one_that_the_scorecard_trains():
    """So each column is the accuracy at the length that its name says."""
    build = as_long_as_words("binary")
    learned, gap = learn(build, [3], 20), trained(build, GapTask(), GAP_BATCH, 20, 3)
    assert [accuracy(gap, GapTask(), length) for length in (16, 32)] == learned["distance"] + learned["beyond"]
    assert [ranking(gap, GapTask(), 32)] == learned["ranked"]
