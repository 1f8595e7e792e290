"""Every explorer redraws its moving parts alone as if all were drawn afresh, and says its numbers in a sentence."""

import contextlib
import itertools
import re
from functools import cache
from unittest import mock

import pytest
import torch

from posenc_helpers.classroom.controls import on_page
from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import style
from posenc_helpers.lessons.learned import descriptions, pictures
from tests.notebooks.reading import PATHS, read
from tests.pages.playing import random_states
from tools.pages.collect import Explorer, collect, explorer_cells
from tools.pages.playable import collect_playable, playable_cells

TABLES = {step: torch.randn(20, 8, generator=torch.Generator().manual_seed(step)) for step in (0, 20)}
LOSSES = [3.0] * 10 + [2.0] * 10


def cells(which):
    return [pytest.param(path, cell, id=f"{path.name[:2]}-{cell}") for path in PATHS for cell in which(read(path))]


@cache
def live(path, cell) -> Explorer:
    """Return the explorer with all values that its sliders take live, more than on a page; 04's without its training."""
    if path.name.startswith("04"):
        build, describe = pictures.training_explorer(TABLES, LOSSES, pairs=2.3), descriptions.training(TABLES, LOSSES)
        return Explorer(build, describe, "", None, {"step": {"0": 0, "20": 20}}, {"step": 0}, {})
    with mock.patch("tools.pages.collect.on_page", lambda widgets, page: on_page(widgets, {})):
        return collect(read(path), cell)


def far_from(explorer) -> dict:
    """Return the last values of all controls, but for what starts there; the first ones where the subject refuses those."""
    for end, otherwise in ((-1, 0), (0, -1)):
        choices = {name: list(words.values()) for name, words in explorer.controls.items()}
        values = {name: some[otherwise if some[end] == explorer.start[name] else end] for name, some in choices.items()}
        with contextlib.suppress(ValueError):
            explorer.describe(**values)
            return values
    raise AssertionError("no end of the sliders is allowed")


@pytest.mark.parametrize(("path", "cell"), cells(explorer_cells))
def test_a_picture_that_was_moved_is_the_one_that_is_drawn_afresh_there(path, cell):
    explorer = live(path, cell)
    start, other = explorer.start, far_from(explorer)
    with style():
        fig, update = explorer.build(**start)
        kept, whole = Screen(fig, update), Screen(*explorer.build(**start))
        first = kept.draw(start)
        assert kept.update(**start) == kept.update(**other), "the same artists"
        moved = kept.draw(other)
        whole.draw(start)
        whole.background = None  # drawn anew, so what is left of the start would show as a difference
        assert moved == whole.draw(other) and moved != first


def check_sentences(describe, states):
    seen = set()
    for values in states:
        try:
            words = describe(**values)
        except ValueError:  # settings that the subject does not allow: the explorer shows why
            continue
        assert re.search(r"\d", words) and words.endswith(".") and 8 <= len(words.split()) <= 65, words
        assert not re.search(r"nan|inf\b|tensor", words), words
        seen.add(words)
    assert len(seen) > len(states) / 20 + 1


@pytest.mark.parametrize(("path", "cell"), cells(explorer_cells))
def test_every_end_of_every_slider_has_a_sentence_with_its_numbers(path, cell):
    explorer = live(path, cell)
    choices = [list(words.values()) for words in explorer.controls.values()]
    ends = [values if isinstance(values[0], str) else [values[0], values[-1]] for values in choices]
    check_sentences(
        explorer.describe, [dict(zip(explorer.controls, values, strict=True)) for values in itertools.product(*ends)]
    )


@pytest.mark.parametrize(("path", "cell"), cells(playable_cells))
def test_what_one_plays_with_has_a_sentence_wherever_it_stands(path, cell):
    one = collect_playable(read(path), cell)
    check_sentences(one.describe, random_states(one, 100))
