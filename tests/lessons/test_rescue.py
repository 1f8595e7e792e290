"""The bars of notebook 09."""

import numpy as np
import pytest

from posenc_helpers.lessons.long_context.rescue import RESCUES, TUNED, rescue_bars


def test_bars_are_the_means_of_the_seeds_and_each_seed_is_a_dot():
    levels = {(method, steps): 2.0 + row / 10 - steps / 100 for row, method in enumerate(RESCUES) for steps in TUNED}
    rows = [
        {"method": method, "tuned": steps, "loss": level + 0.02 * seed}
        for (method, steps), level in levels.items()
        for seed in (-1, 0, 1, 2)
    ]
    at_32 = {method: 2.7 + row / 10 for row, method in enumerate(RESCUES)}
    rows += [{"method": f"{method}, at 32", "tuned": 60, "loss": level} for method, level in at_32.items()]
    rows += [{"method": "from the start", "tuned": 0, "loss": 1.55}]
    rows += [{"method": "ntk 2s", "tuned": 0, "loss": 9.0}]  # what is not drawn does not widen the axis
    ax = rescue_bars(rows).axes[0]
    drawn = {}
    for bar, dots in zip(ax.patches, ax.collections, strict=True):
        middle = bar.get_x() + bar.get_width() / 2
        place = (list(RESCUES)[round(middle)], [0, 10, 60][round((middle - round(middle)) / 0.27) + 1])
        drawn[place] = bar.get_height()
        assert np.allclose(dots.get_offsets()[:, 0], middle)
        assert sorted(dots.get_offsets()[:, 1]) == pytest.approx([levels[place] + 0.02 * k for k in (-1, 0, 1, 2)])
    assert drawn == pytest.approx({place: level + 0.01 for place, level in levels.items()})
    *marks, dotted = ax.lines
    assert dotted.get_ydata()[0] == pytest.approx(1.55)
    assert [mark.get_ydata()[0] for mark in marks] == pytest.approx(list(at_32.values()))
    assert [sum(mark.get_xdata()) / 2 for mark in marks] == pytest.approx([place + 0.27 for place in range(5)])
    assert ax.get_ylim()[0] == 0 and 3 < ax.get_ylim()[1] < 9
