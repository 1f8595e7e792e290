"""Likely mistakes in the exercises of notebook 09."""

from collections.abc import Callable

import torch

from posenc_helpers.classroom.exercises.mistakes import Mistake
from posenc_helpers.lab.stretching import ALPHA, BETA

FOUND = torch.tensor([3.0, 0.3, 3.0])  # two angles, and a position

ANGLES = {
    "multiplied": Mistake(
        "The factor is multiplied; interpolation makes wheels slower, and angles smaller.", (48, 4.8, 3)
    ),
    "not divided, or one pair alone": Mistake(
        "An angle is as it was before interpolation, which slows all pairs, and all alike.",
        (12, 1.2, 3),
        (12, 0.3, 3),
        (3, 1.2, 3),
    ),
    "speeds for angles": Mistake(
        "These are speeds, the angles from one position to the next. The token stands at position 12.",
        (0.25, 0.025, 3),
        (1, 0.1, 3),
    ),
    "degrees or turns": Mistake(
        "These are degrees, or turns; radians are asked for.", (171.89, 17.19, 3), (0.4775, 0.04775, 3)
    ),
    "pairs swapped": Mistake("The two pairs are swapped: pair 0 is the fast one.", (0.3, 3, 3)),
    "pair 1 too slow": Mistake(
        "Pair 1 is too slow: with base 100 and four columns its speed is a tenth of pair 0's. Was a fraction cut off?",
        (3, 0.03, 3),
        (3, 0.003, 3),
    ),
    "divided twice": Mistake("It is divided twice.", (0.75, 0.075, 3)),
    "place of now, or farther": Mistake(
        "Not where the token stands now, nor farther out: where did one have both of these angles in training?",
        (3, 0.3, 12),
        (3, 0.3, 48),
    ),
}


def grown(power: Callable) -> Callable:
    """Return an answer to exercise 2 that grows the base to s to the power of power(d_head, pair)."""
    return lambda base, s, d_head, pair: base * s ** power(d_head, pair)


right_base = grown(lambda d, pair: d / (2 * pair))
BASES = {
    "base times s": Mistake(
        "The base is multiplied by s. A pair's speed depends on a power of the base, so this slows it by less than s.",
        grown(lambda d, pair: 1),
    ),
    "the slowest pair, whichever is asked": Mistake(
        "This slows the slowest pair by s, whichever pair is asked for.", grown(lambda d, pair: d / (d - 2))
    ),
    "exponent upside down": Mistake(
        "The exponent is upside down: the nearer a pair is to pair 0, the more the base must grow.",
        grown(lambda d, pair: 2 * pair / d),
    ),
    "faster, not slower": Mistake(
        "This pair gets faster: a larger base makes pairs slower.", grown(lambda d, pair: -d / (2 * pair))
    ),
    "off by a factor of 2": Mistake(
        "The exponent is off by a factor of 2: i counts pairs, and a head has two columns for each.",
        grown(lambda d, pair: d / pair),
        grown(lambda d, pair: d / (4 * pair)),
    ),
    "exponent cut": Mistake(
        "`//` cuts to a whole number: the exponent has a fraction.", grown(lambda d, pair: d // (2 * pair))
    ),
    "off by one pair": Mistake(
        "The exponent is off by one pair: the first is pair 0.",
        grown(lambda d, pair: d / (2 * pair + 2)),
        grown(lambda d, pair: d / (2 * pair - 2 or 1)),
    ),
    "the pair's speed": Mistake(
        "This is the pair's speed. At which base does it turn like that?",
        lambda base, s, d, pair: base ** (-2 * pair / d) / s,
        lambda base, s, d, pair: base ** (-2 * pair / d),
    ),
    "how many times larger": Mistake(
        "This is how many times larger the base becomes; the base itself is asked for.",
        lambda base, s, d, pair: right_base(1, s, d, pair),
    ),
}

BETTER = 0.05  # nats: less is what the windows read out may bring by chance

# The first are judged by alpha and beta, the last two by how many nats better they are than the notebook's own.
BOUNDS = {
    "no two bounds, the lower one first": Mistake(
        "Both are numbers of turns above 0, alpha not above beta: below alpha a pair is divided, above beta it stays.",
        (0.0, 1.0),
        (2.0, 1.0),
        holds=lambda alpha, beta: 0 < alpha <= beta,
    ),
    "the notebook's own": Mistake(
        "These are the notebook's own, chosen for 32 characters.",
        (ALPHA, BETA),
        holds=lambda alpha, beta: (alpha, beta) != (ALPHA, BETA),
    ),
}
GAINS = {
    "worse than the notebook's": Mistake(
        "It is worse there than the notebook's choice. Which pairs does yours divide that it leaves, and which does it "
        "leave?",
        (1.0, 32.0),  # as Llama 3
        (1e-6, 1e-6),  # nothing divided
        holds=lambda better: better > -BETTER,
    ),
    "no better than the notebook's": Mistake(
        "It is about as good there as the notebook's choice, no better. Which pairs make about one turn in 64 tokens, "
        "and what does yours do to them?",
        (1.0, 1.95),
        holds=lambda better: better > BETTER,
    ),
}

MISTAKES = {"interpolated": ANGLES, "new_base": BASES, "choice": BOUNDS | GAINS}
