"""The rules that every encoding keeps, for one that a reader brings: each finds the smallest input where it is broken.

`classroom.encodings.check_encoding` prints them. Whatever makes a number (scorecard, beyond, shootout, leaderboard) lets
an encoding in by `measurable`, which asks the first of them, those in `fair`; `still_fair` asks again when it is trained.
More rules, for the course's own encodings alone, stand in tests/encodings/test_encodings.py.
"""

import torch

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.rules import fair, place, tensors  # they fill RULES, in this order
from posenc_helpers.lab.rules.candidate import Build, Candidate, builder, copied, reach, stops
from posenc_helpers.lab.rules.rule import RULES, Finding, Rule, said
from posenc_helpers.lab.training import one_thread, seeded
from posenc_helpers.transformer import TinyTransformer


@one_thread()
@torch.no_grad()
def examine(mine: object, width: int | None = None, heads: int | None = None) -> list[Finding]:
    """Put all rules to `mine`: an encoding, its class, or a function (width, heads, length) -> encoding.

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
            findings.append(_finding(rule, given))
            if findings[0].broken:
                break
    return findings


def _finding(rule: Rule, given: Candidate) -> Finding:
    try:
        return Finding(rule, rule.broken(given))
    except Exception as error:
        return Finding(rule, said(error))


@one_thread()
@torch.no_grad()
def measurable(encoding: PositionalEncoding, width: int, heads: int, least: int, most: int) -> int:
    """Return how many positions `encoding` reaches, up to `most`; it stays as it is.

    Raises ValueError where it breaks a rule of `fair` or stops before `least`, TypeError for what cannot be copied.
    """
    name = type(encoding).__name__
    with seeded(0):
        given = Candidate(encoding, width, heads)
        for rule in RULES:
            broken = rule.broken.__module__ == fair.__name__ and _finding(rule, given).broken
            if broken:
                raise ValueError(f"{name} cannot be measured: {broken}. {rule.change}")
        mine = copied(encoding)
        end = reach(mine, width, heads, most)
        if end >= least:
            return end
        error = said(stops(mine, width, heads, torch.arange(end + 1)))
    raise ValueError(
        f"{name} cannot be measured: a text of {end + 1} tokens {error}; {least} positions are needed, "
        "so make room for the `length` that the function which builds it gets"
    )


def still_fair(model: TinyTransformer, width: int, heads: int) -> TinyTransformer:
    """Return `model`, which is trained now; raise ValueError where it has learned to look at the future."""
    longest = reach(model.encoding, width, heads, fair.LENGTHS[-1])
    broken = fair.looks_ahead(model, longest, everywhere=False)
    if broken:
        raise ValueError(f"{type(model.encoding).__name__} cannot be measured: once trained, {broken}")
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
