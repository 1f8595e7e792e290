"""Pictures are drawn anew for slides: in the room that is there, with words of 24 pixels, none of which touch on an axis."""

import io
import json

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import panels, style
from tests.browser import nightly_unless
from tests.notebooks.reading import NAMES, PATHS, read
from tools.course import ROOT
from tools.pages.collect import collect, explorer_cells
from tools.pages.room import LETTERS, SCALE, Room, smallest
from tools.slides.__main__ import AS_SAVED, EXPLORER
from tools.slides.choose import choose, read_choices
from tools.slides.pictures import redrawn
from tools.slides.render import LEAST, caption_of, captioned, pictured, render, room
from tools.slides.words import inline

ROOM = Room(1184, 432)


def crowded():
    with style():
        (ax,) = panels(12, 8)
        ax.text(0.5, 0.5, "small", fontsize=7)
        ax.set_xticks([0, 0.01, 0.5, 1], ["zero", "a hundredth", "a half", "one"], fontsize=8)
        ROOM.fit(ax.figure)
    return ax


def test_a_picture_fills_its_room_with_words_that_the_back_row_reads():
    fig = crowded().figure
    assert (fig.get_size_inches() * fig.dpi * SCALE).round().tolist() == [ROOM.width, ROOM.height]
    assert round(smallest(fig) * SCALE, 3) == LETTERS


def test_labels_of_an_axis_that_would_touch_are_left_out():
    labels = crowded().get_xticklabels()
    assert [label.get_text() for label in labels if label.get_visible()] == ["zero", "a half", "one"]


@pytest.mark.parametrize("path", [nightly_unless(path, "03", "09", "10") for path in PATHS], ids=lambda path: path.stem)
def test_the_name_of_a_y_axis_stands_within_its_picture(path):
    """Of explorers, in the little height that a slide has for them."""
    for cell in explorer_cells(read(path)):
        explorer = collect(read(path), cell)
        with style():
            fig, update = explorer.build(**explorer.start)
            EXPLORER.fit(fig)
            fig.set_dpi(fig.dpi * SCALE)
            Screen(fig, update).draw(explorer.start)
        for label in (ax.yaxis.label for ax in fig.axes if ax.get_visible() and ax.get_ylabel()):
            box = label.get_window_extent()
            assert box.y0 >= 0 and box.y1 <= fig.bbox.height, label.get_text()


SOURCE = """from posenc_helpers.classroom.figures import panels, show, style
with style():
    (ax,) = panels(4, 8)
runs.append(1)
show(ax.figure, alt="An empty chart.", caption="Nothing.")"""


def test_a_notebook_is_run_once_and_its_pictures_are_kept(tmp_path):
    data = {"output_type": "display_data", "data": {"image/png": "old"}, "metadata": {"image/png": {"alt": "An axis."}}}
    output = new_output(**data)
    notebook = new_notebook(cells=[new_code_cell("runs = []", id="a"), new_code_cell(SOURCE, id="b", outputs=[output])])
    notebook.cells.append(new_code_cell("raise ValueError('behind the last picture')", id="c"))
    made = redrawn(notebook, {"b": ROOM}, tmp_path)
    facts = made.cells[1].outputs[0].metadata["image/png"]
    assert facts["alt"] == "An axis." and facts["letters"] * 1184 / facts["width"] > LETTERS - 0.1
    assert notebook.cells[1].outputs[0].data["image/png"] == "old"
    stored = tmp_path / "b.png"
    assert Image.open(io.BytesIO(stored.read_bytes())).width > ROOM.width
    stored.write_bytes(b"kept")
    assert redrawn(notebook, {"b": ROOM}, tmp_path).cells[1].outputs[0].data["image/png"] == "a2VwdA=="
    redrawn(notebook, {"b": Room(1184, 300)}, tmp_path)
    assert stored.read_bytes() != b"kept" and json.loads((tmp_path / "pictures.json").read_text(encoding="utf-8"))


def test_pictures_with_smaller_words_are_named_and_are_there():
    page = (ROOT / "teaching" / "slides.md").read_text(encoding="utf-8")
    for name, cell in AS_SAVED:
        assert f"| {name[:2]} | `{cell}` |" in page
        slides = choose(read(PATHS[NAMES.index(name)]), name, read_choices())
        assert cell in [shown.id for slide in slides if (shown := pictured(slide))]


def test_a_caption_gives_way_to_its_picture_and_goes_to_the_notes(tmp_path):
    for path in PATHS[1:5]:
        for slide in choose(read(path), path.stem, read_choices()):
            if cell := pictured(slide):
                made = render(slide, tmp_path, "a", {}, "<p>the notes</p>")
                shown, notes = made.split('<aside class="notes">')
                caption = inline(caption_of(cell, slide.text))
                assert room(slide).height >= LEAST - 1
                assert (caption in shown) == captioned(slide) and (caption in notes) != captioned(slide)
