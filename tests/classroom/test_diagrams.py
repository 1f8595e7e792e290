"""The three-doors diagram: names of the doors, which are lit, nothing that overlaps or falls off the edge."""

from itertools import combinations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from posenc_helpers.classroom.diagrams import LIT, three_doors
from posenc_helpers.encodings import PositionalEncoding


def labels(fig) -> dict[str, object]:
    return {text.get_text(): text for text in fig.axes[0].texts if text.get_text()}


def door_labels(fig) -> dict[int, object]:
    found = [text for words, text in labels(fig).items() if words.startswith("door ")]
    assert len(found) == 3
    return {int(text.get_text()[5]): text for text in found}


@pytest.mark.parametrize("active", [(), [2, 2], {1, 3}, (1, 2, 3)])
def test_active_doors_are_lit_and_the_others_shut(active):
    for door, text in door_labels(three_doors(active)).items():
        colour = text.get_bbox_patch().get_facecolor()[:3]
        assert (colour == to_rgb(LIT)) == (door in active)
        assert (text.get_weight() == "bold") == (door in active)  # not by colour alone
        assert text.get_bbox_patch().get_linestyle() in (("-", "solid") if door in active else (":", "dotted"))


def test_doors_are_named_as_the_methods_of_the_class_and_stand_in_order():
    texts = door_labels(three_doors())
    for door, method in ((1, "embed"), (2, "rotate"), (3, "bias")):
        assert texts[door].get_text() == f"door {door}: {method}"
        assert callable(getattr(PositionalEncoding, method))
    places = labels(three_doors())
    order = ["tokens", "embedding", "door 1: embed", "q, k, v", "door 2: rotate"]
    order += ["scores\nq · k / √d_head", "door 3: bias", "softmax", "average\nof values"]
    across = [places[words].get_position()[0] for words in order]
    assert across == sorted(across)


@pytest.mark.parametrize("active", [(), (1, 2, 3)])
def test_no_text_overlaps_another_or_leaves_the_figure_and_all_is_readable(active):
    fig = three_doors(active)
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    texts = list(labels(fig).values())
    boxes = [(text.get_bbox_patch() or text).get_window_extent(canvas.get_renderer()) for text in texts]
    for text, box in zip(texts, boxes, strict=True):
        assert text.get_fontsize() >= 12
        assert fig.bbox.x0 <= box.x0 and box.x1 <= fig.bbox.x1, text.get_text()
        assert fig.bbox.y0 <= box.y0 and box.y1 <= fig.bbox.y1, text.get_text()
    for (one, box), (other, other_box) in combinations(zip(texts, boxes, strict=True), 2):
        assert not box.overlaps(other_box), f"{one.get_text()!r} over {other.get_text()!r}"


@pytest.mark.parametrize("active", [[4], [0, 1], ["embed"]])
def test_a_door_that_does_not_exist(active):
    with pytest.raises(ValueError, match=r"names door .*; allowed: 1, 2, 3"):
        three_doors(active)
