"""Likely mistakes in the exercises of notebook 12."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.mistakes import Mistake

FILES = {"A": "half", "B": "neither", "C": "interleaved"}
DEARER = 0.12  # nats that exercise 2 allows
KEYS, STILL = 24, 18  # exercise 3: keys that a token may see; exercise 2: pairs that stand still, at least


def filed(**wrong: str) -> dict[str, str]:
    """Return an answer to exercise 1 that is right but for what is given."""
    return FILES | wrong


LAYOUTS = {
    "both losses high, yet one taken": Mistake(
        "One of the layouts is a little better here, and still far above a file that is read well. What if none fits?",
        filed(B="interleaved"),
        filed(B="half"),
        holds=lambda given: given["B"] == FILES["B"],
    ),
    "what llama.cpp does, whatever was measured": Mistake(
        "Do not go by what llama.cpp's files have: which of its losses is the lowest?",
        filed(A="interleaved"),
        dict.fromkeys(FILES, "interleaved") | {"B": "neither"},
        holds=lambda given: given["A"] != "interleaved",
    ),
    "the higher loss taken": Mistake(
        "A low loss is a file that is read well, a high one is a file that is read wrongly.",
        filed(C="half"),
        holds=lambda given: given["C"] != "half",
    ),
    "a readable file called neither": Mistake(
        "One of its losses is that of the model as released: then its layout is known.",
        filed(A="neither"),
        filed(C="neither"),
        holds=lambda given: "neither" not in (given["A"], given["C"]),
    ),
}

PAIRS = {
    "a yes or no for each pair": Mistake(
        "Give the numbers of the pairs, not a yes or no for each.",
        [pair > 13 for pair in range(32)],
        torch.arange(32) > 13,
        holds=lambda still: len(still) <= 2 or not set(still) <= {0, 1},
    ),
    "a pair that there is not": Mistake(
        "There are 32 pairs, counted from 0.",
        [*range(15, 33)],
        [*range(-1, 17)],
        holds=lambda still: all(0 <= pair < 32 for pair in still),
    ),
    "a pair twice": Mistake(
        "A pair stands in the list twice; it counts once.",
        [*range(14, 31), 30],
        holds=lambda still: len(set(still)) == len(still),
    ),
    "too few pairs": Mistake(
        f"At least {STILL} pairs should stand still.", [31], [*range(0, 32, 2)], holds=lambda still: len(still) >= STILL
    ),
    "fast pairs stand still": Mistake(
        "Among them are the fastest pairs, which tell a token from its neighbour.",
        [*range(18)],
        [2, 3, *range(16, 32)],
        holds=lambda still: min(still) >= 4,
    ),
}
DEAR = {
    "one fast pair too many": Mistake(
        "Of the pairs that stand still, which one goes round most often in 384 tokens? Let that one turn.",
        [*range(8, 26)],
        [10, 11, *range(16, 32)],
        holds=lambda lost: lost < DEARER,
    )
}


def last(count: int, *more: int, ahead: int = 0):
    """Return an answer to exercise 3: the last `count` keys and those at the places `more`, and `ahead` later ones."""

    def seen(length: int) -> Tensor:
        place = torch.arange(length)
        back = place[:, None] - place
        keys = back < count
        keys[:, [there for there in more if there < length]] = True
        return keys & (back >= -ahead)

    return seen


MASKS = {
    "sees the future": Mistake(
        "A token sees keys after itself. Those are the answers.",
        last(24, ahead=1),
        lambda length: torch.ones(length, length).bool(),
        holds=lambda seen: not seen.triu(1).any(),
    ),
    "does not see itself": Mistake(
        "Some token does not see itself.",
        lambda length: last(24, 0)(length) & ~torch.eye(length).bool(),
        lambda length: torch.zeros(length, length).bool(),
        holds=lambda seen: bool(seen.diagonal().all()),
    ),
    "too many keys": Mistake(
        f"Some token sees more than {KEYS} keys: its own counts, and so does every other.",
        last(24, 0),
        lambda length: torch.ones(length, length).tril().bool(),
        holds=lambda seen: int(seen.sum(-1).max()) <= KEYS,
    ),
    "no token in sight that saw only itself": Mistake(
        "Late tokens see no key that saw only itself. Which token of a text is always one?",
        last(24),
        last(16, 20, 21, 22),
        holds=lambda seen: bool((seen[-1] & (seen.sum(-1) == 1)).any()),
    ),
    "hardly any near keys": Mistake(
        "Most of the keys are far away: which ones does a text need most, beside the first?",
        last(1, *range(23)),
        last(2, *range(0, 242, 11)),
        holds=lambda seen: int(seen[-1, -12:].sum()) >= 8,
    ),
}
MISTAKES = {"layouts": LAYOUTS, "still": PAIRS | DEAR, "seen": MASKS}
