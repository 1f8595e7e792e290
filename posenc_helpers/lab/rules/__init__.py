"""The rules that every encoding keeps, for one that a reader brings: each finds the smallest input where it is broken.

`classroom.encodings.check_encoding` prints them; the scorecard and the shootout ask `measurable` first. More rules, for the
course's own encodings alone, stand in tests/encodings/test_encodings.py.
"""

import torch

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.rules import place, tensors  # they fill RULES, in this order
from posenc_helpers.lab.rules.candidate import Build, Candidate, builder, copied, reach, stops
from posenc_helpers.lab.rules.rule import RULES, Finding, Rule, said
from posenc_helpers.lab.training import one_thread, seeded


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
            try:
                findings.append(Finding(rule, rule.broken(given)))
            except Exception as error:
                findings.append(Finding(rule, said(error)))
            if findings[0].broken:
                break
    return findings


def measurable(encoding: PositionalEncoding, width: int, heads: int, least: int, most: int) -> int:
    """Return how many positions `encoding` reaches, up to `most`; it stays as it is.

    Raises ValueError where it stops before `least`, TypeError for what cannot be copied.
    """
    with seeded(0):
        mine = copied(encoding)
        end = reach(mine, width, heads, most)
        if end >= least:
            return end
        error = said(stops(mine, width, heads, torch.arange(end + 1)))
    raise ValueError(
        f"{type(encoding).__name__} cannot be measured: a text of {end + 1} tokens {error}; {least} positions are needed, "
        "so make room for the `length` that the function which builds it gets"
    )


def counts_in_storage(encoding: PositionalEncoding, width: int, heads: int) -> str | None:
    """Return what is wrong where order comes from the place in which tokens are stored, else None.

    Then a shift of `positions` changes nothing, and a key cache changes everything. NoPE and CoPE change with neither.
    """
    with seeded(0), torch.no_grad():
        given = Candidate(encoding, width, heads)
        wrong = place.reads_positions(given) and place.decodes(given)
    return wrong and (
        f"it ignores `positions` and counts tokens where they are stored; {wrong}. Compute from `positions`, "
        "not from torch.arange(x.shape[1]); check_encoding says more."
    )
