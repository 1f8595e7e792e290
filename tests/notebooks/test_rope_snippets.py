"""The six snippets of notebook 06 are what its check says they are: measured by their scores, not by reading them."""

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import apply_rope, frequencies
from posenc_helpers.lessons.rope.mistakes import VERDICTS
from tests.notebooks.reading import path_of, read

WIDTH = 10  # not 4, where the permutation between the layouts is its own inverse


@pytest.fixture(scope="module")
def snippets():
    (cell,) = [cell for cell in read(path_of("06_rope")).cells if cell.id == "snippets"]
    space = {"torch": torch}
    exec(cell.source, space)
    return space


def scores(turn):
    """Return q . k for two vectors at every two of seven places, positions far from 0."""
    q, k = torch.randn(2, 1, WIDTH, generator=Generator().manual_seed(5)).expand(2, 7, WIDTH)
    return turn(q) @ turn(k).T


@pytest.mark.parametrize("name", VERDICTS)
def test_snippet_fits_the_weights_that_the_check_names(name, snippets):
    places = torch.tensor([257, 3, 11, 300, 258, 40, 0])
    angle = places[:, None] * frequencies(WIDTH)
    found = scores(lambda x: snippets[name](x, angle))
    fits = [
        layout
        for layout in ("half", "interleaved")
        if torch.allclose(found, scores(lambda x: apply_rope(x, places, layout=layout)), atol=1e-3)  # noqa: B023
    ]
    assert (fits or ["neither"]) == [VERDICTS[name]]
