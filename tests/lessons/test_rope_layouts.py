"""The pictures of RoPE's layouts: which columns are joined and coloured alike, where rows go, which columns change."""

from matplotlib.patches import Arc, Rectangle

from posenc_helpers.encodings import layout_permutation
from posenc_helpers.lessons.rope import layouts as drawings


def boxes(figure):
    """Return {height: colours of the boxes from left to right}."""
    (ax,) = figure.axes
    found = {}
    for box in (patch for patch in ax.patches if isinstance(patch, Rectangle)):
        found.setdefault(round(box.get_y(), 3), {})[box.get_x()] = box.get_facecolor()
    return {y: [row[x] for x in sorted(row)] for y, row in found.items()}


def test_arcs_join_one_colour_in_both_layouts_and_two_in_the_mixed_version():
    figure = drawings.layouts()
    rows = sorted(boxes(figure).items(), reverse=True)  # interleaved, half, mixed
    arcs = [patch for patch in figure.axes[0].patches if isinstance(patch, Arc)]
    assert len(arcs) == 12
    alike = []
    for number, (_, colours) in enumerate(rows):
        joined = arcs[4 * number :][:4]
        ends = [(round(arc.center[0] - arc.width / 2), round(arc.center[0] + arc.width / 2)) for arc in joined]
        alike.append([colours[left] == colours[right] for left, right in ends])
    assert alike == [[True] * 4, [True] * 4, [False] * 4]


def test_rows_go_where_the_package_puts_them():
    figure = drawings.reordered_rows()
    above, below = (colours for _, colours in sorted(boxes(figure).items(), reverse=True))
    order = layout_permutation(8, to="half").tolist()
    assert below == [above[row] for row in order]
    numbers = [text.get_text() for text in figure.axes[0].texts if text.get_text().isdigit()]
    assert numbers[1::2] == [str(row) for row in order]
