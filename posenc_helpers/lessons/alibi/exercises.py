"""Exercises of notebook 07: slopes by hand, the bias with a cache and for encoders, and slopes that learn."""

import inspect

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check, need
from posenc_helpers.classroom.exercises.mistakes import name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, places, whole
from posenc_helpers.encodings import PositionalEncoding, alibi_slopes
from posenc_helpers.lab.tasks import RecallTask
from posenc_helpers.lab.training import accuracy, seeded, train
from posenc_helpers.lessons.alibi.mistakes import BIASES, BUILT, PLACES, SLOPES, STARTED, TRAINED, bias_of, right_bias
from posenc_helpers.transformer import TinyTransformer


@check("slopes", "The appended slopes are steeper than their neighbours: the jump.")
def check_slopes(answer) -> None:
    """Check the slopes of 4 heads and of 6 heads, the latter in the order of the released code."""
    pair = isinstance(answer, tuple | list) and len(answer) == 2
    need(pair, "Give two rows of slopes, those of 4 and those of 6 heads.")
    for row, heads in enumerate((4, 6)):
        slopes = as_tensor(answer[row], f"slopes_of_{heads}", (heads,))
        right = alibi_slopes(heads).double()
        if torch.allclose(slopes, right, rtol=0.05, atol=0):
            continue
        where = f"{heads} heads: "
        name_mistake(SLOPES, slopes, where=where, within=3.5e-3, read=lambda rows: rows[row])  # noqa: B023
        close = torch.allclose(slopes, right, rtol=0, atol=0.006)
        need(not close, "Rounded too far: the flat slopes need more digits. Fractions are easier.", where)
        refuse(SLOPES, slopes, where=where)
        raise NotYet("Start and ratio are one number, as they should be, but another one for so many heads.", where)


@check("bias", "Signed behind a causal mask, |m - n| in an encoder, and queries where they are.")
def check_bias(answer) -> None:
    """Check `bias(q_positions, k_positions, slopes, causal)` -> (H, L_q, L_k), by the weights that it makes."""
    ask = watched(answer)
    k = torch.arange(8) + 1007
    generator = drawn(72)
    keys = places(generator, whole(generator, 4, 12), 40) + whole(generator, 0, 900)
    queries = keys[places(generator, whole(generator, 1, 4), len(keys))]
    for q_positions, k_positions, heads, dtype in (
        (k[-3:], k, 2, torch.float32),  # the last ones, as with a cache
        (k[:5], k[:5], 3, torch.float64),
        (k[5:6], k[:6], 1, torch.float32),
        (torch.tensor([2, 9]), torch.arange(12), 1, torch.float32),  # inside the text
        (queries, keys, whole(generator, 2, 6), torch.float64),  # anywhere, with gaps
    ):
        slopes = torch.rand(heads, generator=drawn(len(k_positions)), dtype=dtype) / 2 + 0.1
        for causal in (True, False):
            inputs = (q_positions, k_positions, slopes, causal)
            shape = (heads, len(q_positions), len(k_positions))
            _compare(_as_bias(ask(*inputs), f"causal={causal}: bias", shape), inputs)


def _as_bias(given, what: str, shape: tuple[int, ...]) -> Tensor:
    refuse(BIASES, given)
    return as_tensor(given, what, shape, whole=False)


def _compare(made: Tensor, inputs: tuple) -> None:
    """Compare the weights that a bias makes for `inputs` of exercise 2, since one number more in a row changes nothing."""
    q, k, _, causal = inputs
    hidden = (k[None, :] > q[:, None]) & causal

    def shown(bias: Tensor) -> Tensor:
        return bias.double().masked_fill(hidden, 0)

    def weights(bias: Tensor) -> Tensor:
        return bias.double().masked_fill(hidden, -torch.inf).softmax(dim=-1)

    steps = made.diff(dim=-1) / right_bias(*inputs).diff(dim=-1)  # (H, L_q, L_k - 1), 1 where right
    astray = bool(((steps - 1).abs() > 0.05)[:, ~hidden[:, 1:]].any())  # also where hardly any weight is left
    if not astray and torch.allclose(weights(made), weights(right_bias(*inputs)), atol=1e-5):
        return
    where = f"causal={causal}: "
    name_mistake(BIASES, shown(made), inputs, where, within=1e-3, read=shown)
    name_mistake(BIASES, weights(made), inputs, where, read=weights)
    scaled = torch.allclose(steps, steps[0, 0, 0].expand_as(steps), rtol=1e-3)
    need(not scaled, "A straight line, but not the given slopes: all are scaled by one factor.", where, "slopes scaled")
    off = ((steps - 1).abs() > 1e-3) & ~hidden[:, 1:]  # (H, L_q, L_k - 1)
    h, m, n = (off if off.any() else steps == steps).nonzero()[0].tolist()
    raise NotYet(
        "From one key to the next the bias should change by the head's slope, as often as they are apart.",
        f"{where}head {h}, query at {int(q[m])}, keys at {int(k[n])} and {int(k[n + 1])}: ",
    )


@check("LearnedAlibi", "Trained on recall, every head came to prefer the start.")
def check_learned_alibi(answer) -> None:
    """Check the class `LearnedAlibi(heads)`, then train it on recall and read its slopes."""
    is_one = inspect.isclass(answer) and issubclass(answer, PositionalEncoding)
    need(is_one, "Give the class itself, without brackets. It should be one that inherits from PositionalEncoding.")
    others = [name for name in ("embed", "rotate", "mix") if vars(answer).get(name)]
    need(not others, f"The slopes learn in `bias`. Leave {' and '.join(others)} as they are.", name="another door")
    refuse(BUILT, answer)
    for heads in (5, 2):  # two are those of the model below
        made = _read(bias_of(answer(heads), heads), (heads, 3, 8))
        if heads == 5:
            refuse(STARTED, made)
        _compare(made, (PLACES[-3:], PLACES, alibi_slopes(heads), True))
    generator = drawn(73)
    for heads in (2, 2 ** whole(generator, 2, 4), 2 * whole(generator, 1, 6) + 1):
        _compare_elsewhere(answer(heads), alibi_slopes(heads), generator)
    with seeded(0):
        model = TinyTransformer(8, width=32, heads=2, layers=2, encoding=answer(2))
    train(model, RecallTask(), 16, 300, 32, 1e-2, label=None, encoding_rate=8.0)
    line = _read(bias_of(model.encoding, 2, NINE), (2, 3, 9))
    refuse(TRAINED, accuracy(model, RecallTask(), 256, 20, last=8), line)
    _check_trained(model.encoding, generator)


@torch.no_grad()
def _check_trained(encoding: PositionalEncoding, generator: Generator) -> None:
    """Check that it still adds lines, at other places too, and that these follow its parameters."""
    slopes = _slopes(encoding)
    _compare_elsewhere(encoding, slopes, generator)
    for parameter in encoding.parameters():
        parameter += 0.3
    moved = _slopes(encoding)
    hint = "Trained, it adds something that is not made of its parameters: they change, and it does not."
    need(bool(((moved - slopes).abs() > 1e-3).all()), hint, name="cut off from the parameters")
    _compare_elsewhere(encoding, moved, generator)


NINE = torch.arange(9)


def _read(given, shape: tuple[int, ...], batch: int = 1) -> Tensor:
    is_tensor = isinstance(given, Tensor)
    need(is_tensor, "bias should return a tensor (H, L_q, L_k). Is the `return` missing?", name="return missing")
    return _as_bias(given[0] if given.ndim == 4 and len(given) in (1, batch) else given, "bias", shape)


def _slopes(encoding: PositionalEncoding) -> Tensor:
    """Return the slopes (2,) of the two heads of `encoding`, by the first and the last of nine keys."""
    line = _read(bias_of(encoding, 2, NINE), (2, 3, 9))
    return (line[:, -1, -1] - line[:, -1, 0]) / 8


def _compare_elsewhere(encoding: PositionalEncoding, slopes: Tensor, generator: Generator) -> None:
    """Compare what `encoding` adds with the lines of `slopes` (H,), for tokens, places and widths that are drawn."""
    heads, at = len(slopes), places(generator, whole(generator, 4, 12), 40) + whole(generator, 0, 90)
    queries, width, batch = (whole(generator, *ends) for ends in ((1, len(at)), (3, 20), (1, 40)))
    made = _read(bias_of(encoding, heads, at, queries, width, batch), (heads, queries, len(at)), batch)
    _compare(made, (at[-queries:], at, slopes, True))
