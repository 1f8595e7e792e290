"""Explorers without a browser: what is displayed, and pictures that follow their controls pixel by pixel."""

import base64

import ipywidgets
import pytest

from posenc_helpers.classroom.explorers import WIDGET_VIEW, Screen, explore
from posenc_helpers.classroom.figures import figure, picture, style
from tests.classroom.explorer import CAPTION, build, describe, parts, pixels, said, shown


def drawn_anew(place: float):
    with style():
        return pixels(Screen(*build(blit=False)).draw({"place": place}))


def test_one_bundle_holds_the_widget_the_still_picture_and_its_words(outputs):
    bundle, box = shown(outputs, place=(0.0, 1.0, 0.25))
    assert len(outputs) == 2  # the bundle and the caption
    assert bundle["data"].keys() == {WIDGET_VIEW, "image/png", "text/plain"}
    alt = "A line with a dot on it: place 0.25."
    assert bundle["data"]["text/plain"] == alt
    assert bundle["metadata"]["image/png"] == {"alt": alt, "width": 400, "height": 200}
    assert outputs[1]["data"]["text/plain"] == f"Figure. {CAPTION}"
    with style():
        fig, update = build(0.25)
        update(0.25)
        expected, _ = picture(fig, alt)
    assert bundle["data"]["image/png"] == expected["image/png"]  # the still is the picture at the start
    assert pixels(base64.b64decode(bundle["data"]["image/png"])).shape[:2] == (300, 600)
    _, _, view, words = parts(box)
    assert view.format == "png" and said(words) == alt
    assert pixels(view.value).shape == (200, 400, 3)  # no transparency
    assert (pixels(view.value) == drawn_anew(0.25)).all()


def test_words_and_a_start_that_can_be_drawn_are_required(outputs):
    with pytest.raises(ValueError, match="caption"):
        explore(build, describe, caption=" ", place=(0.0, 1.0, 0.5))
    with pytest.raises(ValueError, match="alt"):
        explore(build, lambda **_: "", caption=CAPTION, place=(0.0, 1.0, 0.5))
    with pytest.raises(ValueError, match=r"place=-1\.0 must be at least 0"):
        explore(build, describe, caption=CAPTION, place=(-1.0, 1.0, -1.0))
    assert outputs == []


@pytest.mark.parametrize("blit", [True, False])
def test_moving_a_control_changes_the_picture_to_what_a_fresh_figure_shows(blit, outputs):
    _, box = shown(outputs, lambda **values: build(**values, blit=blit), place=(0.0, 1.0, 0.25))
    (slider,), _, view, _ = parts(box)
    pictures = [view.value]
    for place in (0.5, 0.9, 0.1):
        slider.value = place
        pictures.append(view.value)
        assert (pixels(view.value) == drawn_anew(place)).all()
    assert len(set(pictures)) == 4


def test_every_control_reaches_update_and_a_move_or_a_reset_draws_once(outputs):
    calls = []
    controls = {"place": (0.0, 1.0, 0.25), "mask": True, "layout": ["half", "interleaved"]}
    _, box = shown(outputs, lambda **values: build(calls=calls), **controls)
    (place, mask, layout), reset, view, _ = parts(box)
    start = view.value
    calls.clear()
    place.value, mask.value, layout.value = 0.5, False, "interleaved"
    first, second, third = calls
    assert first == {"place": 0.5, "mask": True, "layout": "half"}
    assert second == first | {"mask": False} and third == second | {"layout": "interleaved"}
    assert view.value != start
    calls.clear()
    reset.click()
    assert (place.value, mask.value, layout.value) == (0.25, True, "half")
    assert view.value == start and len(calls) == 1
    place.value = 0.5  # and it still follows
    assert view.value != start and len(calls) == 2


def test_a_value_error_is_shown_and_the_last_picture_kept_until_it_is_over(outputs):
    _, box = shown(outputs, place=(-1.0, 1.0, 0.25))
    (slider,), reset, view, words = parts(box)
    before = view.value
    slider.value = -0.5
    assert said(words) == "place=-0.5 must be at least 0" and view.value == before
    slider.value = 0.5
    assert said(words) == "A line with a dot on it: place 0.5." and view.value != before
    slider.value = -0.5
    reset.click()
    assert said(words) == "A line with a dot on it: place 0.25." and view.value == before


def test_a_mistake_in_the_code_is_not_hidden(outputs):
    def build_broken(place):
        fig, _ = build()
        names = {0.25: "at the start"}
        return fig, lambda place: names[place] and None

    _, box = shown(outputs, build_broken, place=(0.0, 1.0, 0.25))
    with pytest.raises(KeyError):
        parts(box)[0][0].value = 0.75


@pytest.mark.parametrize("size", [(9.2, 5.6), (3.33, 2.21)])  # inches; these are no whole number of pixels
def test_blitting_leaves_nothing_behind_at_the_edges(size):
    """What reached over an edge of the picture is gone when it has moved on, also after the still picture was made."""
    with style():
        fig = figure(*size)
        fig.add_subplot()
        words = fig.text(0, 0, "", ha="center", va="center", size=40)

        def update(x, y, text):
            words.set(x=x, y=y, text=text)
            return [words]

        update(0.5, 0.5, "a")
        picture(fig, "words")
        screen, start = Screen(fig, update), {"x": 0.5, "y": 0.5, "text": "a"}
        first = pixels(screen.draw(start))
        for x, y in ((0, 0), (1, 1), (0, 1), (1, 0)):
            assert (pixels(screen.draw({"x": x, "y": y, "text": "WWW"})) != first).any()
            assert (pixels(screen.draw(start)) == first).all(), (x, y)


def test_the_axes_do_not_jump_when_labels_grow():
    with style():
        fig = figure(4, 2)
        ax = fig.add_subplot()
        screen = Screen(fig, lambda top: ax.set(ylim=(0, top)) and None)
        screen.draw({"top": 1})
        before = ax.get_position().bounds
        screen.draw({"top": 1e6})
        assert ax.get_position().bounds == before


@pytest.mark.parametrize("place", [(0.0, 1.0, 0.25, 0.25), ([0.0, 0.25, 0.5, 0.75, 1.0], 0.25)], ids=str)
def test_a_player_moves_its_slider_follows_a_hand_and_stops_at_a_reset(place, outputs):
    _, box = shown(outputs, play="place", place=place)
    (slider,), reset, view, words = parts(box)
    first, back, play, forward, speed, _ = box.children[1].children
    assert (play.min, play.value, play.max) == (0, 1, 4)
    before = view.value
    for press, expected in ((forward, 0.5), (forward, 0.75), (back, 0.5), (first, 0.0), (back, 0.0)):
        press.click()
        assert slider.value == expected
    play.value = 3  # what the front end does while it plays
    assert slider.value == 0.75 and view.value != before
    slider.value = 1.0
    assert play.value == 4
    forward.click()
    assert slider.value == 1.0
    speed.value = 2.0
    assert play.interval == 200
    playing = "playing" if play.has_trait("playing") else "_playing"  # ipywidgets 8, 7
    setattr(play, playing, True)
    reset.click()
    assert (slider.value, play.value, speed.value, view.value) == (0.25, 1, 1.0, before)
    assert getattr(play, playing) is False and said(words) == "A line with a dot on it: place 0.25."


def test_without_an_order_there_is_no_player(outputs):
    _, box = shown(outputs, lambda mask: build(), mask=True)
    assert [type(part) for part in box.children[1].children] == [ipywidgets.Button]
