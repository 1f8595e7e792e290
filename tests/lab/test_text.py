"""The English text holds nothing twice, and n-grams are counted right."""

import importlib
import math
import re
from collections import Counter

import pytest
import torch

from posenc_helpers.lab import text as module
from posenc_helpers.lab.text import SYMBOLS, Text, cut_windows, ngram_losses
from tests.refused import refused

PARTS = ("train", "validation", "test")


def paragraphs() -> list[str]:
    """Return every paragraph of 40 characters or more, as often as it is printed, in the symbols of the text."""
    topics = importlib.import_module("pydoc_data.topics").topics
    found = []
    for topic in sorted(topics):
        for paragraph in re.split("\n *\n", topics[topic]):
            spaced = "".join(c if c in SYMBOLS else " " for c in paragraph.lower())
            found.append(re.sub(" +", " ", spaced).strip(" "))
    return [paragraph for paragraph in found if len(paragraph) >= 40]


def test_symbols_and_the_way_back_to_characters(text):
    assert text.name == "English" and text.vocabulary == len(text.symbols) == len(set(text.symbols)) == 29
    assert text.decode(torch.arange(29)) == SYMBOLS == " abcdefghijklmnopqrstuvwxyz.,"
    for part in PARTS:
        tokens = getattr(text, part)
        assert tokens.ndim == 1 and tokens.dtype == torch.int64
        assert set(tokens.tolist()) == set(range(29))  # every symbol occurs in every part
        characters = text.decode(tokens)
        assert [SYMBOLS.index(character) for character in characters] == tokens.tolist()
        assert characters.count("  ") <= 9  # one space between words, but perhaps where two pieces meet


def test_it_reads_as_the_help_pages_do_each_paragraph_once(text):
    """A fifth of what is printed repeats what stands under another topic."""
    once = " ".join(dict.fromkeys(paragraphs()))
    assert 1 - len(once) / len(" ".join(paragraphs())) == pytest.approx(0.2, abs=0.08)
    assert "the for statement is used to iterate over the elements of a sequence" in once
    expected = module._split("once", torch.tensor([SYMBOLS.index(character) for character in once]))
    assert all(torch.equal(getattr(text, part), getattr(expected, part)) for part in PARTS)


def test_hardly_anything_held_out_is_trained_on(text, length=33):
    """2.0 % of the windows with Python 3.11."""
    train, test = (text.decode(part) for part in (text.train, text.test))
    known = {train[start : start + length] for start in range(len(train) - length + 1)}
    windows = [test[start : start + length] for start in range(len(test) - length + 1)]
    assert sum(window in known for window in windows) / len(windows) == pytest.approx(0.02, abs=0.01)


def test_every_tenth_of_the_text_is_cut_8_to_1_to_1(size=12_345):
    parts = module._split("numbers", torch.arange(size))
    assert sorted(torch.cat([parts.train, parts.validation, parts.test]).tolist()) == list(range(size))
    block = math.ceil(size / 10)
    for first in range(0, size, block):
        held = [part[(part >= first) & (part < first + block)] for part in (parts.train, parts.validation, parts.test)]
        length = min(block, size - first)
        assert all(abs(len(part) - share * length) < 9 for part, share in zip(held, (0.8, 0.1, 0.1), strict=True))
        assert torch.equal(torch.cat(held), torch.arange(first, first + length))  # in this order, each in one piece


def tiny(seed: int = 0, symbols: int = 3, train: int = 200, held: int = 60) -> Text:
    drawn = torch.randint(symbols, (train + 2 * held,), generator=torch.Generator().manual_seed(seed))
    return Text("tiny", *drawn.split([train, held, held]), symbols=SYMBOLS[:symbols])


def naive(text: Text, order: int, part: str, prior: float, skipped: int) -> float:
    """Count by hand; the first `skipped` characters are read but not asked."""
    train, read = text.train.tolist(), getattr(text, part).tolist()
    grams = [Counter(tuple(train[i : i + n]) for i in range(len(train) - n + 1)) for n in range(order + 1)]

    def probability(context: tuple[int, ...], symbol: int) -> float:
        lower = probability(context[1:], symbol) if context else 1 / text.vocabulary
        together = grams[len(context) + 1][(*context, symbol)]
        alone = sum(grams[len(context) + 1][(*context, other)] for other in range(text.vocabulary))
        return (together + prior * lower) / (alone + prior)

    asked = range(skipped, len(read))
    return -sum(math.log(probability(tuple(read[i - order + 1 : i]), read[i])) for i in asked) / len(asked)


@pytest.mark.parametrize("part", ["test", "validation"])
def test_ngrams_are_what_counting_by_hand_gives(part):
    text = tiny()
    losses = ngram_losses(text, (1, 2, 3, 4), part)
    assert list(losses) == [1, 2, 3, 4]
    for order, loss in losses.items():
        assert loss == pytest.approx(naive(text, order, part, 3.0, skipped=3), rel=1e-9)
    assert ngram_losses(text, (3,), part) == {3: pytest.approx(naive(text, 3, part, 3.0, skipped=2), rel=1e-9)}


@pytest.mark.parametrize(("length", "count"), [(7, 1), (100, 2), (33, 40)])
def test_windows_are_pieces_of_the_part_from_its_start_to_its_end(length, count):
    part = 3 * torch.arange(100)
    windows = cut_windows(part, length, count)
    assert windows.shape == (count, length)
    assert (windows.diff(dim=1) == 3).all()  # each in one piece
    starts = windows[:, 0] // 3
    if count > 1:
        assert starts[0] == 0 and windows[-1, -1] == part[-1]
        assert starts.diff().max() - starts.diff().min() <= 1  # evenly


test_bad_input = refused(
    (lambda: cut_windows(tiny().test, 61, 1), "length=61 exceeds the 60 characters of part"),
    (lambda: cut_windows(tiny().test, 5, 0), "count=0"),
    (lambda: ngram_losses(tiny(), (2, 0)), "order=0"),
    (lambda: ngram_losses(tiny(), ()), r"orders=\(\)"),
    (lambda: ngram_losses(tiny(), (1, 6)), "order=6; allowed: 1 to 5"),
    (lambda: ngram_losses(tiny(), part="tset"), "part='tset' is not known; allowed: 'train', 'validation', 'test'"),
)
