"""Pictures of shapes, the Transformer that reads their patches, and what the stored trainings on them show in every seed."""

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import LearnedEncoding, SinusoidalEncoding, grid_positions, sinusoidal
from posenc_helpers.lab import experiments
from posenc_helpers.lab.pictures import (
    PATCH,
    PatchTransformer,
    ShapesTask,
    Sinusoidal2d,
    SinusoidalFrom,
    accuracy_by_place,
    patches,
    shape,
    spread,
    squeezed,
    with_table_for,
)
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.training import seeded


def found(question: str, encoding: str, rows: int, table: str = "", steps: int = 600) -> list[float]:
    """Return the stored accuracies, one a seed."""
    wanted = {"question": question, "encoding": encoding, "rows": rows, "table": table or None, "steps": steps}
    values = [row["accuracy"] for row in load_results("pictures") if all(row[key] == wanted[key] for key in wanted)]
    assert len(values) == 8, wanted
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


# What is stored


@pytest.mark.parametrize("steps", [300, 600])
def test_a_line_of_numbers_learns_above_and_not_left(steps):
    assert min(found("above", "sinusoidal", 4, steps=steps)) > 0.9
    assert max(found("left", "sinusoidal", 4, steps=steps)) < 0.8
    for question in ("above", "left"):
        assert max(abs(right - 0.5) for right in found(question, "nope", 4, steps=steps)) < 0.08


def test_a_wave_as_long_as_a_row_is_what_the_numbers_lack():
    for steps in (300, 600):
        assert min(found("left", "sinusoidal, wave of 4", 4, steps=steps)) > max(
            found("left", "sinusoidal", 4, steps=steps)
        )
        assert max(found("left", "sinusoidal, wave of 4", 6, steps=steps)) < 0.65
    assert min(found("left", "sinusoidal, wave of 4", 4)) > 0.9


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


@pytest.mark.parametrize("rows", [6, 2])
def test_a_table_is_resized_as_a_grid_or_lost(rows):
    assert min(found("left", "learned", rows, "grid")) > 0.9 and max(found("left", "learned", rows, "line")) < 0.75
    if rows == 2:
        assert found("left", "learned", 2, "line") == found("left", "learned", 2, "as it is")


def test_squeezed_places_are_better_than_new_ones():
    for encoding in ("sinusoidal 2-D", "axial rope"):
        pairs = zip(found("left", encoding, 6), found("left", encoding, 6, "squeezed"), strict=True)
        assert all(squeezed_right >= right - 0.01 for right, squeezed_right in pairs)
    assert max(found("left", "sinusoidal 2-D", 6)) < 0.9 < min(found("left", "sinusoidal 2-D", 6, "squeezed"))


@pytest.mark.parametrize("steps", [300, 600])
def test_light_gives_the_place_away(steps):
    assert min(found("above", "nope, lit", 4, steps=steps)) > 0.95
    assert max(found("above", "nope, lit", 4, "unlit", steps)) < 0.6


@pytest.mark.parametrize("encoding", ["sinusoidal 2-D", "learned"])
def test_a_job_is_done_again(encoding):
    job = {"question": "left", "encoding": encoding, "seed": 0, "steps": 300}
    stored = [row for row in load_results("pictures") if all(row[key] == value for key, value in job.items())]
    for old, new in zip(stored, experiments.pictures(**job), strict=True):
        assert (old["rows"], old["columns"], old["table"] or "") == (new["rows"], new["columns"], new["table"])
        assert old["accuracy"] == pytest.approx(new["accuracy"], abs=0.1)


@pytest.mark.parametrize("encoding", ["sinusoidal 2-D", "axial rope"])
def test_a_row_of_new_columns_is_made_again(encoding):
    (stored,) = values_of(load_results("new_columns"), "accuracy", encoding=encoding, seed=0, steps=300)
    assert experiments.new_columns(encoding, 0, 300)["accuracy"] == pytest.approx(stored, abs=0.2)


def test_only_rope_tells_two_new_columns_apart():
    stored = load_results("new_columns")
    right = {name: values_of(stored, "accuracy", encoding=name) for name in ("sinusoidal 2-D", "axial rope")}
    assert max(right["sinusoidal 2-D"]) < 0.6 and min(right["axial rope"]) > 0.55
    assert min(values_of(stored, "accuracy", encoding="axial rope", steps=600)) > 0.8


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="encoding"):
        experiments.pictures("left", "fire", 0)
    with pytest.raises(ValueError, match="question"):
        experiments.pictures("right", "nope", 0)
