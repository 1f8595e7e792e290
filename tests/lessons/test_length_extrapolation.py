"""What the pictures of notebook 08 show: breaks, sights, shares, means, tasks, depth, the summary; and its losses."""

import numpy as np
import pytest
import torch

from posenc_helpers.classroom.colours import PALETTE, name_of
from posenc_helpers.classroom.figures import png
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.shootout import CONTESTANTS
from posenc_helpers.lessons.length_extrapolation import depth
from posenc_helpers.lessons.length_extrapolation.explorer import AT, MEAN, SWITCHES, UP_TO, Curves, still, words
from posenc_helpers.lessons.length_extrapolation.pictures import ORDER, breaks, shares, standing, weight_of_one


def test_a_dot_for_every_break_and_an_open_one_where_there_is_none():
    stored = [
        {"encoding": name, "seed": seed, "what": "break", "at": None if name == "alibi" else 33 + seed, "loss": None}
        for name in ORDER
        for seed in range(3)
    ]
    fig = breaks(stored)
    (ax,) = fig.axes
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert len(dots) == 3 * len(ORDER)
    open_ones = [dot for dot in dots if dot.get_markerfacecolor() == "none"]
    assert len(open_ones) == 3 and {dot.get_color() for dot in open_ones} == {PALETTE["alibi"]}
    assert min(dot.get_xdata()[0] for dot in open_ones) > 512
    png(fig)


def test_weight_of_one_is_that_of_softmax():
    scores = torch.zeros(100)
    scores[0] = 2.5
    assert weight_of_one(2.5, 100) == pytest.approx(scores.softmax(0)[0].item(), rel=1e-5)
    falling, kept = (line.get_ydata() for line in shares().axes[0].lines)
    assert falling[0] == pytest.approx(kept[0]) and falling[-1] < 0.1 < kept[0] < kept[-1]


def test_a_bet_is_counted_by_pairs():
    losses = {name: float(place) for place, name in enumerate(CONTESTANTS)}
    assert standing(list(CONTESTANTS), losses) == 21 and standing(list(CONTESTANTS)[::-1], losses) == 0
    with pytest.raises(ValueError, match="must name each of the seven once"):
        standing(["rope"], losses)


def test_what_shuffling_adds():
    rows = [
        {"layers": n, "seed": seed, "in order": 2.0, "shuffled": 2.0 + n / 10 + seed} for n in (0, 1) for seed in (0, 1)
    ]
    assert depth.added_by_shuffling(rows, layers=1) == pytest.approx([0.1, 1.1])


# The losses that one plays with

BLOCKS = octave_blocks(512)


def made_up() -> Curves:
    """Two seeds: everyone at 2 + seed in training; from 64 on RoPE is 1 higher, learned from 32 on."""
    rows = [
        {
            "encoding": name,
            "seed": seed,
            "what": "position",
            "at": start,
            "loss": 2.0 + seed + (name == "rope" and start >= 64) + (name == "learned" and start >= 32),
        }
        for name in ORDER
        for seed in (0, 1)
        for start, _ in BLOCKS
    ]
    found = {"learned": (32, 33), "rope": (64, 70), "alibi": (None, 300)}
    rows += [
        {"encoding": name, "seed": seed, "what": "break", "at": found.get(name, (None, None))[seed], "loss": None}
        for name in ORDER
        for seed in (0, 1)
    ]
    passed = [
        {"encoding": name, "seed": seed, "steps": steps, "what": what, "by": by, "at": at, "loss": None}
        for name in ORDER
        for seed in (0, 1)
        for steps in (300, 600)
        for what, by, at in (("position", 0.15, 40 + steps), ("position", 0.3, 500), ("mean", 0.3, None))
    ]
    return Curves(rows, passed)


def test_lines_and_values():
    curves = made_up()
    assert curves.line("alibi", MEAN, AT) == pytest.approx(np.full(len(BLOCKS), 2.5))
    assert curves.line("rope", 1, AT)[-1] == 4.0
    assert curves.line("learned", 0, UP_TO)[-1] == pytest.approx(2 + 480 / 512)
    assert [curves.value("learned", 0, AT, p) for p in (1, 32, 33, 512)] == [2, 2, 3, 3]
    assert [curves.value("learned", 0, UP_TO, p) for p in (32, 34, 50, 512)] == pytest.approx(
        [2 + new / (32 + new) for new in (0, 2, 18, 480)]
    )


def test_it_breaks_where_the_other_pictures_say():
    """At 0.3 nats the stored break of each seed, which was found position by position; other thresholds, 300 steps."""
    curves = made_up()
    assert curves.broke("rope", MEAN, AT, 0.3) == [64, 70] and curves.broke("rope", 1, AT, 0.3) == [70]
    assert curves.broke("alibi", MEAN, AT, 0.3) == [300] and curves.broke("alibi", 0, AT, 0.3) == []
    assert curves.broke("nope", 0, AT, 0.15) == [340] and curves.broke("rope", MEAN, UP_TO, 0.3) == []
    stored = load_results("shootout")
    curves = Curves(stored)
    for name in ORDER:
        for seed in range(8):
            (at,) = values_of(stored, "at", encoding=name, seed=seed, what="break")
            assert curves.broke(name, seed, AT, 0.3) == ([] if at is None else [at])


ALL, TWO = dict.fromkeys(SWITCHES, True), {name: name in ("rope", "nope") for name in SWITCHES}


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        (
            (40, AT, 0, 0.3, ALL),
            ("position 40 (seed 0)", "learned 3.00", "Breaks by 0.3 nats: learned at 32, RoPE at 64."),
        ),
        ((40, AT, MEAN, 0.3, ALL), ("learned at 32 to 33, RoPE at 64 to 70, ALiBi at 300 (1 of 2 seeds).",)),
        ((512, UP_TO, MEAN, 0.3, TWO), ("Mean loss up to position 512 (mean of eight)", "RoPE 3.38", ": none.")),
        ((512, AT, 0, 0.3, dict.fromkeys(SWITCHES, False)), ("no model is on.", ": none.")),
    ],
)
def test_the_sentence_holds_the_numbers(values, parts):
    *values, switches = values
    said = words(made_up())(*values, **switches)
    assert all(part in said for part in parts) and ("learned" in said) == switches["learned"]


def test_labels_at_the_ends_name_the_model_and_values_stand_at_the_position():
    curves = Curves()
    (ax,) = still(curves)(40, AT, MEAN, 0.3, **ALL).axes
    ends = {text.get_text() for text in ax.texts if text.get_position()[0] == 1.01}
    assert ends == {name_of(name) for name in ORDER}
    values = {text.get_text() for text in ax.texts if getattr(text, "xy", (0, 0))[0] == 40}
    assert values == {f"{name_of(name)} {curves.value(name, MEAN, AT, 40):.2f}" for name in ORDER}
