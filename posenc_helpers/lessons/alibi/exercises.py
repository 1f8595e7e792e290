"""Exercises of notebook 07: slopes by hand, the bias with a cache and for encoders, and slopes that learn."""

import inspect

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check, need
from posenc_helpers.classroom.exercises.mistakes import name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn
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
    for q_positions, k_positions, heads, dtype in (
        (k[-3:], k, 2, torch.float32),  # the last ones, as with a cache
        (k[:5], k[:5], 3, torch.float64),
        (k[5:6], k[:6], 1, torch.float32),
        (torch.tensor([2, 9]), torch.arange(12), 1, torch.float32),  # inside the text
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

    if torch.allclose(weights(made), weights(right_bias(*inputs)), atol=1e-5):
        return
    where = f"causal={causal}: "
    name_mistake(BIASES, shown(made), inputs, where, within=1e-3, read=shown)
    name_mistake(BIASES, weights(made), inputs, where, read=weights)
    steps = made.diff(dim=-1) / right_bias(*inputs).diff(dim=-1)  # (H, L_q, L_k - 1), 1 where right
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
    refuse(BUILT, answer)
    for heads in (5, 2):  # two are those of the model below
        given = bias_of(answer(heads), heads)
        is_tensor = isinstance(given, Tensor)
        need(is_tensor, "bias should return a tensor (H, L_q, L_k). Is the `return` missing?", name="return missing")
        made = _as_bias(given.squeeze(0) if given.ndim == 4 else given, "bias", (heads, 3, 8))
        if heads == 5:
            refuse(STARTED, made)
        _compare(made, (PLACES[-3:], PLACES, alibi_slopes(heads), True))
    with seeded(0):
        model = TinyTransformer(8, width=32, heads=2, layers=2, encoding=answer(2))
    train(model, RecallTask(), 16, 300, 32, 1e-2, label=None, encoding_rate=8.0)
    line = bias_of(model.encoding, 2, torch.arange(9)).detach()
    refuse(TRAINED, accuracy(model, RecallTask(), 256, 20, last=8), line)
