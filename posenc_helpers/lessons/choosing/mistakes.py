"""Likely mistakes in the exercises of notebook 11."""

from collections.abc import Callable, Sequence
from inspect import isclass
from operator import not_
from statistics import mean

import torch
from torch import Tensor, nn

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.encodings import AlibiEncoding, PositionalEncoding, RotaryEncoding
from posenc_helpers.lessons.choosing.hybrids import Window

Entry = dict[str, float | None]


def least(bound: float) -> Callable[[Entry, str], bool]:
    return lambda row, column: row[column] is not None and row[column] >= bound


def most(bound: float) -> Callable[[Entry, str], bool]:
    return lambda row, column: row[column] is not None and row[column] <= bound


def as_near(row: Entry, column: str) -> bool:
    return row[column] is not None and row[column] < row["language 1x"] + 0.1


# {job: [(column of the scorecard, what the job asks of it, hint, an encoding that fails here first)]}
DEMANDS = {
    "sensors": (
        ("order highest", most(0.55), "A model with it learns which came first.", "index"),
        ("distance highest", most(0.55), "With some seed, a model with it learns distances.", "alibi"),
    ),
    "encoder": (
        ("parameters", most(0), "It trains numbers.", "t5"),
        ("order lowest", least(0.9), "Not every seed learns which came first, without a mask.", "one-hot"),
        ("distance lowest", least(0.9), "Not every seed learns 'B is 3 after A'.", "binary"),
        ("ranked lowest", least(0.9), "On longer texts it hardly ranks a yes above a no, with some seed.", "index"),
    ),
    "decoder": (
        ("language 4x", as_near, "Its table ends before, or it reads worse there than near.", "rope"),
        ("recall 4x lowest", least(0.9), "Not every seed finds the first token there.", "transformer-xl"),
    ),
    "forms": (
        ("shift", least(0.1), "Field 7 and field 8 look alike to it, as long as the distances agree.", "rope"),
        ("consistent", most(0.01), "The same field gets another code in a longer form.", "normalised"),
        ("bounded", most(2), "Its codes grow without end.", "index"),
    ),
    "kernel": (
        ("unique", least(0), "It does not go through door 1.", "rope"),
        ("parameters", most(0), "It trains numbers.", "learned"),
        ("consistent", most(0.01), "A position has another code in a longer text.", "normalised"),
        ("bounded", most(2), "Its codes grow without end.", "index"),
        ("ranked", least(0.75), "On longer texts it hardly ranks a yes above a no, on average.", "sinusoidal"),
    ),
}


def demanded(job: str, column: str, asked: Callable, hint: str, encoding: str) -> tuple[str, dict[str, Mistake]]:
    """Return the column, without "lowest" or "highest", and the mistake of choosing `encoding` for `job`."""
    plain = column.removesuffix(" lowest").removesuffix(" highest")
    made = Mistake(hint, dict.fromkeys(DEMANDS, ...) | {job: encoding}, holds=lambda row: asked(row, column))
    return plain, {f"{job}: {plain}": made}


JOBS = {job: [demanded(job, *asked) for asked in demands] for job, demands in DEMANDS.items()}

EVEN = {seed: 2.0 + 0.1 * seed for seed in range(8)}  # losses of eight seeds; the others lie beside them by GAPS
GAPS = (0.03, 0.02, 0.0004, 0.05, 0.01, 0.03, 0.002, 0.04)
SIX, FIVE = (0, 1, 2, 4, 5, 7), (0, 2, 4, 5, 7)


def moved(side: int, others: tuple[int, ...] = (), seeds: Sequence[int] = tuple(EVEN)) -> dict[int, float]:
    """Return losses on one `side` of EVEN for `seeds`, on the other side for `others`."""
    return {seed: EVEN[seed] + (-side if seed in others else side) * GAPS[seed] for seed in seeds}


def shared(mine: dict, theirs: dict) -> list[int]:
    return sorted(mine.keys() & theirs.keys())


def verdicts(
    pairs: Callable = shared,
    fewest: int = 6,
    lower: Callable = lambda a, b: a < b,
    enough: Callable = lambda wins, count: wins == count,
    counted: Callable = shared,
    says: tuple[str, str, str] = ("better", "worse", "cannot say"),
) -> Callable:
    """Return an answer to exercise 2 that is right but for what is given."""

    def verdict(mine: dict, theirs: dict) -> str:
        seeds = pairs(mine, theirs)
        if len(counted(mine, theirs)) < fewest or not seeds:
            return says[2]
        wins = sum(lower(mine[seed], theirs[seed]) for seed in seeds)
        losses = sum(lower(theirs[seed], mine[seed]) for seed in seeds)
        return says[0] if enough(wins, len(seeds)) else says[1] if enough(losses, len(seeds)) else says[2]

    return verdict


right_verdict = verdicts()


def right_of(*pairs: tuple[dict, dict]) -> Callable:
    """Return whether a verdict is right about these pairs, each of them taken the other way round, too."""
    both = [pair for mine, theirs in pairs for pair in ((mine, theirs), (theirs, mine))]
    return lambda ask: all(ask(*pair) == right_verdict(*pair) for pair in both)


def in_order(mine: dict, theirs: dict) -> str:
    return right_verdict(dict(enumerate(mine.values())), dict(enumerate(theirs.values())))


ONE_HAS = "seeds that only one has"
VERDICTS = {
    "higher taken for better": Mistake(
        "These are losses: lower is better.",
        verdicts(lower=lambda a, b: a > b),
        verdicts(says=("worse", "better", "cannot say")),
        holds=lambda ask: ask(moved(-1), EVEN) != "worse",
    ),
    "small gaps not counted": Mistake(
        "Lower in every one of eight seeds, some by little, is a win, though the seeds of one model lie further apart "
        "than the two models.",
        lambda mine, theirs: "better" if max(mine.values()) < min(theirs.values()) else "cannot say",
        verdicts(lower=lambda a, b: round(a, 2) < round(b, 2)),
        holds=lambda ask: ask(moved(-1), EVEN) == "better",
    ),
    "a loss is not called one": Mistake(
        "Higher in every one of eight seeds is a loss, as clear as a win.",
        verdicts(says=("better", "cannot say", "cannot say")),
        verdicts(says=("better", "better", "better")),
        holds=lambda ask: ask(moved(1), EVEN) == "worse",
    ),
    "seeds that went the other way": Mistake(
        "One or two of eight seeds went the other way: that is not every seed, whatever the means say.",
        lambda mine, theirs: "better" if mean(mine.values()) < mean(theirs.values()) else "worse",
        verdicts(enough=lambda wins, count: wins >= count - 1),
        holds=right_of((moved(-1, (3, 6)), EVEN), (moved(-1, (2,)), EVEN)),
    ),
    "paired by the order of the dict": Mistake(
        "The order in which seeds stand in a dict means nothing: pair them by seed.",
        in_order,
        holds=right_of((dict(reversed(moved(-1).items())), EVEN)),
    ),
    "ties": Mistake(
        "A tie is neither lower nor higher, and that seed counts.",
        verdicts(lower=lambda a, b: a <= b),
        verdicts(pairs=lambda mine, theirs: [seed for seed in shared(mine, theirs) if mine[seed] != theirs[seed]]),
        holds=right_of((EVEN, EVEN), (moved(-1) | {4: EVEN[4]}, EVEN)),
    ),
    "another number of seeds": Mistake(
        "The text says how many shared seeds are enough, for a win as for a loss: ask for no more and no fewer.",
        verdicts(fewest=7),
        verdicts(fewest=5),
        holds=right_of(*((moved(-1, seeds=seeds), {s: EVEN[s] for s in seeds}) for seeds in (SIX, FIVE))),
    ),
    ONE_HAS: Mistake(
        "Seeds that only one of the two has are no pairs: leave them out, and count the shared ones.",
        verdicts(pairs=lambda mine, theirs: list(mine)),
        verdicts(counted=lambda mine, theirs: mine),
        holds=right_of(
            (moved(-1, seeds=SIX) | {11: 9.0, 12: 9.0}, EVEN),
            (
                moved(-1, seeds=FIVE) | {21: 1.0, 22: 3.0, 23: 2.0},
                {s: EVEN[s] for s in FIVE} | {31: 2.0, 32: 1.0, 33: 3.0},
            ),
            ({9: 0.0}, EVEN),
        ),
    ),
}


class LogDistance(PositionalEncoding):
    """As the lesson builds it."""

    def __init__(self, heads: int):
        super().__init__()
        self.slopes = nn.Parameter(torch.linspace(0.5, 4, heads))

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        distance = (q_positions[..., None, :, None] - k_positions[..., None, None, :]).abs()
        return (-self.slopes[:, None, None] * distance.float().log1p()).to(q.dtype)


class TokenAhead(PositionalEncoding):
    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + x.roll(-1, dims=1)


NO_CLASS = {
    "no class": Mistake(
        "Give the class itself, Mine without brackets, or a function of width, heads and length: fresh encodings of "
        "several sizes are needed.",
        RotaryEncoding(16),
        "alibi",
        holds=lambda made: callable(made) and not isinstance(made, PositionalEncoding),
    )
}
NO_FUNCTION = {
    "a function of something else": Mistake(
        "A function is called with width, heads and length, and returns an encoding.",
        lambda heads: AlibiEncoding(heads),
        lambda width, heads, length: AlibiEncoding,
        holds=isclass,
    )
}
LESSONS_OWN = {
    "the lesson's own idea": Mistake(
        "This is LogDistance, which the lesson built, a price that grows with the logarithm of the distance. Bring another "
        "idea.",
        LogDistance,
        holds=not_,
    )
}
RACES = {
    **NO_CLASS,
    **NO_FUNCTION,
    **LESSONS_OWN,
    # The referee names the others; each hint is the end of what it says.
    "does nothing": Mistake(
        "Is a `return` missing, the name of a door misspelt, or a bias the same for every key?", PositionalEncoding
    ),
    "looks at the future": Mistake(
        "A causal mask hides keys, but not what is computed from all of x, k or v.", TokenAhead
    ),
    "loses recall": Mistake(
        "Can any head still look that far back?", lambda width, heads, length: Window(RotaryEncoding(width // heads))
    ),
    "pays at the trained length": Mistake("Does any head see near tokens sharply enough?", AlibiEncoding),
}

ALL_JOBS = {name: row for demands in JOBS.values() for _, rows in demands for name, row in rows.items()}
MISTAKES = {"jobs": ALL_JOBS, "verdict": VERDICTS, "beats_rope": RACES}
