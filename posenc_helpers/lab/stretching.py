"""Stretching a trained RoPE model: other frequencies, then a few steps of fine-tuning at the longer length.

Notebook 09 shows why each rule does what it does; `posenc_helpers.encodings.rope_scaling` holds the rules.
"""

import copy
from collections.abc import Callable, Sequence
from functools import partial

from torch import Tensor

from posenc_helpers.checks import check_choice, check_count
from posenc_helpers.encodings import PositionalEncoding, RotaryEncoding
from posenc_helpers.encodings import rope_scaling as rules
from posenc_helpers.lab.shootout import TRAINED
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text
from posenc_helpers.lab.training import train
from posenc_helpers.transformer import TinyTransformer

METHODS = ("none", "linear", "ntk", "by-parts", "yarn")  # yarn: by-parts, larger logits
# Chosen on the validation text, see data/results/cure_settings.csv: BETA, and the factor for four times the length.
ALPHA, BETA, NTK_FACTOR = 1.0, 2.0, 64.0


def scaling_rule(
    method: str, factor: float, alpha: float = ALPHA, beta: float = BETA, trained: int = TRAINED
) -> Callable | None:
    """Return the `scaling` of a RotaryEncoding, trained on `trained` tokens, that stretches by `factor`; None for "none".

    Raises ValueError for an unknown method and a factor below 1.
    """
    check_choice("method", method, METHODS)
    rules.check_factor(factor)
    if method == "none":
        return None
    if method == "linear":
        return partial(_whatever_length, partial(rules.linear, factor=factor))
    if method == "ntk":
        return partial(_whatever_length, partial(rules.ntk_aware, factor=factor))
    parts = partial(rules.by_parts, factor=factor, original_length=trained, alpha=alpha, beta=beta)
    return partial(_whatever_length, parts)


def _whatever_length(rule: Callable[[Tensor], Tensor], frequencies: Tensor, length: Tensor) -> Tensor:
    return rule(frequencies)


def stretch(
    model: TinyTransformer,
    method: str,
    factor: float,
    alpha: float = ALPHA,
    beta: float = BETA,
    trained: int = TRAINED,
) -> TinyTransformer:
    """Return a copy of a model with RoPE, trained on `trained` tokens, stretched by `factor`; `model` stays as it is.

    The frequencies that are stretched are those of its base, whatever scaling it has.
    Raises ValueError for an unknown method, a factor below 1, a model with another encoding.
    """
    old, scaling = _rope_of(model), scaling_rule(method, factor, alpha, beta, trained)
    attention_factor = rules.yarn_attention_factor(factor) if method == "yarn" else 1.0
    encoding = RotaryEncoding(old.head_dim, old.base, old.layout, old.rotary_dim, scaling, attention_factor)
    return with_encoding(model, encoding)


def slow_some(model: TinyTransformer, pairs: Sequence[int], factor: float) -> TinyTransformer:
    """Return a copy of a model with RoPE in which only these pairs, by index, turn `factor` times slower.

    Raises ValueError for a model with another encoding, a pair that it does not have, a factor below 1.
    """
    old = _rope_of(model)
    rules.check_factor(factor)
    divisors = [1.0] * (old.rotary_dim // 2)
    for pair in pairs:
        if not 0 <= pair < len(divisors):
            raise ValueError(f"pairs={list(pairs)} holds {pair}; allowed: 0 to {len(divisors) - 1}")
        divisors[pair] = float(factor)
    scaling = partial(_whatever_length, partial(_divided, divisors=divisors))
    return with_encoding(model, RotaryEncoding(old.head_dim, old.base, old.layout, old.rotary_dim, scaling))


def _divided(frequencies: Tensor, divisors: list[float]) -> Tensor:
    return frequencies / frequencies.new_tensor(divisors)


def _rope_of(model: TinyTransformer) -> RotaryEncoding:
    if type(model.encoding) is not RotaryEncoding:
        raise ValueError(f"model has the encoding {type(model.encoding).__name__}; allowed: RotaryEncoding")
    return model.encoding


def with_encoding(model: TinyTransformer, encoding: PositionalEncoding) -> TinyTransformer:
    """Return a copy of `model` with the same weights around another encoding."""
    changed = copy.deepcopy(model)
    changed.encoding = encoding
    return changed


def fine_tune(
    model: TinyTransformer, text: Text, length: int, steps: int, seed: int = 0, learning_rate: float = 1e-3
) -> TinyTransformer:
    """Return a copy of `model` trained for `steps` more, on up to 1024 characters a step in windows of `length`.

    A fresh optimiser and a schedule of its own: nothing is carried over from the first training but the weights.
    Raises ValueError for counts below 1, a length above 1024, a negative seed, a rate that is not above 0.
    """
    check_count("length", length)
    check_count("seed", seed, least=0)
    if length > 1024:
        raise ValueError(f"length={length}; allowed: 1 to 1024")
    tuned = copy.deepcopy(model)
    task = LanguageTask(text.train, text.vocabulary)
    settings = {"steps": steps, "batch": 1024 // length, "learning_rate": learning_rate}
    train(tuned, task, length, **settings, seed=10_000 + seed, label=None)
    return tuned
