"""The three-doors diagram: names of the doors, which are lit, nothing that overlaps or falls off the edge."""

from itertools import combinations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from posenc_helpers.classroom.diagrams import LIT, three_doors
from posenc_helpers.encodings import PositionalEncoding
from tests.refused import refused


def labels(fig) -> dict[str, object]:
    return {text.get_text(): text for text in fig.axes[0].texts if text.get_text()}


def door_labels(fig) -> dict[int, object]:
    found = [text for words, text in labels(fig).items() if words.startswith("door ")]
    assert len(found) == 3
    return {int(text.get_text()[5]): text for text in found}


@pytest.mark.parametrize("active", [(), [2, 2], {1, 3}, (1, 2, 3)])
def test_active_doors_are_lit_and_the_others_shut_and_all_can_be_read(active):
    fig = three_doors(active)
    for door, text in door_labels(fig).items():
        assert callable(getattr(PositionalEncoding, text.get_text().removeprefix(f"door {door}: ")))
        colour = text.get_bbox_patch().get_facecolor()[:3]
        assert (colour == to_rgb(LIT)) == (door in active)
        assert (text.get_weight() == "bold") == (door in active)  # not by colour alone
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    texts = labels(fig).values()
    boxes = [(text.get_bbox_patch() or text).get_window_extent(canvas.get_renderer()) for text in texts]
    assert all(text.get_fontsize() >= 12 for text in texts)
    for box in boxes:
        assert fig.bbox.x0 <= box.x0 and box.x1 <= fig.bbox.x1 and fig.bbox.y0 <= box.y0 and box.y1 <= fig.bbox.y1
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


test_a_door_that_does_not_exist = refused(
    *(
        (lambda active=active: three_doors(active), r"names door .*; allowed: 1, 2, 3")
        for active in ([4], [0, 1], ["embed"])
    )
)
