"""Pictures of shapes, and the Transformer that reads their patches."""

import pytest
import torch
from torch import Generator

from posenc_helpers.encodings import LearnedEncoding, SinusoidalEncoding, WindowBias, grid_positions
from posenc_helpers.lab.training import seeded
from posenc_helpers.lessons.beyond_text.shapes import PATCH, ShapesTask, Sinusoidal2d, patches, shape
from tools import experiments
from tools.experiments import on_images
from tools.experiments.patch_models import (
    PatchTransformer,
    accuracy_by_place,
    spread,
    squeezed,
    with_table_for,
    with_window_for,
)

# Pictures


def test_shapes_differ_in_their_corners_alone():
    square, circle = shape("square"), shape("circle")
    assert square.shape == (PATCH, PATCH) and square.sum() == 16 and (square - circle).sum() == 4
    assert not square[0].any() and not square[:, -1].any(), "a rim of one pixel stays free"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shape("star"), r"allowed: .square., .circle."),
        (lambda: ShapesTask().sample(2, (1, 4), Generator()), "length"),
        (lambda: ShapesTask("right"), "question"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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


def test_a_table_is_made_to_fit():
    with seeded(0):
        model = PatchTransformer(LearnedEncoding(32, 6))
    pictures, _ = ShapesTask().sample(2, (4, 5), Generator().manual_seed(0))
    for how in ("grid", "line"):
        larger = with_table_for(model, (2, 3), (4, 5), how)
        assert larger.encoding.table.shape == (20, 32) and larger(pictures).shape == (2, 20, 2)
    assert model.encoding.table.shape == (6, 32)
    assert not torch.equal(with_table_for(model, (2, 3), (3, 2), "grid").encoding.table, model.encoding.table)


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


def test_the_fastest_wave_has_the_length_that_is_asked_for(monkeypatch):
    models = []
    monkeypatch.setattr(on_images, "accuracy", lambda model, task, size: models.append(model) or 0.5)
    on_images.waves(4.0, columns=4, seed=0, steps=1, scale=0.5)
    added = models[0].encoding.embed(torch.zeros(1, 9, 32), torch.arange(9) * models[0].speed)[0]  # (9, 32)
    assert torch.allclose(added[:, :2], added[[0, 1, 2, 3, 0, 1, 2, 3, 0], :2], atol=1e-5)
    assert added[1, 0].item() == pytest.approx(0.5)  # a quarter of the wave


@pytest.mark.parametrize("kind", [Sinusoidal2d, SinusoidalEncoding])
def test_a_model_of_half_the_speed_sees_half_the_places(kind):
    class HalfAsFast(kind):
        def embed(self, x, positions):
            return super().embed(x, positions * 0.5)

    pictures, _ = ShapesTask().sample(2, (3, 4), Generator().manual_seed(0))
    with seeded(0):
        model = PatchTransformer(kind(32, 100.0), speed=0.5)
    slow = model(pictures)
    model.speed = 1.0
    assert (model(pictures) - slow).abs().max() > 1e-3
    model.encoding = HalfAsFast(32, 100.0)
    assert torch.allclose(model(pictures), slow, atol=1e-6)
