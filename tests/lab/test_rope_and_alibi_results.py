"""Stored results on RoPE's base and ALiBi's slopes: what they show in every seed, and a job of each done again."""

import pytest

from posenc_helpers.lab.results import load_results
from tools import experiments


def found(name: str, column: str, **wanted) -> list[float]:
    """Return `column` of the rows of a stored result that hold all `wanted` values, one a seed."""
    values = [row[column] for row in load_results(name) if all(row[key] == value for key, value in wanted.items())]
    assert values, wanted
    return values


@pytest.mark.parametrize("steps", [300, 600])
def test_rope_reads_beyond_16_tokens_with_base_2_and_where_no_distance_is_new(steps):
    def reads(base, length, column="accuracy"):
        return found("rope_base", column, base=base, length=length, steps=steps)

    assert min(reads(2, 128)) > 0.99 and max(reads(10_000, 128)) < 0.6
    assert max(reads(10_000, 32)) - min(reads(10_000, 32)) > 0.3
    assert min(reads(10_000, 128, "at most 15")) > 0.9
    assert min(reads(100, 32)) > 0.95 and max(reads(1_000_000, 32)) < 0.7
    assert min(min(reads(base, 16)) for base in (2, 100, 10_000, 1_000_000)) > 0.95


def test_flat_slopes_never_learn_the_lag_and_steep_ones_do_however_few():
    def right(heads, slopes, steps):
        return found("alibi_lag", "accuracy", heads=heads, slopes=slopes, steps=steps, length=16)

    assert max(right(2, "fixed", 300) + right(2, "fixed", 2000) + right(2, "fixed", 4000)) < 0.7
    assert max(right(8, "flat", 300) + right(8, "flat", 2000)) < 0.7 and min(right(2, "steep", 300)) > 0.95
    assert max(right(8, "fixed", 300)) < min(right(8, "fixed", 2000)) and min(right(8, "fixed", 2000)) > 0.95
    assert min(right(2, "learned", 300)) > 0.95
    assert min(found("alibi_lag", "flattest", slopes="learned", steps=300)) > 0.7


def test_steeper_slopes_read_better_than_the_papers_and_flat_ones_alone_lose_with_length():
    def reads(slopes, steps, at=512):
        return found("slopes", "loss", slopes=slopes, steps=steps, at=at, what="length")

    for name, steps in (("windowed", 300), ("twice", 600)):
        paper = found(name, "loss", encoding="alibi", what="all keys")
        assert min(p - s for p, s in zip(paper, reads("1 to 1/8", steps), strict=True)) > 0.08
    assert not any(found("slopes", "at", slopes="1 to 1/8", what="break"))
    flat = zip(reads("1/64 to 1/512", 300), reads("1/64 to 1/512", 300, 32), strict=True)
    assert min(far - near for far, near in flat) > 0.08


def test_two_sided_slopes_learn_order_soon_and_the_distance_later():
    assert min(found("two_sided", "order", steps=300)) > 0.9
    assert max(found("two_sided", "distance", steps=300)) < 0.8
    for steps in (1500, 3000):  # most seeds; which ones, rounding decides
        assert sum(right > 0.9 for right in found("two_sided", "distance", steps=steps)) >= 5


@pytest.mark.parametrize(
    ("name", "job", "columns"),
    [
        ("rope_base", {"base": 2.0, "seed": 0, "steps": 300}, ("accuracy", "at most 15")),
        ("alibi_lag", {"heads": 2, "slopes": "learned", "seed": 0, "steps": 300}, ("accuracy", "flattest")),
        ("alibi_lag", {"heads": 2, "slopes": "steep", "seed": 0, "steps": 300}, ("accuracy", "flattest")),
        ("two_sided", {"seed": 0, "steps": 300}, ("order", "distance")),
    ],
)
def test_a_job_is_done_again(name, job, columns):
    fresh = getattr(experiments, name)(**job)
    stored = [row for row in load_results(name) if all(row[key] == value for key, value in job.items())]
    for old, new in zip(stored, [fresh] if isinstance(fresh, dict) else fresh, strict=True):
        for column in columns:
            assert old[column] == pytest.approx(new[column], abs=0.15), (old, new)
