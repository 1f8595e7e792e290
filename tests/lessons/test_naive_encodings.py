"""Drawings of notebook 02 that compute something: means, lines to compare with, and the explorer of drowned words."""

import pytest

from posenc_helpers.classroom.figures import style
from posenc_helpers.lessons.naive_encodings.pictures import codes_explorer, drowning_explorer, squeezed


def test_a_position_moves_as_the_text_grows():
    (ax,) = squeezed((4, 16), marked=3).axes
    assert [len(dots.get_offsets()) for dots in ax.collections] == [4, 1, 16, 1]
    assert [float(dots.get_offsets()[0][0]) for dots in ax.collections[1::2]] == pytest.approx([1.0, 0.2])


CODE = {"encoding": "index", "length": 40, "width": 16, "position": 17}


def test_codes_explorer_draws_norms_in_embeddings_and_distances_as_shares():
    with style():
        _, update = codes_explorer("binary", 64, 64, 31)
        image, row, norms, distances, here, zero = update(**CODE)
    assert image.get_array().shape == (40, 16) and list(row.get_ydata()) == [17, 17]
    assert list(norms.get_ydata()) == pytest.approx(range(40))
    assert distances.get_ydata()[[17, 39]].tolist() == [0, 1]
    assert here.get_ydata().tolist() == [17] and zero.get_ydata().tolist() == [0]


def test_drowning_explorer_takes_the_room_from_the_place():
    with style():
        _, update = drowning_explorer(embedding_size=0.05, vocabulary=30)
        roomy = [number.get_text() for number in update(embedding_size=0.05, vocabulary=30)[-3:]]
        full = [number.get_text() for number in update(embedding_size=0.05, vocabulary=60)[-3:]]
    assert roomy[1:] == ["1.00", "1.00"]
    assert full[1] == "1.00" and float(full[2]) < 0.8
