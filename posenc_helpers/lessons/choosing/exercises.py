"""Exercises of notebook 11: five jobs from the scorecard alone, a verdict from paired seeds, and the capstone."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from posenc_helpers.classroom.exercises.answers import watched
from posenc_helpers.classroom.exercises.checking import NotYet, Outcome, check, need, run_check
from posenc_helpers.classroom.exercises.mistakes import refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.lab.beyond import Score
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.rules import builder
from posenc_helpers.lab.shootout import FAR, HEADS, STEPS, WIDTH, Contestant
from posenc_helpers.lab.training import seeded
from posenc_helpers.lessons.choosing.leaderboard import HELD, Unfair, lost, race, referee
from posenc_helpers.lessons.choosing.mistakes import (
    JOBS,
    LESSONS_OWN,
    NO_CLASS,
    NO_FUNCTION,
    ONE_HAS,
    VERDICTS,
    right_of,
)


@check("jobs", "Each choice rests on a number of its row.")
def check_jobs(answer) -> None:
    """Check {job: encoding} for the five JOBS against the stored scorecard: any encoding that meets a job's demands."""
    need(isinstance(answer, dict), "Give a dict, with the name of an encoding for every job.")
    missing = [job for job in JOBS if job not in answer]
    need(not missing, f"There is no choice yet for the job {''.join(missing[:1])}.", name="a job is missing")
    rows = {row["encoding"]: row for row in load_results("scorecard")}
    for job in sorted(JOBS, key=lambda job: answer[job] is ...):  # what is filled in first
        chosen, where = answer[job], f"Job {job}: "
        need(chosen is not ..., "The choice is still the dots.", where, name="still the dots")
        need(isinstance(chosen, str), "Give one name, as text.", where, name="not one name")
        chosen = chosen.strip().lower()  # RoPE, ALiBi
        need(chosen in rows, "Take a name from the scorecard's first column.", where, name="not in the scorecard")
        for column, mistake in JOBS[job]:
            refuse(mistake, rows[chosen], where=f"{where}look at the column {column}: ")


@check("verdict", "Paired by seed, all in one direction, enough of them.")
def check_verdict(answer) -> None:
    """Check `verdict(mine, theirs)`: {seed: loss} each -> "better", "worse" or "cannot say", by pairs of one seed."""
    ask = watched(answer)
    refuse(VERDICTS, lambda mine, theirs: _said(ask, mine, theirs))
    generator = drawn(110)
    for shared in (whole(generator, 6, 12), whole(generator, 2, 5)):
        first, second, *seeds = torch.randperm(90, generator=generator)[: shared + 2].tolist()
        loss = dict(zip(seeds, (2 + torch.rand(shared, generator=generator)).tolist(), strict=True))
        gap = dict(zip(seeds, (0.01 + torch.rand(shared, generator=generator) / 9).tolist(), strict=True))
        lower = {seed: loss[seed] - gap[seed] for seed in seeds}
        mixed = lower | {seeds[0]: loss[seeds[0]] + gap[seeds[0]]}
        right = right_of((lower | {first: 9.0}, loss | {second: 1.0}), (mixed, loss))
        need(
            right(lambda mine, theirs: _said(ask, mine, theirs)),
            "Right for the runs above, but not for other seeds, or as many.",
        )


def _said(ask: Callable, mine: dict, theirs: dict) -> str:
    try:
        said = ask(dict(mine), dict(theirs))
    except KeyError as error:
        raise NotYet(VERDICTS[ONE_HAS].hint, f"KeyError {error}: ", ONE_HAS) from None
    need(said is not None, "verdict returned nothing. Is the `return` missing?", name="return missing")
    need(
        isinstance(said, str) and said in ("better", "worse", "cannot say"),
        "verdict should return one of the three texts: better, worse, cannot say.",
        name="not one of the three texts",
    )
    return said


@dataclass(frozen=True)
class Raced(Outcome):
    """The outcome of the capstone, with what the reader's encoding scored on the held seeds, if it was run."""

    scores: tuple[Score, ...] = ()


def check_beats_rope(answer, steps: int = STEPS) -> Raced:
    """Check that an encoding beats RoPE at four times the trained length without losing recall: see `lab.leaderboard`.

    `answer` is a class, or a function (width, heads, length) -> encoding. A comparison that is not fair is refused by
    name, before anything is trained. `race` takes half a minute of one core.
    """
    run: list[Score] = []

    def test() -> None:
        made = answer.build if isinstance(answer, Contestant) else answer
        refuse(NO_CLASS, made)
        try:
            entrant = referee(answer, steps)
        except TypeError as error:
            why = f"It cannot be built: {str(error).rstrip('.')}. "
            refuse(NO_FUNCTION, made, where=why)
            raise NotYet(why.rstrip(), name="cannot be built") from None
        if isinstance(entrant, Unfair):
            raise NotYet(f"Not raced ({entrant.name}). {entrant.why}", name=entrant.name)
        refuse(LESSONS_OWN, is_log_distance(made), where="Not raced: ")
        pairs = race(entrant, HELD, steps)
        run.extend(mine for mine, _ in pairs)
        for mine, rope in pairs:
            missing = lost(mine, rope)
            if missing:
                raise NotYet(missing.why, f"Seed {mine.seed}: ", name=missing.name)

    well_done = (
        "It reads four times the trained length better than RoPE, finds the first token there, and pays little near by, "
        "with both held seeds."
    )
    outcome = run_check("Mine", answer, test, well_done)
    return Raced(outcome.title, outcome.kind, outcome.message, outcome.mistake, tuple(run))


@torch.no_grad()
def is_log_distance(build: Callable) -> bool:
    """Whether what `build` makes adds a multiple of log(1 + distance) to each head's scores, whatever its parameters."""
    with seeded(0):
        made = builder(build)(WIDTH, HEADS, FAR)
    if any(getattr(type(made), door) is not getattr(PositionalEncoding, door) for door in ("embed", "rotate", "mix")):
        return False
    places, nothing = torch.arange(50), torch.zeros(1, HEADS, 50, WIDTH // HEADS)
    logarithm = places[1:].flip(0).log1p()
    for _ in range(3):
        bias = made.bias(nothing, nothing, places, places)
        if bias is None:
            return False
        bias = bias.expand(torch.broadcast_shapes(bias.shape, (1, HEADS, 50, 50)))[0]
        row = bias[:, -1, :-1].double() / logarithm  # (H, 49): the same for every distance?
        if bool(((row - row[:, :1]).abs() > 1e-3 * row.abs().max()).any()) or not bool(row.any()):
            return False
        for parameter in made.parameters():
            parameter += 0.3 * torch.rand_like(parameter) * (1 + parameter.abs())
    return True
