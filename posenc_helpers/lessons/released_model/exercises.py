"""Exercises of notebook 12: the layout of unknown files, pairs that may stand still, and keys that a text needs."""

from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.mistakes import refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import convert_layout
from posenc_helpers.lessons.released_model import smollm2
from posenc_helpers.lessons.released_model.mistakes import DEAR, FILES, LAYOUTS, MASKS, STILL
from posenc_helpers.lessons.released_model.mistakes import PAIRS as PAIR_MISTAKES
from posenc_helpers.lessons.released_model.smollm2 import PAIRS, W, turning
from posenc_helpers.lessons.released_model.stretches import stretches

ASKED = ("Python: comparisons", "NumPy: polynomial")  # exercise 2
READ, SCORED = 256, 128  # exercise 3: tokens of a stretch, and those at its end that count
WINDOWED = ("Python: execmodel", "NumPy: random")
DEARER_SEEN = 0.85  # nats that exercise 3 allows


def losses_of(file: str) -> dict[str, float]:
    """Return the loss of an unknown file "A", "B" or "C" over 128 tokens, read in either layout, and without turning.

    Raises ValueError for another name.
    """
    if file not in FILES:
        raise ValueError(f"file={file!r} is not known; allowed: {', '.join(FILES)}")
    model = smollm2.load()
    tokens = stretches(model.tokens, 129)["Python: import"]
    moved = dict(model.weights)
    for name in {"A": ("attn_q", "attn_k"), "B": ("attn_q",), "C": ()}[file]:
        for layer in range(model.layers):
            full = f"blk.{layer}.{name}.weight"
            moved[full] = convert_layout(moved[full], len(moved[full]) // (2 * PAIRS), to="half")
    ways = {layout: turning(layout=layout) for layout in ("interleaved", "half")}
    ways["not turned"] = turning(torch.zeros(PAIRS))
    unknown = replace(model, weights=moved)
    return {way: round(smollm2.losses(unknown, tokens, turn).mean().item(), 2) for way, turn in ways.items()}


@check("layouts", "Read from the losses alone, in either layout.")
def check_layouts(answer) -> None:
    """Check {file: layout} for the files A, B, C: "interleaved", "half", or "neither"."""
    need(isinstance(answer, dict) and set(answer) >= set(FILES), "Give a dict with a layout for A, B and C.")
    given = {file: str(answer[file]).strip().lower() for file in FILES}
    words = ("interleaved", "half", "neither")
    for file, said in given.items():
        need(answer[file] is not ..., "The choice is still the dots.", f"File {file}: ", name="still the dots")
        need(said in words, f"The choice is one of {', '.join(words)}.", f"File {file}: ", name="not one of three")
    refuse(LAYOUTS, given)


@check("still", f"{STILL} pairs or more stand still, and two texts hardly notice.")
def check_still(answer) -> None:
    """Check a list of at least 18 numbers of pairs that may stand still: two stretches lose less than 0.12 nats."""
    given = list(answer) if isinstance(answer, set | frozenset) else answer
    count = len(given) if hasattr(given, "__len__") else None
    need(count is not None, "Give a list of numbers of pairs, not one number.", name="not a list")
    still = as_tensor(given, "still", (count,)).tolist()
    need(all(pair == int(pair) for pair in still), "A pair has a whole number.", name="not whole numbers")
    refuse(PAIR_MISTAKES, still)
    lost = loss_of_still(tuple(sorted(map(int, still))))
    refuse(DEAR, lost, where=f"{len(still)} pairs stand still, and the loss rises by {lost:.2f}: ")


@lru_cache(maxsize=64)
def loss_of_still(still: tuple[int, ...]) -> float:
    """Return by how many nats a token the mean loss of two stretches rises where these pairs stand still."""
    model = smollm2.load()
    w = W.clone()
    w[list(still)] = 0
    texts = stretches(model.tokens)
    rises = [smollm2.losses(model, texts[name], turning(w)) - _as_released(name, len(texts[name])) for name in ASKED]
    return torch.stack(rises).mean().item()


@lru_cache(maxsize=4)
def _as_released(stretch: str, length: int) -> Tensor:
    model = smollm2.load()
    return smollm2.losses(model, stretches(model.tokens, length)[stretch], turning())


@check("seen", "With so few keys the text is still read.")
def check_seen(answer) -> None:
    """Check seen(length) -> (length, length): at most 24 keys a token, and two stretches lose less than 0.85 nats."""
    ask = watched(answer)
    masks = {}
    for length in (30, READ, whole(drawn(120), 40, 200)):
        given = ask(length)
        seen = as_tensor(given, "seen", (length, length))
        need(bool(((seen == 0) | (seen == 1)).all()), "Give True where a token sees a key, False elsewhere.")
        refuse(MASKS, seen.bool(), where=f"For {length} tokens: ")
        masks[length] = seen.bool()
    lost = loss_of_seen(masks[READ])
    need(
        lost < DEARER_SEEN,
        "Which of the keys could be spent better?",
        f"The loss rises by {lost:.2f}: ",
        name="a costly choice of keys",
    )


def loss_of_seen(seen: Tensor) -> float:
    """Return by how many nats the loss over the last 128 of 256 tokens rises, mean of two stretches, where only `seen`
    (256, 256) is seen."""
    model = smollm2.load()
    texts = stretches(model.tokens, READ + 1)
    rises = [smollm2.losses(model, texts[name], turning(), seen) - _as_released(name, READ + 1) for name in WINDOWED]
    return torch.stack(rises)[:, -SCORED:].mean().item()
