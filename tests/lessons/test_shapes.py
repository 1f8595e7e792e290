"""Pictures of shapes, the Transformer that reads their patches, and what the stored trainings on them show in every seed."""

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import LearnedEncoding, SinusoidalEncoding, WindowBias, grid_positions, sinusoidal
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.training import seeded
from posenc_helpers.lessons.beyond_text.shapes import PATCH, ShapesTask, Sinusoidal2d, patches, shape
from tools import experiments
from tools.experiments.patch_models import (
    PatchTransformer,
    SinusoidalFrom,
    accuracy_by_place,
    spread,
    squeezed,
    with_table_for,
    with_window_for,
)

PICTURES, WAVES = load_results("pictures"), load_results("waves")


def found(
    question: str, encoding: str, rows: int, table: str = "", steps: int = 600, rate: float | None = None
) -> list[float]:
    """Return the stored accuracies, one a seed; Swin's table at 8 times the rate of all else, unless `rate` is given."""
    where = {"question": question, "encoding": encoding, "rows": rows, "table": table or None, "steps": steps}
    values = values_of(PICTURES, "accuracy", **where, rate=rate or (8.0 if encoding == "swin" else 1.0))
    assert len(values) == 8, where
    return values


# Pictures


def test_shapes_differ_in_their_corners_alone():
    square, circle = shape("square"), shape("circle")
    assert square.shape == (PATCH, PATCH) and square.sum() == 16 and (square - circle).sum() == 4
    assert not square[0].any() and not square[:, -1].any(), "a rim of one pixel stays free"
    with pytest.raises(ValueError, match=r"allowed: .square., .circle."):
        shape("star")


def test_patches_are_listed_row_by_row():
    pictures = torch.arange(2 * 4 * 9).view(2, 4, 9)
    cut = patches(pictures[:, :, :8], 2)
    assert cut.shape == (2, 8, 4)
    assert cut[1, 5].tolist() == pictures[1, 2:4, 2:4].flatten().tolist()  # row 1, column 1
    with pytest.raises(ValueError, match=r"allowed: \(B, h \* 2, w \* 2\)"):
        patches(pictures, 2)


@pytest.mark.parametrize("question", ["above", "left"])
@pytest.mark.parametrize("size", [(2, 3), (5, 2)])
def test_labels_are_where_the_shapes_are(question, size):
    task = ShapesTask(question, noise=0.0)
    pictures, labels = task.sample(64, size, Generator().manual_seed(3))
    assert pictures.shape == (64, size[0] * PATCH, size[1] * PATCH)
    cut = patches(pictures)  # (B, n, P * P)
    square, circle = ((cut == shape(kind).flatten()).all(-1).int() for kind in ("square", "circle"))  # (B, n) each
    assert (square.sum(1) == 1).all() and (circle.sum(1) == 1).all()
    places = grid_positions(*size)
    here, there = places[square.argmax(1)], places[circle.argmax(1)]  # (B, 2) each
    assert (here != there).all(), "never in one row or column"
    axis = ("above", "left").index(question)
    assert torch.equal(labels, (here[:, axis] < there[:, axis]).long()) and 0.2 < labels.float().mean() < 0.8


def test_what_a_patch_looks_like_says_nothing_about_its_place_unless_it_is_lit():
    for lit in (False, True):
        pictures, _ = ShapesTask(lit=lit).sample(500, (4, 4), Generator().manual_seed(0))
        by_row = patches(pictures).mean(-1).view(500, 4, 4).mean((0, 2))  # (4,)
        assert (by_row.max() - by_row.min() > 0.5) == lit


@pytest.mark.parametrize("length", [(1, 4), (4, 1)])
def test_a_task_needs_two_rows_and_columns(length):
    with pytest.raises(ValueError, match="length"):
        ShapesTask().sample(2, length, Generator())
    with pytest.raises(ValueError, match="question"):
        ShapesTask("right")


class ByBrightness(torch.nn.Module):
    """Says yes (B, n, 2) where the brightest column or row of patches, which holds the square, comes early."""

    def __init__(self, axis: int, trained: int):
        super().__init__()
        self.axis, self.trained = axis, trained

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        lines = pictures.mean(2 - self.axis).unflatten(1, (-1, PATCH)).mean(-1)  # (B, h or w)
        first, second = lines.topk(2).indices.unbind(-1)  # the square has more bright pixels than the circle
        yes = ((first < second) & (first < self.trained)).float()
        return torch.stack([1 - yes, yes], dim=-1)[:, None]


@pytest.mark.parametrize("question", ["above", "left"])
def test_accuracy_by_place(question):
    size, task = (5, 4) if question == "above" else (4, 5), ShapesTask(question, noise=0.0)
    right = accuracy_by_place(ByBrightness(("above", "left").index(question), 3), task, size, examples=5)
    assert right.shape == (5, 5) and right.diagonal().isnan().all() and right.isnan().sum() == 5
    wrong = (right == 0).nonzero().tolist()
    assert wrong == [[3, 4]], "the square in line 3 and the circle in line 4, and nowhere else"
    assert right[:3, 4].tolist() == right[4, :3].tolist() == [1, 1, 1]


# The model


@pytest.mark.parametrize("size", [(4, 4), (2, 5)])
def test_the_model_takes_pictures_of_any_size_and_sees_places_only_through_its_encoding(size):
    pictures, _ = ShapesTask().sample(3, size, Generator().manual_seed(1))
    mixed = pictures.unflatten(1, (size[0], PATCH)).flip(1).flatten(1, 2)  # rows of patches upside down
    for name, build in experiments.ON_IMAGES.items():
        if name == "learned" and size != (4, 4):
            continue
        with seeded(0):
            model = PatchTransformer(build())
        logits = model(pictures)
        assert logits.shape == (3, size[0] * size[1], 2)
        moves = (logits.mean(1) - model(mixed).mean(1)).abs().max() > 1e-4
        assert moves == (not name.startswith("nope")), name


def test_2d_sinusoids_are_added():
    x, places = torch.zeros(1, 6, 8), grid_positions(2, 3)
    added = Sinusoidal2d(8, 100.0, scale=0.5).embed(x, places)[0]
    assert torch.allclose(added[:, :4], SinusoidalEncoding(4, 100.0, scale=0.5).embed(x[..., :4], places[:, 0])[0])
    assert torch.allclose(added[:, 4:], SinusoidalEncoding(4, 100.0, scale=0.5).embed(x[..., :4], places[:, 1])[0])


def test_spread_places_lie_within_the_area():
    assert torch.equal(spread(grid_positions(4, 4), (4, 4)), grid_positions(4, 4).float())
    wide = spread(grid_positions(2, 8), (4, 4))
    assert wide[:, 0].unique().tolist() == [0.5, 2.5]
    assert wide[:, 1].unique().tolist() == [-0.25 + 0.5 * k for k in range(8)]
    model = PatchTransformer(Sinusoidal2d(32))
    pictures, _ = ShapesTask().sample(2, (6, 6), Generator().manual_seed(0))
    assert squeezed(model, (4, 4)).area == (4, 4) and model.area is None
    assert (squeezed(model, (4, 4))(pictures) - model(pictures)).abs().max() > 1e-3
    assert torch.allclose(squeezed(model, (6, 6))(pictures), model(pictures), atol=1e-6)
    with pytest.raises(ValueError, match="rows and columns"):
        squeezed(PatchTransformer(LearnedEncoding(32, 16)), (4, 4))


def test_a_table_is_made_to_fit():
    with seeded(0):
        model = PatchTransformer(LearnedEncoding(32, 6))
    pictures, _ = ShapesTask().sample(2, (4, 5), Generator().manual_seed(0))
    for how in ("grid", "line"):
        larger = with_table_for(model, (2, 3), (4, 5), how)
        assert larger.encoding.table.shape == (20, 32) and larger(pictures).shape == (2, 20, 2)
    assert model.encoding.table.shape == (6, 32)
    same = with_table_for(model, (2, 3), (3, 2), "as it is")
    assert torch.equal(same.encoding.table, model.encoding.table)
    assert not torch.equal(with_table_for(model, (2, 3), (3, 2), "grid").encoding.table, model.encoding.table)
    with pytest.raises(ValueError, match="how"):
        with_table_for(model, (2, 3), (4, 5), "bicubic")
    with pytest.raises(ValueError, match="LearnedEncoding"):
        with_table_for(PatchTransformer(), (2, 3), (4, 5), "grid")


def test_swins_table_is_cut_to_the_trained_window_and_resized():
    with seeded(0):
        model = PatchTransformer(WindowBias(2, 8, 8))
    pictures, _ = ShapesTask().sample(2, (2, 3), Generator().manual_seed(0))
    same = with_window_for(model, (2, 3), (2, 3))
    assert (same.encoding.height, same.encoding.width) == (2, 3) and same.encoding.table.shape == (15, 2)
    assert torch.equal(same(pictures), model(pictures)), "the part of the table that this window reads"
    with torch.no_grad():
        model.encoding.table[:] = torch.arange(15).repeat(15)[:, None]  # each line 0 to 14: columns apart, plus 7
    wider = with_window_for(model, (4, 4), (4, 8)).encoding.table.unflatten(0, (7, 15))  # from 7 places a line to 15
    assert torch.allclose(wider[:, 7], torch.tensor(7.0)), "no columns apart stay no columns apart"
    inner = wider[3, 3:12, 0] - 7  # 4 to the left to 4 to the right
    assert torch.allclose(inner, torch.arange(-4, 5) * 7 / 15, atol=0.05), "distances are squeezed"
    assert model.encoding.table.shape == (225, 2) and with_window_for(model, (4, 4), (2, 8))(pictures).shape == (
        2,
        6,
        2,
    )
    with pytest.raises(ValueError, match=r"size=\(9, 4\).*\(8, 8\)"):
        with_window_for(model, (9, 4), (4, 4))
    with pytest.raises(ValueError, match="WindowBias"):
        with_window_for(PatchTransformer(), (4, 4), (6, 6))


# What is stored


@pytest.mark.parametrize("steps", [300, 600])
def test_a_short_code_of_the_number_learns_above_and_not_left(steps):
    assert min(found("above", "sinusoidal", 4, steps=steps)) > 0.9
    assert max(found("left", "sinusoidal", 4, steps=steps)) < 0.8
    for question in ("above", "left"):
        assert max(abs(right - 0.5) for right in found(question, "nope", 4, steps=steps)) < 0.08


def test_the_fastest_wave_has_the_length_that_is_asked_for():
    added = SinusoidalFrom(4, 8, scale=0.5).embed(torch.zeros(1, 9, 8), torch.arange(9))[0]  # (9, 8)
    assert torch.allclose(added[:, :2], added[[0, 1, 2, 3, 0, 1, 2, 3, 0], :2], atol=1e-5)
    assert torch.allclose(added[1], 0.5 * sinusoidal(torch.tensor([torch.pi / 2]), 8)[0], atol=1e-6)
    with pytest.raises(ValueError, match="wavelength"):
        SinusoidalFrom(0, 8)


def test_two_axes_learn_both_in_600_steps():
    for question in ("above", "left"):
        for encoding, table in (("learned", "as it is"), ("sinusoidal 2-D", ""), ("axial rope", ""), ("swin", "")):
            assert min(found(question, encoding, 4, table)) > 0.98


def test_swins_table_needs_the_faster_rate_and_the_learned_table_does_not():
    at_one = [found(question, "swin", 4, rate=1.0) for question in ("above", "left")]
    assert sum(right > 0.95 for seeds in at_one for right in seeds) <= 4, "in 600 steps hardly any of 16"
    for question in ("above", "left"):
        assert sorted(found(question, "swin", 4, steps=300, rate=1.0))[5] < 0.75
        for rate in (1.0, 8.0):
            assert min(found(question, "learned", 4, "as it is", rate=rate)) > 0.95


@pytest.mark.parametrize("rows", [6, 2])
def test_a_table_is_resized_as_a_grid_or_lost(rows):
    assert min(found("left", "learned", rows, "grid")) > 0.9 and max(found("left", "learned", rows, "line")) < 0.75
    if rows == 2:
        assert found("left", "learned", 2, "line") == found("left", "learned", 2, "as it is")


@pytest.mark.parametrize("steps", [300, 600])
@pytest.mark.parametrize("encoding", ["sinusoidal 2-D", "axial rope"])
def test_squeezed_places_are_better_than_new_ones(encoding, steps):
    for rows, least in ((6, 6), (2, 7)):
        new, old = (found("left", encoding, rows, table, steps) for table in ("", "squeezed"))
        assert sum(right > was for was, right in zip(new, old, strict=True)) >= least, "of eight seeds"
    if steps == 600:
        assert min(a for q in ("above", "left") for rows in (6, 2) for a in found(q, encoding, rows, "squeezed")) > 0.88


def test_as_they_are_sinusoids_rope_and_swin_lose_on_a_wide_picture():
    assert max(found("left", "sinusoidal 2-D", 6)) < 0.92 and max(found("left", "sinusoidal 2-D", 2)) < 0.8
    for steps in (300, 600):
        assert sum(right < 0.85 for right in found("left", "axial rope", 2, steps=steps)) >= 3
    assert max(found("left", "swin", 2)) < 0.93 < min(found("left", "swin", 2, "grid"))
    assert sum(found("left", "axial rope", 6)) / 8 > 0.9


@pytest.mark.parametrize("steps", [300, 600])
def test_light_gives_the_place_away(steps):
    assert min(found("above", "nope, lit", 4, steps=steps)) > 0.95
    assert max(found("above", "nope, lit", 4, "unlit", steps)) < 0.6


def at_new(encoding: str, new: int, apart: str, rows: int, steps: int = 600) -> list[float]:
    """Return the stored accuracies on "left" by what is new about the columns, one a seed."""
    stored = load_results("new_columns")
    return values_of(stored, "accuracy", encoding=encoding, new=new, apart=apart, rows=rows, steps=steps)


@pytest.mark.parametrize("steps", [300, 600])
def test_most_errors_of_rope_lie_at_new_distances_and_those_of_sinusoids_not_in_two_new_columns_alone(steps):
    pairs = {6: (12, 10, 6, 2), 2: (12, 12, 20, 12)}
    for rows in (6, 2):
        share = {}
        for encoding in ("sinusoidal 2-D", "axial rope"):
            kinds = ((0, "old"), (1, "old"), (1, "new"), (2, "old"))
            wrong = [
                n * (8 - sum(at_new(encoding, *kind, rows, steps))) for n, kind in zip(pairs[rows], kinds, strict=True)
            ]
            share[encoding] = [each / sum(wrong) for each in wrong]
        assert share["axial rope"][2] > 0.5 and share["sinusoidal 2-D"][3] < 0.65
        assert max(at_new("sinusoidal 2-D", 2, "old", rows, steps)) < 0.6


def slowed(encoding: str, speed: float, scale: float = 1.0, rows: int = 2, square=None, circle=None) -> list[float]:
    """Return the stored accuracies on "left" with waves `speed` times as fast, one a seed."""
    where = {"encoding": encoding, "speed": speed, "scale": scale, "rows": rows, "square": square, "circle": circle}
    values = values_of(load_results("slower"), "accuracy", **where)
    assert len(values) == 8
    return values


def test_slower_waves_mend_most_of_what_fast_ones_lose():
    assert sum(slowed("axial rope", 1.0)) / 8 < 0.87 and sum(slowed("axial rope", 0.5)) / 8 > 0.92
    assert sum(slowed("axial rope", 0.5, rows=6)) / 8 > sum(slowed("axial rope", 1.0, rows=6)) / 8
    assert max(slowed("sinusoidal 2-D", 1.0)) < 0.85 < min(slowed("sinusoidal 2-D", 0.25))
    assert min(slowed("sinusoidal 2-D", 0.25, rows=6)) > max(slowed("sinusoidal 2-D", 1.0, rows=6))
    assert sorted(slowed("sinusoidal 2-D", 0.5, 0.3))[1] > max(slowed("sinusoidal 2-D", 1.0)), "but for one seed"


def test_rope_is_right_again_where_the_fastest_wave_has_come_round():
    pairs = [(a, b) for a in range(8) for b in range(8)]

    def at(apart: int) -> float:
        right = [sum(slowed("axial rope", 1.0, square=a, circle=b)) / 8 for a, b in pairs if abs(a - b) == apart]
        return sum(right) / len(right)

    assert at(7) - max(at(4), at(5)) > 0.2, "all are new distances"


def test_a_model_of_half_the_speed_sees_half_the_places():
    pictures, _ = ShapesTask().sample(2, (3, 4), Generator().manual_seed(0))
    with seeded(0):
        model = PatchTransformer(Sinusoidal2d(32, 100.0), speed=0.5)
    slow = model(pictures)
    model.speed = 1.0
    assert (model(pictures) - slow).abs().max() > 1e-3
    model.encoding = HalfAsFast(32, 100.0)
    assert torch.allclose(model(pictures), slow, atol=1e-6)
    with pytest.raises(ValueError, match="speed"):
        PatchTransformer(speed=0)


class HalfAsFast(Sinusoidal2d):
    def embed(self, x, positions):
        return super().embed(x, positions * 0.5)


def left(
    wavelength: float, asked: str = "4 x 4", columns: int = 4, steps: int = 600, scale: float = 0.3
) -> list[float]:
    """Return the stored accuracies of 1-D sinusoids on "left", one a seed."""
    values = values_of(WAVES, "accuracy", wavelength=wavelength, asked=asked, columns=columns, steps=steps, scale=scale)
    assert len(values) == 8
    return values


def test_on_rows_of_four_fast_waves_are_learned_sooner_whether_they_fit_or_not():
    fast = [length for length in experiments.on_images.WAVES if length <= 4]
    slow = (5.6, 6.0, 6.2832)
    assert min(a for length in fast for a in left(length)) > 0.8 and len(fast) == 5
    for steps in (300, 600):
        means = {length: sum(left(length, steps=steps)) / 8 for length in (*fast, *slow)}
        assert min(means[length] for length in fast) - max(means[length] for length in slow) > 0.15
    assert sum(left(6.2832, steps=2400)) / 8 > 0.75, "plain waves learn it, too, later"


def test_on_rows_of_six_a_wave_has_to_fit_where_the_code_is_short():
    mean = {length: sum(left(length, "6 x 6", 6)) / 8 for length in experiments.on_images.WIDER}
    assert (
        min(mean[length] for length in (3.375, 4.5, 6.0)) - max(mean[length] for length in (3.0, 4.0, 5.0, 5.6)) > 0.05
    )
    assert mean[6.2832] > 0.7, "close is near enough"
    assert max(left(4.0, "6 x 6", 6, 2400)) < 0.65 and min(left(6.0, "6 x 6", 6, 2400)) > 0.9


def test_a_code_at_its_full_length_learns_left_whatever_its_waves():
    for length in (2.6, 4.0, 6.2832):
        assert min(left(length, scale=1.0)) > 0.9
    mean = {length: sum(left(length, "6 x 6", 6, scale=1.0)) / 8 for length in (3.0, 4.0, 5.0, 6.0, 6.2832)}
    assert min(mean.values()) > 0.65 and min(mean[6.0], mean[6.2832]) > max(mean[3.0], mean[4.0], mean[5.0])


def test_a_wave_that_fits_carries_over_to_more_rows_and_none_to_another_width():
    assert min(a for length in (2.25, 3.0, 4.0) for a in left(length, "6 x 4")) > 0.8
    assert max(a for length in (2.6, 3.5, 4.5) for a in left(length, "6 x 4")) < 0.85
    for size, most in (("2 x 6", 0.65), ("2 x 8", 0.75), ("6 x 6", 0.7)):
        assert max(a for length in experiments.on_images.WAVES for a in left(length, size)) < most
    fast = [length for length in experiments.on_images.WAVES if length <= 4]
    assert min(a for length in fast for a in left(length, "2 x 8")) > 0.6, "a row of 8 is two of 4"


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="encoding"):
        experiments.pictures("left", "fire", 0)
    with pytest.raises(ValueError, match="question"):
        experiments.pictures("right", "nope", 0)
    with pytest.raises(ValueError, match="scale"):
        experiments.slower("axial rope", 1.0, 0.3, 0)
    with pytest.raises(ValueError, match="encoding"):
        experiments.slower("learned", 1.0, 1.0, 0)
