"""Checks of notebook 09: interpolated angles by hand, a base that slows one pair, and by-parts chosen for another length."""

import math
from functools import lru_cache

import torch

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.encodings import RotaryEncoding
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.shootout import HEADS, RATE, WIDTH, reader
from posenc_helpers.lab.stretching import ALPHA, BETA, stretch
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text, load_text
from posenc_helpers.lab.training import train
from posenc_helpers.transformer import TinyTransformer

LONGER, STRETCH = 64, 4  # exercise 3: trained on, and stretched by
BETTER = 0.05  # nats: less is what the windows read out may bring by chance


def check_interpolated(answer) -> Outcome:
    """Check the two angles of position 12 under position interpolation by 4, speeds 1 and 0.1, and the old position."""

    def test() -> None:
        given = as_tensor(answer, "found", (3,))
        fits = lambda *wanted: bool((given[: len(wanted)] - torch.tensor(wanted)).abs().max() < 0.006)  # noqa: E731
        need(
            not fits(48.0, 4.8), "The factor is multiplied; interpolation makes the wheels slower, and angles smaller."
        )
        need(not fits(12.0, 1.2), "These are the angles before interpolation.")
        need(
            not fits(12.0, 0.3), "Pair 0 is left as it was. That is another cure: interpolation slows all pairs alike."
        )
        need(not fits(3.0, 1.2), "Pair 1 is left as it was: interpolation slows all pairs alike.")
        need(not fits(0.25, 0.025) and not fits(1.0, 0.1), "These are speeds, the angles from one position to the next. "
             "The token stands at position 12.")  # fmt: skip
        turns = given[:2] / torch.tensor([3.0, 0.3])  # the same for both if only the unit is another one
        need(abs(float(turns.mean()) - 180 / math.pi) > 0.5, "These are degrees; radians are asked for.")
        need(abs(float(turns.mean()) * 2 * math.pi - 1) > 0.01, "These are turns; radians are asked for.")
        need(float(given[1]) != 0, "The angle of pair 1 is not 0. Was a fraction cut off?")
        need(not fits(0.3, 3.0), "The two pairs are swapped: pair 0 is the fast one.")
        need(not fits(3.0, 0.03) and not fits(3.0, 0.003), "Pair 1 is too slow: with base 100 and four columns its speed is "
             "a tenth of pair 0's.")  # fmt: skip
        need(not fits(0.75, 0.075), "It is divided twice.")
        need(
            abs(float(given[0]) - 3.0) < 0.006, "The angle of pair 0 is another one: what is its speed after division?"
        )
        need(
            abs(float(given[1]) - 0.3) < 0.006, "The angle of pair 1 is another one: its speed is 0.1 before division."
        )
        need(
            abs(float(given[2]) - 48.0) > 0.006,
            "You went the other way: look for a position within the trained length.",
        )
        need(abs(float(given[2]) - 12.0) > 0.006, "The third number is where that token stands now. Where did a token stand "
             "in training that had these two angles?")  # fmt: skip
        need(abs(float(given[2]) - 3.0) < 0.006, "No token of training at this position had both of these angles.")

    return run_check("interpolated angles", answer, test, "Dividing frequencies is dividing positions: hence the name.")


def check_new_base(answer) -> Outcome:
    """Check new_base(base, s, d_head, pair): the base at which this pair turns s times slower than at `base`."""

    def test() -> None:
        ask = watched(answer)
        cases = (500_000.0, 8.0, 64, 9), (10_000.0, 4.0, 128, 63), (100.0, 3.0, 16, 1), (1e6, 2.0, 96, 30)
        for base, s, d_head, pair in cases:
            given = as_number(ask(base, s, d_head, pair), "new_base")
            where = f"base {base:g}, s = {s:g}, d_head = {d_head}, pair {pair}: "
            exponent = d_head / (2 * pair)
            fits = lambda wanted: abs(given / wanted - 1) < 1e-4  # noqa: B023, E731
            if fits(base * s**exponent):
                continue
            need(given > 0, "A base is above 0.", where)
            need(not fits(base), "The base comes back as it was.", where)
            need(not fits(s * base), "The base is multiplied by s. A pair's speed depends on a power of the base, so that "
                 "slows this pair by less than s.", where)  # fmt: skip
            need(not fits(base * s ** (d_head / (d_head - 2))), "This slows the slowest pair by s, whichever pair is asked "
                 "for.", where)  # fmt: skip
            need(not fits(base * s ** (1 / exponent)), "The exponent is upside down: the nearer a pair is to pair 0, the "
                 "more the base must grow.", where)  # fmt: skip
            need(not fits(base / s**exponent), "This pair gets faster: a larger base makes pairs slower.", where)
            need(not fits(base * s ** (2 * exponent)) and not fits(base * s ** (exponent / 2)), "The exponent is off by a "
                 "factor of 2: i counts pairs, and a head has two columns for each.", where)  # fmt: skip
            need(not fits(base * s ** (d_head // (2 * pair))), "`//` cuts to a whole number: the exponent has a fraction.",
                 where)  # fmt: skip
            need(not fits(base * s ** (d_head / (2 * pair + 2))), "Pairs are counted from 1: the first is pair 0.", where)
            need(pair == 1 or not fits(base * s ** (d_head / (2 * pair - 2))), "The exponent is off by one pair: the first "
                 "is pair 0.", where)  # fmt: skip
            speed = base ** (-1 / exponent)
            need(not fits(speed) and not fits(speed / s), "This is the pair's speed. At which base does it turn like that?",
                 where)  # fmt: skip
            need(not fits(10_000.0 * s**exponent), "The base that is given does not matter: yours is always 10,000.", where)
            need(not fits(s**exponent), "This is how many times larger the base becomes; the base itself is asked for.",
                 where)  # fmt: skip
            slower = base ** (-1 / exponent) / given ** (-1 / exponent)
            need(False, f"At this base the pair turns {slower:.3g} times slower.", where, name="another base")

    return run_check(
        "new base", answer, test, "Pair 0 never slows down; asked for the slowest pair, this is NTK-aware."
    )


def check_choice(answer) -> Outcome:
    """Check (alpha, beta): on the validation text, better than the notebook's by-parts for a model trained on 64."""

    def test() -> None:
        given = as_tensor(answer, "chosen", (2,))
        alpha, beta = given.tolist()
        need(alpha > 0 and beta > 0, "Both numbers count turns, and are above 0.")
        need(alpha <= beta, "Alpha is above beta: pairs with fewer turns than alpha are divided, those with more than beta "
             "stay.")  # fmt: skip
        need((alpha, beta) != (ALPHA, BETA), "These are the notebook's own, chosen for 32 characters.")
        better = validation_loss(ALPHA, BETA) - validation_loss(alpha, beta)
        need(better > -BETTER, "It is worse there than the notebook's choice. Which pairs does yours divide that it leaves, "
             "and which does it leave?", f"alpha {alpha:g}, beta {beta:g}: ")  # fmt: skip
        need(better > BETTER, "It is about as good there as the notebook's choice, no better. Which pairs make about one "
             "turn in 64 tokens, and what does yours do to them?", f"alpha {alpha:g}, beta {beta:g}: ")  # fmt: skip

    return run_check(
        "alpha and beta", answer, test, "Better on the validation text. Bounds fit a length, a base, a width."
    )


def validation_loss(alpha: float, beta: float) -> float:
    """Return the loss (nats) over 256 characters of validation text, by-parts with these bounds; the first call trains.

    Raises ValueError unless 0 < alpha <= beta.
    """
    model, text = _reader_of_64()
    longer = stretch(model, "by-parts", STRETCH, alpha, beta, trained=LONGER)
    return loss_by_position(longer, text.validation, STRETCH * LONGER, 24).mean().item()


@lru_cache(maxsize=1)
def _reader_of_64() -> tuple[TinyTransformer, Text]:
    """Train the notebook's RoPE model on windows of 64 characters, for 300 steps, whatever the default type is."""
    text, before = load_text(), torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        model = reader(RotaryEncoding(WIDTH // HEADS), text.vocabulary, seed=0)
        task = LanguageTask(text.train, text.vocabulary)
        train(model, task, LONGER, steps=300, batch=16, learning_rate=RATE, label="training on 64")
    finally:
        torch.set_default_dtype(before)
    return model, text
