"""Arithmetic on positions against float64 and whole numbers: far angles, products under autocast, tables in any type."""

import pytest
import torch
from torch.testing import assert_close

from posenc_helpers.encodings import (
    ShawEncoding,
    alibi_score_mod,
    alibi_shortcut,
    alibi_slopes,
    apply_rope,
    frequencies,
    sinusoidal,
)
from posenc_helpers.encodings.distance_bias import SandwichEncoding
from posenc_helpers.encodings.grid import interpolate_grid
from posenc_helpers.encodings.grid_rope import patch_centres
from posenc_helpers.encodings.learned import resize_table
from posenc_helpers.encodings.precision import angles, full_precision, product, without_autocast


@pytest.mark.parametrize(
    ("position", "least", "most"), [(10**5, 0.004, 0.01), (10**6, 0.04, 0.08), (10**7, 0.6, 0.9), (10**8, 1.8, 2)]
)
def test_how_far_the_sine_of_an_angle_is_off(position, least, most):
    """Against float64 throughout: the frequencies are rounded to 24 bits too, so a better product would not do."""
    places = torch.arange(position - 500.0, position + 500.0, dtype=torch.float64)
    exact = angles(places, frequencies(128, dtype=torch.float64)).sin()
    assert exact.dtype is torch.float64
    assert least < (angles(places.float(), frequencies(128)).sin() - exact).abs().max() <= most
    better = (places[:, None] * frequencies(128).double()).sin()  # no rounding but that of the frequencies
    assert (better - exact).abs().max() > least / 4


def test_angles_are_the_plain_product_bit_for_bit():
    speed = frequencies(64)
    for positions in (torch.arange(2**18), -torch.arange(9), torch.rand(1000) * 1e9, torch.arange(256).to(torch.uint8)):
        assert torch.equal(angles(positions, speed), positions.float()[:, None] * speed)


def test_integers_beyond_the_angles_are_refused():
    x = torch.ones(1, 8)
    for position in (2**24, -(2**24), 2**60):
        for call in (sinusoidal, lambda p, width: apply_rope(x, p), lambda p, width: angles(p, frequencies(width))):
            with pytest.raises(
                ValueError, match=rf"positions reaches {abs(position)}; from {2**24} on .* pass float64"
            ):
                call(torch.tensor([position]), 8)
    assert apply_rope(x, torch.tensor([2**40], dtype=torch.float64)).isfinite().all()
    sandwich, q, far = SandwichEncoding(2), torch.zeros(1, 2, 1, 4), torch.tensor([2**32])
    assert torch.equal(sandwich.bias(q, q, far, far + 3), sandwich.bias(q, q, far - far, far - far + 3))


def test_products_take_the_wider_type_and_no_autocast():
    left, right = torch.randn(2, 5, 7), torch.randn(7, 3)
    expected = left @ right
    with torch.autocast("cpu", torch.bfloat16):
        assert (left @ right).dtype is torch.bfloat16
        assert torch.equal(product(left, right), expected)
    assert product(left.bfloat16(), right).dtype is torch.float32
    assert product(left, right.double()).dtype is torch.float64
    assert product(left.to("meta"), right.to("meta")).shape == expected.shape
    with torch.autocast("cpu", torch.bfloat16), without_autocast(torch.device("meta")):
        assert (left @ right).dtype is torch.bfloat16  # nothing to switch off there
    for dtype, wide in ((torch.bfloat16, torch.float32), (torch.int64, torch.float32), (torch.float64, torch.float64)):
        assert full_precision(torch.ones(1, dtype=dtype)).dtype is wide


def test_the_value_term_of_shaw_mixes_types():
    encoding, places = ShawEncoding(8, 3), torch.arange(4)
    weights, v = torch.rand(1, 2, 4, 4), torch.randn(1, 2, 4, 8)
    expected = encoding.mix(weights, v, places, places)
    mixed = encoding.mix(weights.bfloat16(), v.bfloat16(), places, places)
    assert mixed.dtype is torch.bfloat16
    assert_close(mixed.float(), expected, atol=0.03, rtol=0.02)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_numbers_are_rounded_last(dtype):
    assert torch.equal(frequencies(2048, dtype=dtype), frequencies(2048).to(dtype))
    assert torch.equal(alibi_slopes(600, dtype=dtype), alibi_slopes(600).to(dtype))
    slopes, places = alibi_slopes(4), torch.arange(300)
    mod = alibi_score_mod(places, places, slopes.to(dtype))
    scores = [mod(torch.tensor(0.0), 0, torch.tensor(0), torch.tensor(299), torch.tensor(key)) for key in (0, 1)]
    assert [score.item() for score in scores] == [-slopes[0].item() * 299, -slopes[0].item() * 298]
    table = torch.randn(17, 3)
    resized = interpolate_grid(table.to(dtype), (4, 4), (3, 7))
    assert resized.dtype is dtype
    assert torch.equal(resized, interpolate_grid(table.to(dtype).float(), (4, 4), (3, 7)).to(dtype))


def test_bytes_do_not_wrap_and_distances_far_out_are_subtracted_as_whole_numbers():
    places, slopes = torch.arange(256, dtype=torch.uint8), alibi_slopes(2)
    assert torch.equal(alibi_shortcut(places, slopes, "mpt"), alibi_shortcut(places.long(), slopes, "mpt"))
    mod = alibi_score_mod(places, places, slopes)
    assert mod(torch.tensor(0.0), 0, torch.tensor(0), torch.tensor(255), torch.tensor(0)) == -255 * slopes[0]
    far = 2**40 + torch.arange(4)
    assert torch.equal(alibi_shortcut(far, slopes, "mpt"), alibi_shortcut(torch.arange(4), slopes, "mpt"))
    assert alibi_shortcut(far[:0], slopes, "mpt").shape == (2, 1, 0)


@pytest.mark.parametrize("resize", [lambda t: resize_table(t, 5), lambda t: interpolate_grid(t, (4, 4), (3, 7))])
def test_tables_of_integers_are_not_interpolated(resize):
    with pytest.raises(TypeError, match=r"table has dtype torch.int64"):
        resize(torch.arange(34).view(17, 2))


def test_patch_centres_do_not_take_the_default_type():
    torch.set_default_dtype(torch.bfloat16)
    try:
        centres = patch_centres(300, 1)
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(centres, patch_centres(300, 1)) and centres[:, 0].unique().numel() == 300
