"""Stretching RoPE: new frequencies for a model that was trained at length L and is to read s times as much.

    turns r = L w / (2 pi)    how often a pair goes round within the trained length; below 1 it meets unseen angles

Every cure maps the frequencies w (pairs,) of RoPE, fastest first, to new ones, dividing slow pairs by s:
    linear        all of them                      position interpolation
    ntk_aware     by s^(i / (pairs - 1))           the fastest kept, the slowest divided by exactly s
    dynamic_ntk   as ntk_aware, by an s that grows with the current length
    by_parts      those with few turns, a ramp between alpha and beta turns; llama3 is this with alpha 1, beta 4;
                  with alpha = beta a step
    yarn          by_parts with beta 32, and cos and sin multiplied by an attention factor; the released code's ramp is
                  linear in the pair index, the paper's in turns: some of DeepSeek-V3's pairs differ by a factor of 4
    longrope      each by a factor of its own, found by search; one list up to L and another beyond it

`RotaryEncoding(head_dim, scaling=lambda frequencies, length: linear(frequencies, 4.0))` uses one.
"""

import math

import torch
from torch import Tensor

from posenc_helpers.checks import check_positive


def turns(frequencies: Tensor, original_length: float) -> Tensor:
    """Return how often each pair goes round within `original_length` tokens: frequencies (pairs,) -> (pairs,)."""
    check_positive("original_length", original_length)
    return original_length * frequencies / (2 * math.pi)


def linear(frequencies: Tensor, factor: float) -> Tensor:
    """Divide every frequency (pairs,) by `factor`: the same as dividing every position by it (position interpolation).

    Raises ValueError for a factor below 1.
    Source: Chen, Wong, Chen, Tian 2023 (arXiv 2306.15595), eq. 4.
    """
    check_factor(factor)
    return frequencies / factor


def ntk_aware(frequencies: Tensor, factor: float | Tensor) -> Tensor:
    """Divide the frequency of pair i by factor^(i / (pairs - 1)): the base becomes base * factor^(d / (d - 2)).

    Raises ValueError for a factor below 1 or fewer than 2 pairs.
    Source: bloc97 2023 (on r/LocalLLaMA), written up by Peng et al. 2023 (arXiv 2309.00071, version 2), section 3.1.
    """
    if not isinstance(factor, Tensor):
        check_factor(factor)
    pair = pair_indices(frequencies)
    return frequencies * factor ** (-pair / (len(pair) - 1))


def dynamic_ntk(frequencies: Tensor, factor: float, original_length: float, length: Tensor) -> Tensor:
    """Use `ntk_aware` with the factor that the current length l asks for, s l / L - (s - 1), at least 1.

    `length` is () or one per row, (B, 1, 1). The frequencies change with every token beyond L, those of cached keys
    too: cache keys before they are turned.
    Raises ValueError for a factor below 1 or an `original_length` that is not above 0.
    Source: emozilla 2023 (a post on r/LocalLLaMA), in the form that Hugging Face released.
    """
    check_factor(factor)
    check_positive("original_length", original_length)
    return ntk_aware(frequencies, (factor * length.to(frequencies.dtype) / original_length - (factor - 1)).clamp(min=1))


def by_parts(
    frequencies: Tensor, factor: float, original_length: float, alpha: float = 1.0, beta: float = 32.0
) -> Tensor:
    """Divide pairs below `alpha` turns by `factor`, keep those above `beta` turns, blend linearly between.

    Raises ValueError for a factor below 1 or unless 0 < alpha <= beta.
    Source: Peng, Quesnelle, Fan, Shippole 2023, "YaRN" (arXiv 2309.00071, version 2), eq. 17 to 20.
    """
    check_order(alpha=alpha, beta=beta)
    check_factor(factor)
    often = turns(frequencies, original_length)  # (pairs,)
    keep = ((often - alpha) / (beta - alpha)).clamp(0, 1) if beta > alpha else (often >= alpha).to(often.dtype)
    return keep * frequencies + (1 - keep) * frequencies / factor


def llama3(
    frequencies: Tensor,
    factor: float,
    original_length: float,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> Tensor:
    """Return Llama 3.1's frequencies (pairs,): `by_parts` by another name, without an attention factor.

    Llama 4 Scout has both frequency factors 1: pairs of less than one turn are divided, the others kept.
    Raises ValueError for a factor below 1 or unless 0 < low_freq_factor <= high_freq_factor.
    Source: Meta's llama-models.
    """
    check_order(low_freq_factor=low_freq_factor, high_freq_factor=high_freq_factor)
    return by_parts(frequencies, factor, original_length, low_freq_factor, high_freq_factor)


def yarn(
    frequencies: Tensor,
    factor: float,
    original_length: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
) -> Tensor:
    """Return YaRN's frequencies (pairs,); multiply cos and sin by `yarn_attention_factor` as well.

    As released, the ramp runs in the pair index, from the pair that makes `beta_fast` turns to the one that makes
    `beta_slow`, both rounded outwards where `truncate`; the paper's, in turns, is `by_parts`.
    Raises ValueError for a factor below 1 and betas out of order.
    Source: Peng et al. 2023 (arXiv 2309.00071, version 2), sections 3.2 and 3.4; released code jquesnelle/yarn.
    """
    check_order(beta_slow=beta_slow, beta_fast=beta_fast)
    check_factor(factor)
    pair = pair_indices(frequencies)
    log_turns = turns(frequencies, original_length).log()  # (pairs,) falls by the same step from pair to pair
    step = (log_turns[0] - log_turns[-1]) / (len(pair) - 1)
    first, last = ((log_turns[0] - math.log(beta)) / step for beta in (beta_fast, beta_slow))  # pair indices
    if truncate:
        first, last = first.floor(), last.ceil()
    first = first.clamp(min=0)
    last = torch.maximum(last.clamp(max=2 * len(pair) - 1), first + 0.001)  # one pair for both betas: a step, not 0 / 0
    divide = ((pair - first) / (last - first)).clamp(0, 1)
    return (1 - divide) * frequencies + divide * frequencies / factor


def yarn_attention_factor(factor: float, mscale: float = 1.0) -> float:
    """Return 0.1 mscale ln(factor) + 1, by which YaRN multiplies cos and sin (q . k gets its square).

    DeepSeek multiplies them by the ratio of two such numbers instead, which is 1 where both mscale are equal, and the
    scores by `yarn_attention_factor(factor, mscale_all_dim) ** 2`, beside 1/sqrt(d).
    Source: Peng et al. 2023 (arXiv 2309.00071, version 2), section 3.4; DeepSeek-V2 and V3's released code.
    """
    check_factor(factor)
    return 0.1 * mscale * math.log(factor) + 1


def longrope(
    frequencies: Tensor, short_factor: list[float], long_factor: list[float], original_length: float, length: Tensor
) -> Tensor:
    """Divide pair i by `short_factor[i]` up to `original_length` tokens and by `long_factor[i]` beyond: (pairs,).

    `length` is () or one per row, (B, 1, 1). Raises ValueError for lists whose length is not the number of pairs, and
    unless their numbers and `original_length` are above 0.
    Source: Ding et al. 2024, "LongRoPE" (arXiv 2402.13753); two lists and a switch as in Phi-3.
    """
    check_positive("original_length", original_length)
    for name, factors in (("short_factor", short_factor), ("long_factor", long_factor)):
        if len(factors) != frequencies.shape[-1]:
            raise ValueError(f"{name} has {len(factors)} numbers, but there are {frequencies.shape[-1]} pairs")
        for i, divisor in enumerate(factors):
            check_positive(f"{name}[{i}]", divisor)
    short, long = map(frequencies.new_tensor, (short_factor, long_factor))  # (pairs,) each
    return frequencies / torch.where(length > original_length, long, short)


def longrope_attention_factor(factor: float, original_length: float) -> float:
    """Return sqrt(1 + ln(factor) / ln(original_length)), which multiplies cos and sin with either list.

    Raises ValueError for a factor below 1 and an `original_length` that is not above 1.
    Source: Phi-3's released code; it is not in the LongRoPE paper.
    """
    check_factor(factor)
    check_positive("original_length", original_length)
    if original_length <= 1:
        raise ValueError(f"original_length={original_length} must be above 1: the formula divides by its logarithm")
    return math.sqrt(1 + math.log(factor) / math.log(original_length))


def check_factor(factor: float) -> None:
    """Refuse a factor below 1: it would shrink the context."""
    check_positive("factor", factor)
    if factor < 1:
        raise ValueError(f"factor={factor} must be at least 1: frequencies are divided by it")


def check_order(**bounds: float) -> None:
    """Refuse two bounds (name=low, name=high) unless 0 < low <= high."""
    (low_name, low), (high_name, high) = bounds.items()
    check_positive(low_name, low)
    check_positive(high_name, high)
    if low > high:
        raise ValueError(f"{high_name}={high} must be at least {low_name}={low}")


def pair_indices(frequencies: Tensor) -> Tensor:
    """Return the index of every pair (pairs,); refuse a single one, which is fastest and slowest at once."""
    if frequencies.shape[-1] < 2:
        raise ValueError(f"frequencies has shape {tuple(frequencies.shape)}; at least 2 pairs are needed")
    return torch.arange(frequencies.shape[-1], dtype=frequencies.dtype, device=frequencies.device)
