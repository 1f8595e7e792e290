"""What the pictures of notebook 08 show: breaks, sights, shares, means, tasks, depth, the summary; and its explorer."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from posenc_helpers.classroom.colours import PALETTE
from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import png, style
from posenc_helpers.lab.evaluation import octave_blocks
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.shootout import CONTESTANTS
from posenc_helpers.lessons.length_extrapolation import depth
from posenc_helpers.lessons.length_extrapolation import explorer as length_explorer
from posenc_helpers.lessons.length_extrapolation.explorer import ALL, AT, MEAN, SHOWN, UP_TO, Curves
from posenc_helpers.lessons.length_extrapolation.pictures import (
    ORDER,
    breaks,
    declared,
    early_tokens,
    rises,
    shares,
    sights,
    standing,
    summary,
    tasks,
    weight_of_one,
)


def drawn_text(fig) -> str:
    return " ".join(text.get_text() for ax in fig.axes for text in ax.texts)


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


def test_sights_shows_a_mean_and_its_range_and_leaves_out_what_was_not_run():
    rows = [
        {"encoding": name, "what": what, "seed": seed, "loss": 2.0 + seed}
        for name in ("rope", "alibi")
        for what in ("all keys", "no new distance")
        for seed in (0, 1)
        if (name, what) != ("alibi", "no new distance")
    ]
    fig = sights(rows, ("all keys", "no new distance"), ("rope", "alibi"))
    marks = [line for line in fig.axes[0].lines if line.get_marker() in ("o", "D")]
    assert [line.get_xdata()[0] for line in marks] == [2.5, 2.5, 2.5]
    ranges = [list(line.get_xdata()) for line in fig.axes[0].lines if len(line.get_xdata()) == 2 and line.get_lw() == 2]
    assert ranges == [[2.0, 3.0]] * 3
    png(fig)


def test_rises_has_two_bars_a_method_and_panel_with_their_numbers():
    fig = rises({"rope": [0.1, 0.5], "alibi": [-0.1, 0.0]}, {"rope": [0.4, 1.2], "alibi": [0.2, 0.3]}, ("2x", "8x"))
    assert [[round(bar.get_width(), 2) for bar in ax.patches] for ax in fig.axes] == [
        [0.1, 0.4, -0.1, 0.2],
        [0.5, 1.2, 0.0, 0.3],
    ]
    assert "+1.20" in drawn_text(fig) and "-0.10" in drawn_text(fig)


def test_weight_of_one_is_that_of_softmax():
    scores = torch.zeros(100)
    scores[0] = 2.5
    assert weight_of_one(2.5, 100) == pytest.approx(scores.softmax(0)[0].item(), rel=1e-5)
    falling, kept = (line.get_ydata() for line in shares().axes[0].lines)
    assert falling[0] == pytest.approx(kept[0]) and falling[-1] < 0.1 < kept[0] < kept[-1]


def test_early_tokens_writes_the_means_at_the_lengths():
    losses = torch.tensor([3.0, 1.0, 1.0, 1.0] + [1.0] * 60)
    fig = early_tokens(losses, losses.cumsum(0) / torch.arange(1, 65), (4, 64))
    assert "1.50" in drawn_text(fig) and "1.03" in drawn_text(fig)


def accuracies(lengths):
    return [
        {"encoding": name, "seed": seed, "steps": steps, "length": n, "accuracy": 0.5 + seed / 4}
        for name in ORDER
        for seed in (0, 1)
        for steps in (300, 600)
        for n in lengths
    ]


def test_tasks_has_a_line_and_a_name_for_each():
    fig = tasks(accuracies((16, 64)), accuracies((16, 32)))
    for ax in fig.axes:
        lines = [line for line in ax.lines if list(line.get_ydata()) == [0.625, 0.625]]
        assert len(lines) == len(ORDER)
        assert {"NoPE", "RoPE", "ALiBi", "learned"} <= {text.get_text() for text in ax.texts}


def test_summary_writes_every_number_and_the_range_where_it_is_wide():
    rows = {"rope": {"text\n1x": (1.6, 1.59, 1.61), "lag\n2x": (0.7, 0.5, 0.9)}}
    left = {"rope": {"text\n1x": 1.0, "lag\n2x": 0.2}}
    fig = summary(rows, left)
    assert [text.get_text() for text in fig.axes[0].texts] == ["1.60", "0.70", "0.50 to 0.90"]
    dark, light = (sum(patch.get_facecolor()[:3]) for patch in fig.axes[0].patches)
    assert dark < light


def test_declared_has_a_dot_for_each_model_and_names_the_bold():
    models = [
        SimpleNamespace(model=name, trained_context=trained, declared_context=declared)
        for name, trained, declared in (
            ("A", 100, 100),
            ("B", 200, 200),
            ("C", 100, 400),
            ("D", 200, 800),
            ("E", 100, 1000),
        )
    ]
    fig = declared(models, models[2:])
    drawn = [line for line in fig.axes[0].lines if line.get_marker() == "o"]
    dots = [(times, line.get_color()) for line in drawn for times in line.get_xdata()]
    assert sorted(times for times, _ in dots) == [1, 1, 4, 4, 10]
    assert sum(colour == PALETTE["rope"] for _, colour in dots) == 3
    assert sorted(text.get_text() for text in fig.axes[0].texts) == ["2 models", "C", "D", "E"]
    heights = [text.get_position()[1] for text in fig.axes[0].texts if text.get_text() in "CDE"]
    assert len(set(heights)) == 3, "a name would cover another"
    png(fig)


def test_a_bet_is_counted_by_pairs():
    losses = {name: float(place) for place, name in enumerate(CONTESTANTS)}
    assert standing(list(CONTESTANTS), losses) == 21 and standing(list(CONTESTANTS)[::-1], losses) == 0
    with pytest.raises(ValueError, match="must name each of the seven once"):
        standing(["rope"], losses)


def decoders():
    kinds = [
        (*kind, layers, seed)
        for kind in (("nope", 300), ("nope", 900), ("rope", 300))
        for layers in (1, 2)
        for seed in (0, 1)
    ]
    losses = {f"x{k}": 2.0 + k / 10 for k in (1, 2, 4, 8, 16)}
    return [
        {
            "encoding": name,
            "layers": layers,
            "steps": steps,
            "seed": seed,
            "in order": 2.0,
            "shuffled": 2.0 + (layers - 1) / 10 + seed,
            **losses,
        }
        for name, steps, layers, seed in kinds
    ]


def test_what_shuffling_adds():
    assert depth.added_by_shuffling(decoders(), encoding="nope", layers=2, steps=900) == pytest.approx([0.1, 1.1])
    fig = depth.depth(decoders())
    assert len([line for line in fig.axes[1].lines if len(line.get_xdata()) == 5]) == 2
    assert "2 layers" in drawn_text(fig) and "1 layer" in drawn_text(fig)
    png(fig)


# The explorer

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


def test_lines_of_the_explorer():
    curves = made_up()
    assert curves.line("alibi", MEAN, AT) == pytest.approx(np.full(len(BLOCKS), 2.5))
    assert curves.line("rope", 1, AT)[-1] == 4.0
    assert curves.line("learned", 0, UP_TO)[-1] == pytest.approx(2 + 480 / 512)


def test_the_explorer_breaks_where_the_other_pictures_say():
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


def test_the_sentence_holds_the_numbers():
    describe = length_explorer.words(made_up())
    words = describe(40, 0, AT, ALL, 0.3)
    assert "seed 0" in words and "40 characters in" in words and "learned 3.00" in words and "RoPE 2.00" in words
    assert "0.3 nats above training: learned at 32, RoPE at 64." in words
    words = describe(40, MEAN, AT, ALL, 0.3)
    assert "above training: learned at 32 to 33, RoPE at 64 to 70, ALiBi at 300 (1 of 2 seeds)." in words
    words = describe(512, MEAN, UP_TO, "RoPE and NoPE", 0.3)
    assert "mean of eight" in words and "RoPE 3.38" in words and "learned" not in words and "nobody" in words


SETTINGS = {
    "position": (1, 40, 512),
    "seed": (MEAN, 0, 7),
    "loss": (AT, UP_TO),
    "shown": tuple(SHOWN),
    "by": (0.15, 0.3),
}


def test_every_setting_has_a_sentence():
    describe, seen = length_explorer.words(Curves()), set()
    for values in itertools.product(*SETTINGS.values()):
        words = describe(*values)
        assert re.search(r"\d", words) and words.endswith(".") and 8 <= len(words.split()) <= 80, words
        seen.add(words)
    assert len(seen) > 100


def test_the_explorer_redraws_the_same_artists_and_leaves_all_others_alone():
    start = {"position": 40, "seed": MEAN, "loss": AT, "shown": ALL, "by": 0.3}
    other = {"position": 512, "seed": 3, "loss": UP_TO, "shown": "RoPE and NoPE", "by": 0.8}
    build = length_explorer.explorer(Curves())
    with style():
        fig, update = build(**start)
        kept, whole = Screen(fig, update), Screen(*build(**start))
        first = kept.draw(start)
        assert kept.update(**start) == kept.update(**other)
        moved = kept.draw(other)
        whole.draw(start)
        whole.background = None
        assert moved == whole.draw(other) and moved != first
