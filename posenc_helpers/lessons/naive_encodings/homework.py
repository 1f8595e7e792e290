"""Homework of notebook 02: which of the five codes is it, scaled, mixed and moved?"""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.mistakes import Mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, reordered, whole
from posenc_helpers.encodings import binary, index, normalised, one_hot, random_codes

D = 64
NAMES = ("index", "normalised", "random", "one-hot", "binary")


def hide(name: str, factor: float = 1.0, seed: int | None = None) -> Callable[[int], Tensor]:
    """Return a code as a function of L, giving (L, 64): times `factor`, and with a seed also turned and moved."""
    made = torch.randn(D + 1, D, generator=drawn(seed or 0), dtype=torch.float64)
    turn, moved = torch.linalg.qr(made[:D]).Q, made[D]  # an orthogonal matrix leaves distances as they are

    def codes(length: int) -> Tensor:
        p = torch.arange(length)
        made = index(p, D), normalised(p, D, length), random_codes(p, D, D), one_hot(p, D), binary(p, D)
        code = made[NAMES.index(name)].double()
        return factor * (code if seed is None else code @ turn + moved)

    return codes


def apart(codes: Tensor) -> Tensor:
    return torch.cdist(codes, codes)


def near(a: Tensor, b: Tensor | float, within: float = 1e-4) -> bool:
    return bool(((a - b).abs() <= within).all())


def decide(**other: Callable) -> Callable:
    """Return an answer that asks four questions of distances, in units of the first; `other` replaces some of them."""
    ask = {
        "line": lambda far, hidden: near(far[0], torch.arange(32)),
        "stays": lambda far, hidden: near(apart(hidden(8))[0, 1] / apart(hidden(32))[0, 1], 1),
        "equal": lambda far, hidden: near(far[0, 1:], 1),
        "whole": lambda far, hidden: near(far**2, (far**2).round()),
    } | other

    def answer(hidden: Callable) -> str:
        far = apart(hidden(32)) / apart(hidden(32))[0, 1]
        if ask["line"](far, hidden):
            return "index" if ask["stays"](far, hidden) else "normalised"
        others = "binary" if ask["whole"](far, hidden) else "random"
        return NAMES[3] if ask["equal"](far, hidden) else others

    return answer


MISTAKES = {
    "asked for one length alone": Mistake(
        "Within one text index and normalised look alike, up to a factor. What becomes of them when the text grows?",
        decide(stays=lambda far, hidden: True),
        decide(stays=lambda far, hidden: False),
        holds=lambda said: said["plain"]["index"] != "normalised" and said["plain"]["normalised"] != "index",
    ),
    "neighbours alone": Mistake(
        "Index, normalised and one-hot all have steps of one length. Look at codes farther apart as well.",
        decide(line=lambda far, hidden: near(far.diagonal(1), 1)),
        decide(line=lambda far, hidden: False, equal=lambda far, hidden: near(far.diagonal(1), 1)),
        holds=lambda said: said["plain"]["one-hot"] != "index" and said["plain"]["index"] != "one-hot",
    ),
    "nearly equal taken for equal": Mistake(
        "Random codes are about equally far apart, one-hot codes exactly: your tolerance is too wide, or you take a mean.",
        decide(equal=lambda far, hidden: near(far[0, 1:], 1, 0.5)),
        decide(equal=lambda far, hidden: near(far.diagonal(1).mean() / far.diagonal(9).mean(), 1, 0.1)),
        holds=lambda said: said["plain"]["random"] != "one-hot",
    ),
    "binary and random not told apart": Mistake(
        "You confuse binary and random. Both have uneven steps; only one of them has few different distances.",
        decide(whole=lambda far, hidden: True),
        decide(whole=lambda far, hidden: False),
        holds=lambda said: said["plain"]["binary"] != "random" and said["plain"]["random"] != "binary",
    ),
    "size in place of shape": Mistake(
        "A code gets another name when all of it is multiplied by one number. Compare distances with each other.",
        decide(stays=lambda far, hidden: apart(hidden(32))[0, 1] > 1),
        decide(equal=lambda far, hidden: near(apart(hidden(32))[0, 1:], 2**0.5)),
        holds=lambda said: said["turned"] != said["plain"] or said["small"] == said["large"] == said["plain"],
    ),
    "entries read, or asked for exactly equal": Mistake(
        "Turned columns fool you: every entry is another one then, and distances keep all but their last digits.",
        decide(equal=lambda far, hidden: bool((far[0, 1:] == 1).all())),
        decide(equal=lambda far, hidden: bool((hidden(32).count_nonzero(-1) == 1).all())),
        decide(line=lambda far, hidden: bool((hidden(32).diff(dim=0) > 0).all())),
        holds=lambda said: said["turned"] == said["plain"],
    ),
}


@check("which_code", "Distances survive scaling and turning, and they tell the five apart.")
def check_homework(answer) -> None:
    """Check `which_code(hidden)`: the name of the code behind hidden(L) -> (L, 64), in many disguises."""

    def ask(**disguise) -> dict[str, str]:
        said = {name: answer(hide(name, **disguise)) for name in reordered(NAMES)}
        need({*said.values()} <= {*NAMES}, f"which_code should return one of these words: {', '.join(NAMES)}.")
        return said

    refuse(MISTAKES, {"plain": ask(), "small": ask(factor=0.1), "large": ask(factor=7), "turned": ask(seed=1)})
    other = {"factor": whole(drawn(5), 1, 99) / 9, "seed": 5}
    for disguise in ({}, {"factor": 0.1, "seed": 2}, {"factor": 0.6, "seed": 3}, {"factor": 10, "seed": 4}, other):
        for name, found in ask(**disguise).items():
            need(found == name, "Another name fits better.", f"You say {found} for {name}. ", f"says {found}")
