"""The bars of notebook 09."""

import numpy as np
import pytest

from posenc_helpers.lessons.long_context.rescue import RESCUES, TUNED, rescue_bars


def test_bars_are_the_means_of_the_seeds_and_each_seed_is_a_dot():
    levels = {(method, steps): 2.0 + row / 10 - steps / 100
              for row, method in enumerate(RESCUES) for steps in TUNED}  # fmt: skip
    rows = [{"method": m, "tuned": k, "seed": seed, "loss": level + 0.02 * seed}
            for (m, k), level in levels.items() for seed in (-1, 0, 1, 2)]  # fmt: skip
    at_32 = {method: 2.7 + row / 10 for row, method in enumerate(RESCUES)}
    rows += [{"method": f"{method}, at 32", "tuned": 60, "seed": seed, "loss": level - 0.05 + 0.1 * seed}
             for method, level in at_32.items() for seed in (0, 1)]  # fmt: skip
    rows += [{"method": "from the start", "tuned": 0, "seed": seed, "loss": 1.5 + 0.1 * seed} for seed in (0, 1)]
    rows += [{"method": "ntk 2s", "tuned": 0, "seed": 0, "loss": 9.0}]  # what is not drawn does not widen the axis
    fig = rescue_bars(rows)
    ax = fig.axes[0]
    expected = {(method, steps): level + 0.01 for (method, steps), level in levels.items()}
    assert len(ax.patches) == len(ax.collections) == len(expected) == 15
    for bar, dots in zip(ax.patches, ax.collections, strict=True):
        middle = bar.get_x() + bar.get_width() / 2
        method = list(RESCUES)[round(middle)]
        steps = [0, 10, 60][round((middle - round(middle)) / 0.27) + 1]
        level = expected.pop((method, steps))
        assert bar.get_height() == pytest.approx(level)
        assert sorted(dots.get_offsets()[:, 1]) == pytest.approx([level + 0.02 * k - 0.01 for k in (-1, 0, 1, 2)])
        assert np.allclose(dots.get_offsets()[:, 0], middle)
        assert f"{level:.2f}" in [text.get_text() for text in ax.texts]
    assert not expected
    *marks, dotted = ax.lines
    assert dotted.get_ydata()[0] == pytest.approx(1.55)
    assert [mark.get_ydata()[0] for mark in marks] == pytest.approx(list(at_32.values()))
    assert [sum(mark.get_xdata()) / 2 for mark in marks] == pytest.approx([place + 0.27 for place in range(5)])
    names = ["no fine-tuning", "10 steps", "60 steps", "60 steps at 32 instead"]
    assert sorted(text.get_text() for text in ax.get_legend().get_texts()) == sorted(names)
    assert ax.get_ylim()[0] == 0 and 3 < ax.get_ylim()[1] < 9
