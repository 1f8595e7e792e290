"""What the pages draw beforehand is what the explorer draws live."""

import io
import random

import nbformat
import numpy as np
import pytest
from PIL import Image

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import figure, style
from tests.notebooks.reading import PATHS, read
from tools.pages.collect import Explorer, collect, explorer_cells, needed
from tools.pages.frames import MOST_STATES, draw, draw_states
from tools.pages.playable import playable_cells

EXPLORERS = [(path, cell_id) for path in PATHS for cell_id in explorer_cells(read(path))]
QUICK = [(path, cell_id) for path, cell_id in EXPLORERS if path.stem != "04_learned"]  # that one trains for 5 s


def notebook(*sources):
    """Return a notebook whose cells are `sources`, the last with the id "last"."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[-1].id = "last"
    return nbformat.v4.new_notebook(cells=cells)


def explorer(count=3):
    """Return an explorer with one control of `count` values and a check box; 1 with the box ticked is refused."""

    def build(place, ticked):
        fig = figure(3, 2)
        (line,) = fig.add_subplot().plot([0, 1], [0, place])

        def update(place, ticked):
            if place == 1 and ticked:
                raise ValueError("place=1 cannot be ticked")
            line.set_ydata([0, place])

        return fig, update

    controls = {"place": {str(k): k for k in range(count)}, "ticked": {"off": False, "on": True}}
    start = {"place": 2, "ticked": False}
    kinds = {"place": "range", "ticked": "checkbox"}
    return Explorer(build, lambda **values: f"{values}", "A line.", "place", controls, start, kinds)


def test_only_what_an_explorer_needs_is_run():
    twice = "def twice(x):\n    return 2 * x"
    made = notebook(
        "import math\nimport os", "a = math.pi\nb = a", twice, "b = os.getcwd()\nc = twice(a)", "explore(c)"
    )
    assert needed(made, "last") == ["import math", "a = math.pi", twice, "c = twice(a)", "explore(c)"]


def test_nothing_that_trains_is_run_for_an_explorer_but_in_04():
    moving = EXPLORERS + [(path, cell_id) for path in PATHS for cell_id in playable_cells(read(path))]
    assert {path for path, _ in moving} == {*PATHS}
    for path, cell_id in moving:
        statements = needed(read(path), cell_id)
        trains = [text for text in statements if "train(" in text and not text.startswith(("import", "from", "def"))]
        assert bool(trains) == (path.stem == "04_learned"), (path.stem, trains)


@pytest.mark.parametrize(("path", "cell_id"), QUICK, ids=lambda value: getattr(value, "stem", value))
def test_frames_are_what_is_drawn_live(path, cell_id, tmp_path):
    """Six random states, drawn beforehand in the order of the states and live in another."""
    found = collect(read(path), cell_id)
    assert found.start in found.states() and len(found.states()) <= MOST_STATES
    states = random.Random(cell_id).sample(found.states(), min(6, len(found.states())))
    files, sentences, size, _ = draw_states(found, states, tmp_path, few=False)
    with style():
        screen = Screen(*found.build(**found.start))
        screen.draw(found.start)  # as `explore` does: the figure is laid out for its start
        for values, file, sentence in reversed(list(zip(states, files, sentences, strict=True))):
            try:
                live = Image.open(io.BytesIO(screen.draw(values))).convert("RGB")
            except ValueError as error:
                assert (file, sentence) == (None, str(error))
                continue
            stored = Image.open(tmp_path / f"{file}.webp").convert("RGB")
            assert list(stored.size) == list(live.size) == size
            off = np.abs(np.asarray(stored, float) - np.asarray(live, float))
            assert off.mean() < 3, f"{values}: colours off by {off.mean():.2f} of 255"  # 128 colours of thousands
            assert sentence == found.describe(**values)


def test_states_that_look_alike_share_a_file_and_refused_ones_have_none(tmp_path):
    """In the order of the script: the last control is the fastest."""
    made = explorer()
    files, sentences, *_ = draw_states(made, made.states(), tmp_path, few=False)
    assert files == [0, 0, 1, None, 2, 2]
    assert sentences[3] == "place=1 cannot be ticked"
    assert {file.name for file in tmp_path.iterdir()} == {"0.webp", "1.webp", "2.webp"}


def test_few_draws_what_differs_from_the_start_in_one_control(tmp_path):
    made = explorer()
    files, sentences, *_ = draw_states(made, made.states(), tmp_path, few=True)
    assert [file is None for file in files] == [False, True, False, True, False, False]
    assert all(sentences)


SOURCE = (
    """\
from posenc_helpers.classroom import explorers
from posenc_helpers.classroom.figures import figure
import torch

def build(place):
    fig = figure(9, 9)
    picture = fig.add_subplot().imshow(torch.rand(300, 300))
    return fig, lambda place: picture.set_data(torch.rand(300, 300))
""",
    """\
explorers.explore(build, lambda **values: "noise", caption="Noise.", place=(0, {last}, 0))
""",
)


CAPS = [(256, 8_000_000, "257 states; allowed: 256"), (3, 100_000, r"frames of [\d,]+ bytes; allowed: 100,000")]


@pytest.mark.parametrize(("last", "most", "message"), CAPS)
def test_a_cap_that_is_passed_stops_the_build(tmp_path, monkeypatch, last, most, message):
    monkeypatch.setattr("tools.pages.frames.MOST_BYTES", most)
    path = tmp_path / "99_toy.ipynb"
    nbformat.write(notebook(SOURCE[0], SOURCE[1].replace("{last}", str(last))), path)
    with pytest.raises(ValueError, match=f"99_toy.ipynb, last: {message}"):
        draw(path, "last", tmp_path / "frames")


def test_what_was_drawn_is_kept_until_something_changes(tmp_path):
    path = tmp_path / "99_toy.ipynb"
    nbformat.write(notebook(SOURCE[0], SOURCE[1].replace("{last}", "1")), path)
    first = draw(path, "last", tmp_path / "frames")
    stamp = (tmp_path / "frames" / "0.webp").stat().st_mtime_ns
    assert draw(path, "last", tmp_path / "frames") == first
    assert (tmp_path / "frames" / "0.webp").stat().st_mtime_ns == stamp
    nbformat.write(notebook(SOURCE[0] + "\n", "one = 1\n" + SOURCE[1].replace("{last}", "1")), path)
    draw(path, "last", tmp_path / "frames")
    assert (tmp_path / "frames" / "0.webp").stat().st_mtime_ns != stamp
