"""The rules that every encoding keeps, a reader's own and the course's: each finds the smallest input where it is broken.

`classroom.rules.check_encoding` prints them. Whatever makes a number (scorecard, beyond, shootout, leaderboard) asks once,
at its door: `admit` puts those in `fair`, and makes the `Entrant` that all behind the door trusts. `still_fair` asks once
more when it is trained.
"""

from typing import NamedTuple

import torch

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.rules import fair, place, tensors  # they fill RULES, in this order
from posenc_helpers.lab.rules.candidate import FAR, Build, Candidate, builder, reach, stops
from posenc_helpers.lab.rules.rule import RULES, Finding, said
from posenc_helpers.lab.training import one_thread, seeded
from posenc_helpers.transformer import TinyTransformer

FAIR = [rule for rule in RULES if rule.broken.__module__ == fair.__name__]


@one_thread()
@torch.no_grad()
def examine(mine: object, width: int = 64, heads: int = 4) -> list[Finding]:
    """Put all rules to `mine`: a class, a function (width, heads, length) -> encoding, or one built for these sizes.

    Where it does not run at all, the first rule stands alone. Raises TypeError for what is none of the three, and for
    what cannot be built or copied, ValueError for an encoding of a grid.
    """
    with seeded(0):
        given = Candidate(mine, width, heads)
        axes = given.encoding().coordinates  # raises now, if it cannot be built
        if axes:
            raise ValueError(f"{given.name} takes positions of {axes[0]} coordinates; allowed: of one number a token")
        findings = []
        for rule in RULES:
            findings.append(rule.put(given))
            if findings[0].broken:
                break
    return findings


class Entrant(NamedTuple):
    """An encoding that was let in by the rules of `fair`: whoever is given one builds, trains and reads without asking.

    `reach` counts the positions that it takes, up to 4096. `stored` says what is wrong where order comes from the place in
    which tokens are stored, else None. `rate` is that of its own parameters in a shootout.
    """

    name: str
    build: Build
    reach: int
    stored: str | None = None
    rate: float = 1.0


def admit(mine: object, sizes: tuple[int, int, int], least: int, rate: float = 1.0) -> Entrant:
    """Return `mine` (see `builder`) as an Entrant, asked at `sizes` (width, heads, length); an Entrant stays as it is.

    Raises ValueError where it breaks a rule of `fair` or stops before `least`, TypeError as `builder` does and for what
    cannot be copied.
    """
    if isinstance(mine, Entrant):
        return mine
    build = builder(mine)
    with seeded(0):
        encoding = build(*sizes)
    name, (width, heads, _) = type(encoding).__name__, sizes
    with one_thread(), torch.no_grad(), seeded(0):
        given = Candidate(encoding, width, heads)
        given.encoding()  # raises now, if it cannot be copied
        for rule in FAIR:
            broken = rule.put(given).broken
            if broken:
                raise ValueError(f"{name} cannot be measured: {broken}. {rule.change}")
        end = reach(encoding, width, heads, FAR)
        if end < least:
            error = said(stops(encoding, width, heads, torch.arange(end + 1)))
            raise ValueError(
                f"{name} cannot be measured: a text of {end + 1} tokens {error}; {least} positions are needed, "
                "so make room for the `length` that the function which builds it gets"
            )
        return Entrant(name, build, end, counts_in_storage(encoding, width, heads), rate)


def still_fair(model: TinyTransformer) -> TinyTransformer:
    """Return `model`, which is trained now; raise ValueError where it has learned to look at the future."""
    encoding, heads = model.encoding, model.blocks[0].attention.heads
    longest = reach(encoding, model.embedding.embedding_dim, heads, fair.LENGTHS[-1])
    broken = fair.looks_ahead(model, longest, everywhere=False)
    if broken:
        raise ValueError(f"{type(encoding).__name__} cannot be measured: once trained, {broken}")
    return model


def counts_in_storage(encoding: PositionalEncoding, width: int, heads: int) -> str | None:
    """Return what is wrong where order comes from the place in which tokens are stored, else None.

    Then a shift of `positions` changes nothing, and a key cache changes everything. NoPE and CoPE change with neither.
    """
    with seeded(0), torch.no_grad():
        given = Candidate(encoding, width, heads)
        wrong = place.reads_positions(given) and place.decodes(given)
    return wrong and (
        f"it ignores `positions` and counts tokens where they are stored; {wrong}. Compute from `positions`, not from "
        "torch.arange(x.shape[1]), or take queries for the last keys if gates count; check_encoding says more."
    )
