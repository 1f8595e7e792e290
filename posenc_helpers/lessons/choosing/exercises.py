"""Checks of notebook 11: five jobs from the scorecard alone, a verdict from paired seeds, and the capstone."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch

from posenc_helpers.classroom.exercises.answers import watched
from posenc_helpers.classroom.exercises.checking import NotYet, Outcome, attempted, need, run_check
from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.lab.beyond import Score
from posenc_helpers.lab.results import load_results
from posenc_helpers.lab.rules import builder
from posenc_helpers.lab.shootout import FAR, HEADS, STEPS, WIDTH, Contestant
from posenc_helpers.lab.training import seeded
from posenc_helpers.lessons.choosing.leaderboard import HELD, lost, race, unfair

Entry = dict[str, float | None]


class Demand(NamedTuple):
    """What a job asks of one column, and what to say where an encoding does not give it."""

    column: str
    holds: Callable[[Entry], bool]
    why: str


def _least(column: str, bound: float, why: str) -> Demand:
    return Demand(column, lambda row: row[column] is not None and row[column] >= bound, why)


def _most(column: str, bound: float, why: str) -> Demand:
    return Demand(column, lambda row: row[column] is not None and row[column] <= bound, why)


JOBS: dict[str, tuple[Demand, ...]] = {
    "sensors": (
        _most("order highest", 0.55, "a model with it learns which came first"),
        _most("distance highest", 0.55, "with some seed, a model with it learns distances"),
    ),
    "encoder": (
        _most("parameters", 0, "it trains numbers"),
        _least("order lowest", 0.9, "not every seed learns which came first, without a mask"),
        _least("distance lowest", 0.9, "not every seed learns 'B is 3 after A'"),
        _least("ranked lowest", 0.9, "on longer texts it hardly ranks a yes above a no, with some seed"),
    ),
    "decoder": (
        Demand(
            "language 4x", lambda row: row["language 4x"] is not None, "its table ends before four times the length"
        ),
        Demand(
            "language 4x", lambda row: row["language 4x"] < row["language 1x"] + 0.1, "it reads worse there than near"
        ),
        _least("recall 4x lowest", 0.9, "not every seed finds the first token there"),
    ),
    "forms": (
        _least("shift", 0.1, "field 7 and field 8 look alike to it, as long as the distances agree"),
        _most("consistent", 0.01, "the same field gets another code in a longer form"),
        _most("bounded", 2, "its codes grow without end"),
    ),
    "kernel": (
        Demand("unique", lambda row: row["unique"] is not None, "it does not go through door 1"),
        _most("parameters", 0, "it trains numbers"),
        _most("consistent", 0.01, "a position has another code in a longer text"),
        _most("bounded", 2, "its codes grow without end"),
        _least("ranked", 0.75, "on longer texts it hardly ranks a yes above a no, on average"),
    ),
}


def check_jobs(answer) -> Outcome:
    """Check {job: encoding} for the five JOBS against the stored scorecard: any encoding that meets a job's demands."""

    def test() -> None:
        need(isinstance(answer, dict), "Give a dict, with the name of an encoding for every job.")
        missing = [job for job in JOBS if job not in answer]
        need(
            not missing, f"There is no choice yet for the job {missing[0] if missing else ''}.", name="a job is missing"
        )
        rows = {row["encoding"]: row for row in load_results("scorecard")}
        for job in sorted(JOBS, key=lambda job: answer[job] is ...):  # what is filled in first
            chosen, where = answer[job], f"Job {job}: "
            need(chosen is not ..., "The choice is still the dots.", where, name="still the dots")
            need(isinstance(chosen, str), "Give one name, as text.", where, name="not one name")
            chosen = chosen.strip().lower()  # RoPE, ALiBi
            need(chosen in rows, "Take a name from the scorecard's first column.", where, name="not in the scorecard")
            for demand in JOBS[job]:
                plain = demand.column.removesuffix(" lowest").removesuffix(" highest")
                need(demand.holds(rows[chosen]), f"Look at the column {plain}: {demand.why}.", where,
                     name=f"job {job}: column {plain}")  # fmt: skip

    return run_check("jobs", _dots(answer), test, "Each choice rests on a number of its row.")


def _dots(answer):
    """Return `...` in place of a dict in which nothing is filled in."""
    return ... if isinstance(answer, dict) and answer and all(value is ... for value in answer.values()) else answer


EVEN = {seed: 2.0 + 0.1 * seed for seed in range(8)}  # losses of eight seeds; the others lie beside them by GAPS
GAPS = (0.03, 0.02, 0.0004, 0.05, 0.01, 0.03, 0.002, 0.04)
SIX, FIVE = (0, 1, 2, 4, 5, 7), (0, 2, 4, 5, 7)


def _moved(side: int, others: tuple[int, ...] = (), seeds: Sequence[int] = tuple(EVEN)) -> dict[int, float]:
    """Return losses on one `side` of EVEN for `seeds`, on the other side for `others`."""
    return {seed: EVEN[seed] + (-side if seed in others else side) * GAPS[seed] for seed in seeds}


def _cases() -> list[tuple[dict, dict, str, str]]:
    """Return (mine, theirs, the verdict, what to say where the answer is another): the likeliest mistakes first."""
    lower, higher = _moved(-1), _moved(1)
    six, five = ({seed: EVEN[seed] for seed in seeds} for seeds in (SIX, FIVE))
    some = _moved(-1, seeds=SIX) | {11: 9.0, 12: 9.0}
    mine_alone, theirs_alone = {21: 1.0, 22: 3.0, 23: 2.0}, {31: 2.0, 32: 1.0, 33: 3.0}
    two = "Two of eight seeds went the other way: neither a win nor a loss, whatever the means say."
    one = "One of eight seeds went the other way: that is not every seed."
    tie = "One seed of eight is a tie: that one is neither lower nor higher."
    few = "Five shared seeds are too few, even if all agree: the text asks for more."
    count = "Eight seeds each, and five of them shared: count the shared ones."
    return [
        (lower, EVEN, "better", "Lower in every one of eight seeds, some by little, is a win, though the seeds of one model "
         "lie further apart than the two models."),
        (higher, EVEN, "worse", "Higher in every one of eight seeds is a loss, as clear as a win."),
        (_moved(-1, (3, 6)), EVEN, "cannot say", two),
        (_moved(1, (3, 6)), EVEN, "cannot say", two),
        (_moved(-1, (2,)), EVEN, "cannot say", one),
        (_moved(1, (2,)), EVEN, "cannot say", one),
        (dict(reversed(lower.items())), EVEN, "better", "The order in which seeds stand in a dict means nothing: pair them "
         "by seed."),
        (EVEN, EVEN, "cannot say", "A tie is neither lower nor higher."),
        (lower | {4: EVEN[4]}, EVEN, "cannot say", tie),
        (higher | {4: EVEN[4]}, EVEN, "cannot say", tie),
        (_moved(-1, seeds=SIX), six, "better", "Six shared seeds, all lower: the text asks for no more."),
        (_moved(-1, seeds=FIVE), five, "cannot say", few),
        (_moved(1, seeds=FIVE), five, "cannot say", few),
        (some, EVEN, "better", "Seeds that only one of the two has are no pairs: leave them out."),
        (EVEN, some, "worse", "Seeds that only one of the two has are no pairs, in the other direction too."),
        (_moved(-1, seeds=FIVE) | mine_alone, five | theirs_alone, "cannot say", count),
        (_moved(1, seeds=FIVE) | mine_alone, five | theirs_alone, "cannot say", count),
        ({9: 0.0}, EVEN, "cannot say", "Without a shared seed there is nothing to compare."),
    ]  # fmt: skip


def check_verdict(answer) -> Outcome:
    """Check `verdict(mine, theirs)`: {seed: loss} each -> "better", "worse" or "cannot say", by pairs of one seed."""

    def test() -> None:
        ask = watched(answer)
        need(_said(ask, _moved(-1), EVEN) != "worse", "These are losses: lower is better.")
        for mine, theirs, right, hint in _cases():
            need(_said(ask, mine, theirs) == right, hint)

    return run_check("verdict", answer, test, "Paired by seed, all in one direction, enough of them.")


def _said(ask: Callable, mine: dict, theirs: dict) -> str:
    try:
        said = ask(dict(mine), dict(theirs))
    except KeyError as error:
        raise NotYet(f"KeyError {error}: it asks for a seed that not both have.", name="a seed is missing") from None
    need(said is not None, "verdict returned nothing. Is the `return` missing?", name="return missing")
    need(isinstance(said, str) and said in ("better", "worse", "cannot say"), "verdict should return one of the three "
         "texts: better, worse, cannot say.", name="not one of the three texts")  # fmt: skip
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
        need(not isinstance(answer, PositionalEncoding), "Give the class itself, Mine without brackets: fresh encodings "
             "of several sizes are needed.")  # fmt: skip
        made = answer.build if isinstance(answer, Contestant) else answer
        need(callable(made), "Give a class, or a function of width, heads and length that returns an encoding.")
        try:
            refused = unfair(answer, steps)
        except TypeError as error:
            called = "" if inspect.isclass(made) else " A function is called with width, heads and length."
            raise NotYet(f"It cannot be built: {str(error).rstrip('.')}.{called}", name="cannot be built") from None
        if refused:
            raise NotYet(f"Not raced ({refused.name}). {refused.why}", name=refused.name)
        need(not is_log_distance(made), "Not raced: this is LogDistance, which the lesson built, a price that grows with "
             "the logarithm of the distance. Bring another idea.", name="the lesson's own idea")  # fmt: skip
        pairs = race(answer, HELD, steps)
        run.extend(mine for mine, _ in pairs)
        for mine, rope in pairs:
            missing = lost(mine, rope)
            if missing:
                raise NotYet(missing.why, f"Seed {mine.seed}: ", name=missing.name)

    outcome = run_check("Mine", _written(answer), test, "It reads four times the trained length better than RoPE, finds "
                        "the first token there, and pays little near by, with both held seeds.")  # fmt: skip
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


def _written(answer):
    """Return `...` in place of a class in which no door is overridden, or whose doors are still empty."""
    if not (inspect.isclass(answer) and issubclass(answer, PositionalEncoding)):
        return answer
    doors = [vars(answer)[door] for door in ("embed", "rotate", "bias", "mix") if door in vars(answer)]
    return ... if answer.__name__ == "Mine" and doors and not any(map(attempted, doors)) else answer
