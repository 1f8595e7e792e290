"""What the pictures of notebook 10 compute: patches of a scene, similarities of a grid, shortest paths; the explorer."""

import pytest
import torch

from posenc_helpers.encodings import apply_rope, grid_positions
from posenc_helpers.encodings.grid import window_index
from posenc_helpers.lessons.beyond_text import explorer as grid_explorer
from posenc_helpers.lessons.beyond_text import other_positions
from posenc_helpers.lessons.beyond_text import pictures as beyond_text
from posenc_helpers.lessons.beyond_text.explorer import ENCODINGS, RESIZED, seen, similarity, table_of, words

START = {"encoding": "2-D sinusoidal", "rows": 8, "columns": 12, "query": 41, "times": 1.5, "resize": "grid"}


def test_a_scene_is_cut_and_joined():
    picture = beyond_text.scene(48, 72)
    assert picture.shape == (3, 48, 72) and picture.min() >= 0 and picture.max() <= 1
    tiles = beyond_text.cut(picture, 12)
    assert tiles.shape == (24, 3, 12, 12) and torch.equal(tiles[8], picture[:, 12:24, 24:36])
    assert torch.equal(beyond_text.joined(tiles, 4), picture)
    assert not torch.equal(beyond_text.joined(tiles.flip(0), 4), picture)


def test_swins_page_of_numbers():
    places = grid_positions(2, 3)
    index = window_index(places[None] - places[:, None], 2, 3)
    window, page, pairs = beyond_text.window_numbers(index, 2, 3).axes
    assert [text.get_text() for text in window.texts] == [f"patch {p}" for p in range(6)]
    assert [text.get_text() for text in page.texts][7] == "7\n(0, 0)" and len(page.texts) == 15
    assert [int(text.get_text()) for text in pairs.texts] == index.flatten().tolist()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_patch_is_like_itself_and_most_like_its_neighbours(encoding):
    shown = similarity(table_of(encoding, 5, 7), 5, 2 * 7 + 3)
    assert shown.shape == (5, 7) and shown[2, 3] == pytest.approx(1, abs=1e-5) and shown.max() <= 1.001
    assert shown[2, 4] == pytest.approx(float(shown[2, 2]), abs=1e-4)
    if encoding != "1-D sinusoidal":
        assert shown[1, 3] == pytest.approx(float(shown[3, 3]), abs=1e-4) and shown[1, 3] > 0.8
    with pytest.raises(ValueError, match="encoding"):
        table_of("learned", 2, 2)


def test_the_map_of_rope_is_the_score_of_queries_and_keys_of_ones():
    ones = torch.ones(6, 32)
    row, column = grid_positions(2, 3).unbind(-1)
    turned = torch.cat([apply_rope(ones, at, grid_explorer.BASE) for at in (row, column)], dim=-1)  # (6, 64)
    scores = turned @ turned.T / 64
    assert torch.allclose(similarity(table_of("axial RoPE", 2, 3), 2, 4), scores[4].view(2, 3), atol=1e-5)


def test_the_same_place_is_framed_in_the_larger_grid():
    now = seen(**START | {"times": 2.0})
    assert now["place"] == (3, 5) and now["there"] in ((6, 10), (7, 11))
    assert now["larger"].shape == (16, 24) and now["larger"][now["there"]] == pytest.approx(1, abs=1e-5)
    same = seen(**START | {"times": 1.0})
    assert same["there"] == (3, 5) and torch.allclose(same["map"], same["larger"], atol=1e-5)
    assert seen(**START | {"query": 119})["place"] == (7, 11), "a query beyond the grid is its last patch"


def test_a_line_tears_what_a_grid_keeps():
    r, c = seen(**START)["there"]
    below = {how: float(seen(**START | {"resize": how})["larger"][r + 1, c]) for how in RESIZED.values()}
    assert below["grid"] > 0.9 and below["anew"] > 0.9 and below["line"] < 0.7
    rope = [seen(**START | {"encoding": "axial RoPE", "resize": how})["larger"] for how in RESIZED.values()]
    assert torch.equal(rope[0], rope[1]) and torch.equal(rope[0], rope[2])


def test_the_sentence_holds_the_numbers_of_both_grids():
    line = START | {"encoding": "1-D sinusoidal"}
    now = seen(**line)
    (r, c), said = now["there"], words(**line)
    for grid, (right, below) in (("map", ((3, 6), (4, 5))), ("larger", ((r, c + 1), (r + 1, c)))):
        assert f"right has {now[grid][right]:.2f}, the one below {now[grid][below]:.2f}" in said
    assert "8 x 12" in said and "12 x 18" in said


def test_packed_pictures_keep_their_own_ids_and_see_their_own_tokens():
    places = torch.cat([grid_positions(1, 2), grid_positions(2, 1)])
    ids, seen_by = other_positions.packed_row(places, torch.tensor([0, 0, 1, 1]), ["a", "b"]).axes
    assert [text.get_text() for text in ids.texts] == ["0", "0", "0", "1", "0", "0", "1", "0", "a", "b"]
    blocks = {(int(block.get_y()), int(block.get_x())) for block in seen_by.patches}  # (query, key)
    assert blocks == {(q, k) for q in range(4) for k in range(4) if (q < 2) == (k < 2)}
    colours = [ids.patches[token * 2].get_facecolor() for token in range(4)]
    assert colours[0] == colours[1] != colours[2] == colours[3]


def test_shortest_paths():
    distance = other_positions.shortest_paths([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)], 5)
    assert distance[4].tolist() == [2, 3, 2, 1, 0] and torch.equal(distance, distance.T)
    assert distance[0].tolist() == [0, 1, 2, 1, 2]
    path = other_positions.shortest_paths([(k, k + 1) for k in range(9)], 10)
    assert path[0].tolist() == list(range(10)), "the reach grows by one edge a round"
