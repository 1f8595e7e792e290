"""Homework 11: the gap between two encodings with the same care for both, and likely mistakes."""

from collections.abc import Callable
from statistics import mean

import torch
from torch import Generator

from posenc_helpers.classroom.exercises.answers import as_number
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole


def on(part: str, average: Callable = mean, report: str = "test") -> Callable:
    """Return a choice: the losses on `report`, by seed, with the setting that is best on `part`."""
    return lambda side: min(side.values(), key=lambda parts: average(parts[part].values()))[report]


def paired(ours: dict[int, float], theirs: dict[int, float]) -> float:
    return mean(theirs[seed] - ours[seed] for seed in ours.keys() & theirs.keys())


def gap(choose: Callable | None = None, rival: Callable | None = None, compare: Callable = paired) -> Callable:
    """Return an answer that is right but for how it chooses (for the rival, where it is treated otherwise) or compares."""
    choose = choose or on("validation")

    def fair_gap(rows: list[dict], ours: str, theirs: str) -> float:
        sides = {ours: {}, theirs: {}}  # encoding -> setting -> part -> seed -> loss
        for row in rows:
            if row["encoding"] in sides:
                parts = sides[row["encoding"]].setdefault(row["setting"], {"validation": {}, "test": {}})
                parts[row["part"]][row["seed"]] = row["loss"]
        return compare(choose(sides[ours]), (rival or choose)(sides[theirs]))

    return fair_gap


def nth(place: int) -> Callable:
    return lambda side: list(side.values())[place]["test"]


def by_seed(loss: Callable) -> Callable:
    """Return a choice: for every seed loss(settings, seed), of its parts with each setting."""
    return lambda side: {seed: loss(side.values(), seed) for seed in nth(0)(side)}


def own_best(part: str) -> Callable:
    return by_seed(lambda settings, seed: min(settings, key=lambda parts: parts[part][seed])["test"][seed])


together = by_seed(lambda settings, seed: mean(parts["test"][seed] for parts in settings))
MISTAKES = {
    "chosen on the test text": Mistake(
        "The settings are chosen on the text that is reported: choose on validation, then test once.",
        *(gap(on("test")), gap(own_best("test")), gap(rival=on("test")), gap(on("test"), on("validation"))),
    ),
    "not both tuned": Mistake(
        "One side has not got its best setting, or neither has: choose for both, in the same way.",
        *(gap(rival=rival) for rival in (nth(0), nth(-1), together)),
        *(gap(choice, rival) for choice in (nth(0), nth(-1), together) for rival in (on("validation"), None)),
    ),
    "chosen by single seeds": Mistake(
        "One setting is chosen for all seeds, by the mean over seeds: no setting for each, none for its best seed.",
        *(gap(own_best("validation")), gap(on("validation", min))),
    ),
    "validation reported": Mistake(
        "The settings are chosen on the validation text, but the losses to report are those of the test text.",
        gap(on("validation", report="validation")),
    ),
    "seeds not paired": Mistake(
        "Only seeds that both have make pairs, and all of these count: no seed of one side alone, no best one.",
        gap(compare=lambda ours, theirs: mean(theirs.values()) - mean(ours.values())),
        gap(compare=lambda ours, theirs: min(theirs.values()) - min(ours.values())),
        gap(compare=lambda ours, theirs: mean(theirs.values()) - min(ours.values())),
    ),
    "sign reversed": Mistake(
        "The sign is reversed: the gap is positive where ours has the lower loss.",
        gap(compare=lambda ours, theirs: -paired(ours, theirs)),
    ),
}


def runs(name: str, seeds: range, levels: list[tuple[float, float]], generator: Generator) -> list[dict]:
    """Return rows of an encoding with settings at levels of (validation, test), and noise of each seed on top."""
    made = []
    for setting, level in enumerate(levels):
        for part, at in zip(("validation", "test"), level, strict=True):
            losses = 1.5 + at + 0.1 * torch.randn(len(seeds), generator=generator, dtype=torch.float64)
            losses[0] -= 0.7 * (setting == 1 and part == "validation")  # one lucky seed
            keys = {"encoding": name, "setting": 2**setting, "part": part}
            made += [keys | {"seed": seed, "loss": loss} for seed, loss in zip(seeds, losses.tolist(), strict=True)]
    return made


@check("fair gap", "Tuned alike, tested once, paired by seed.")
def check_homework(answer) -> None:
    """Check `fair_gap(rows, ours, theirs)` -> a number, where validation and test text choose other settings."""
    start, count = whole(drawn(110), 1, 40), whole(drawn(111), 5, 12)
    questions = ("t5", "rope", 0, 8), ("rope", "t5", 0, 8), ("t5", "rope", start, count)
    for seed, (ours, theirs, first, many) in enumerate(questions):
        generator, seeds = drawn(seed), range(first, first + many)
        rows = runs("t5", seeds, [(0.5, 0.5), (0.3, 0.3), (0.0, 0.15), (0.2, 0.0), (0.6, 0.6)], generator)
        later = range(first + 3, first + many + 2)
        rows += runs("rope", later, [(0.9, 0.9), (0.2, 0.6), (0.6, 0.7), (0.5, 0.4), (0.8, 0.7)], generator)
        rows += runs("alibi", seeds, [(-0.3, -0.3)], generator)  # not asked for
        given = torch.tensor(
            as_number(answer([dict(row) for row in rows], ours, theirs), "fair_gap"), dtype=torch.float64
        )
        inputs, where = (rows, ours, theirs), f"{ours} against {theirs}: "
        otherwise = "This is another number: go through the three steps with the example by hand."
        compare(given, gap()(*inputs), MISTAKES, otherwise, inputs, where, within=1e-6)
