"""Stretching a trained RoPE model: other frequencies, then a few steps of fine-tuning at the longer length.

Notebook 09 shows why each rule does what it does; `posenc_helpers.encodings.rope_scaling` holds the rules.
"""

import copy
from collections.abc import Callable, Sequence

import torch

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


def stretch(
    model: TinyTransformer, method: str, factor: float, alpha: float = ALPHA, beta: float = BETA, trained: int = TRAINED
) -> TinyTransformer:
    """Return a copy of a model with RoPE, trained on `trained` tokens, stretched by `factor`; `model` stays as it is.

    The frequencies that are stretched are those of its base, whatever scaling it has.
    Raises ValueError for an unknown method, a factor below 1, a model with another encoding.
    """
    check_choice("method", method, METHODS)
    rules.check_factor(factor)
    scalings = {  # of frequencies (pairs,), whatever the length
        "none": None,
        "linear": lambda w, length: rules.linear(w, factor),
        "ntk": lambda w, length: rules.ntk_aware(w, factor),
        "by-parts": lambda w, length: rules.by_parts(w, factor, trained, alpha, beta),
    }
    scaling = scalings["by-parts" if method == "yarn" else method]
    return _with_speeds(model, scaling, rules.yarn_attention_factor(factor) if method == "yarn" else 1.0)


def slow_some(model: TinyTransformer, pairs: Sequence[int], factor: float) -> TinyTransformer:
    """Return a copy of a model with RoPE in which only these pairs, by index, turn `factor` times slower.

    Raises ValueError for a model with another encoding, a pair that it does not have, a factor below 1.
    """
    rules.check_factor(factor)
    divisors = torch.ones(_rope_of(model).rotary_dim // 2)
    for pair in pairs:
        if not 0 <= pair < len(divisors):
            raise ValueError(f"pairs={list(pairs)} holds {pair}; allowed: 0 to {len(divisors) - 1}")
        divisors[pair] = factor
    return _with_speeds(model, lambda w, length: w / divisors.to(w))


def _with_speeds(model: TinyTransformer, scaling: Callable | None, attention_factor: float = 1.0) -> TinyTransformer:
    old = _rope_of(model)
    new = RotaryEncoding(old.head_dim, old.base, old.layout, old.rotary_dim, scaling, attention_factor)
    return with_encoding(model, new)


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
