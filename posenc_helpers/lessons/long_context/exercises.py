"""Exercises of notebook 09: interpolated angles by hand, a base that slows one pair, bounds of by-parts elsewhere."""

from functools import lru_cache

import torch

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check, need
from posenc_helpers.classroom.exercises.mistakes import name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import RotaryEncoding
from posenc_helpers.encodings.rope_scaling import by_parts
from posenc_helpers.lab.evaluation import loss_by_position
from posenc_helpers.lab.shootout import HEADS, RATE, WIDTH, reader
from posenc_helpers.lab.stretching import ALPHA, BETA, with_encoding
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text, load_text
from posenc_helpers.lab.training import train
from posenc_helpers.lessons.long_context.mistakes import ANGLES, BASES, BOUNDS, FOUND, GAINS, right_base
from posenc_helpers.transformer import TinyTransformer

LONGER, STRETCH = 64, 4  # exercise 3: trained on, and stretched by


@check("interpolated angles", "Dividing frequencies is dividing positions: hence the name.")
def check_interpolated(answer) -> None:
    """Check the two angles of position 12 under position interpolation by 4, speeds 1 and 0.1, and the old position."""
    given = as_tensor(answer, "found", (3,))
    right = (given - FOUND).abs() < 0.006
    if right.all():
        return
    angles = torch.cat([given[:2], FOUND[2:]])  # judged first, whatever the position
    name_mistake(ANGLES, given if right[:2].all() else angles, within=0.006)
    need(bool(right[0]), "The angle of pair 0 is another one: what is its speed after division?")
    need(bool(right[1]), "The angle of pair 1 is another one: its speed is 0.1 before division.")
    raise NotYet("No token of training at this position had both of these angles.")


@check("new base", "Pair 0 never slows down; asked for the slowest pair, this is NTK-aware.")
def check_new_base(answer) -> None:
    """Check new_base(base, s, d_head, pair): the base at which this pair turns s times slower than at `base`."""
    ask = watched(answer)
    cases = (500_000.0, 8.0, 64, 9), (10_000.0, 4.0, 128, 63), (100.0, 3.0, 16, 1), (1e6, 2.0, 96, 30)
    generator = drawn(90)
    pairs = whole(generator, 8, 64)
    other = 1000.0 * whole(generator, 1, 500), float(whole(generator, 2, 8)), 2 * pairs
    for case in (*cases, (*other, whole(generator, pairs // 4, pairs - 1))):
        base, s, d_head, pair = case
        given = as_number(ask(*case), "new_base")
        where = f"base {base:g}, s = {s:g}, d_head = {d_head}, pair {pair}: "
        need(given > 0, "A base is above 0.", where)
        if abs(given / right_base(*case) - 1) > 1e-4:
            name_mistake(BASES, torch.tensor(given), case, where, within=1e-4 * given)
            slower = (given / base) ** (2 * pair / d_head)
            raise NotYet(f"At this base the pair turns {slower:.3g} times slower.", where, name="another base")


@check("alpha and beta", "Better on the validation text. Bounds fit a length, a base, a width.")
def check_choice(answer) -> None:
    """Check (alpha, beta): on the validation text, better than the notebook's by-parts for a model trained on 64."""
    alpha, beta = as_tensor(answer, "chosen", (2,)).tolist()
    refuse(BOUNDS, alpha, beta)
    better = validation_loss(ALPHA, BETA) - validation_loss(alpha, beta)
    refuse(GAINS, better, where=f"alpha {alpha:g}, beta {beta:g}: ")


def validation_loss(alpha: float, beta: float) -> float:
    """Return the loss (nats) over 256 characters of validation text, by-parts with these bounds; the first call trains.

    Raises ValueError unless 0 < alpha <= beta.
    """
    model, text = _reader_of_64()
    encoding = RotaryEncoding(WIDTH // HEADS, scaling=lambda w, length: by_parts(w, STRETCH, LONGER, alpha, beta))
    return loss_by_position(with_encoding(model, encoding), text.validation, STRETCH * LONGER, 24).mean().item()


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
