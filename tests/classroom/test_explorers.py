"""Explorers without a browser: the controls, what is displayed, and pictures that follow their controls pixel by pixel."""

import base64
import html
import io
import re
import threading

import ipywidgets
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from posenc_helpers.classroom import controls as controls_module
from posenc_helpers.classroom.controls import control, on_page
from posenc_helpers.classroom.explorers import WIDGET_VIEW, Screen, explore
from posenc_helpers.classroom.figures import figure, picture, style

CAPTION = "The dot moves along the line."


def describe(**values) -> str:
    """A sentence with every number."""
    return "A line with a dot on it: " + ", ".join(f"{name} {value}" for name, value in values.items()) + "."


def build(place: float = 0.0, *, blit: bool = True, calls: list | None = None):
    """A line, and a dot and a text at `place` (0 to 1); a negative place is refused."""
    fig = figure(4, 2)
    ax = fig.add_subplot()
    ax.set(xlim=(-0.2, 1.4), ylim=(-0.2, 1.2), xlabel="position p (token)")
    ax.plot([0, 1], [0, 1], color="0.7")
    (dot,) = ax.plot([], [], "o", markersize=9)
    words = ax.text(0, 0, "", va="center")

    def update(place: float = 0.0, **_):
        if calls is not None:
            calls.append(place)
        if place < 0:
            raise ValueError(f"place={place} must be at least 0")
        dot.set_data([place], [place])
        words.set_position((place + 0.1, place - 0.1))
        words.set_text(f"{place:.2f}")
        return [dot, words] if blit else None

    return fig, update


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)))


def shown(outputs, build=build, play=None, **controls) -> tuple[dict, ipywidgets.VBox]:
    """Call `explore`; return the displayed bundle and the live widget behind it."""
    outputs.clear()
    explore(build, describe, caption=CAPTION, play=play, **controls)
    bundle = outputs[0]
    name = f"IPY_MODEL_{bundle['data'][WIDGET_VIEW]['model_id']}"
    return bundle, ipywidgets.widget_serialization["from_json"](name, None)


def parts(box: ipywidgets.VBox):
    grid, buttons, view, words = box.children
    *_, reset = buttons.children
    assert isinstance(reset, ipywidgets.Button) and isinstance(view, ipywidgets.Image)
    return list(grid.children), reset, view, words


def said(words: ipywidgets.HTML) -> str:
    return html.unescape(re.sub("<[^>]+>", "", words.value))


# -------------------------------------------------------------------------------------------------- what is displayed


def test_one_bundle_holds_the_widget_the_still_picture_and_its_words(outputs):
    bundle, _ = shown(outputs, place=(0.0, 1.0, 0.25))
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
    still = pixels(base64.b64decode(bundle["data"]["image/png"]))
    assert still.shape[:2] == (300, 600)


def test_the_live_picture_shows_the_start(outputs):
    _, box = shown(outputs, place=(0.0, 1.0, 0.25))
    _, _, view, words = parts(box)
    assert view.format == "png" and said(words) == "A line with a dot on it: place 0.25."
    with style():
        expected = Screen(*build(blit=False)).draw({"place": 0.25})
    assert (pixels(view.value) == pixels(expected)).all()
    assert pixels(view.value).shape == (200, 400, 3)  # no transparency


# ------------------------------------------------------------------------------------------------------ the controls


@pytest.mark.parametrize(
    ("spec", "kind", "start", "state"),
    [
        ((0, 9, 4), ipywidgets.IntSlider, 4, {"min": 0, "max": 9, "step": 1}),
        ((0, 9, 4, 2), ipywidgets.IntSlider, 4, {"min": 0, "max": 9, "step": 2}),
        ((-1.0, 3.0, 0.5), ipywidgets.FloatSlider, 0.5, {"min": -1, "max": 3, "step": 0.04}),
        ((0, 1, 0.5), ipywidgets.FloatSlider, 0.5, {"min": 0, "max": 1, "step": 0.01}),
        ((0.0, 1.0, 1.0, 0.25), ipywidgets.FloatSlider, 1.0, {"step": 0.25}),
        ((0.0, np.float64(1.0), 0.5), ipywidgets.FloatSlider, 0.5, {"max": 1, "step": 0.01}),
        (True, ipywidgets.Checkbox, True, {}),
        (False, ipywidgets.Checkbox, False, {}),
        (["half", "interleaved"], ipywidgets.ToggleButtons, "half", {}),
        ([(2, 1), (1, 2)], ipywidgets.ToggleButtons, (2, 1), {}),
        ({"as it is": (1, 2, 3), "reversed": (3, 2, 1)}, ipywidgets.ToggleButtons, (1, 2, 3), {}),
        ((["half", "interleaved"], "interleaved"), ipywidgets.ToggleButtons, "interleaved", {}),
        ([0.1, 1.0, 10.0], ipywidgets.SelectionSlider, 0.1, {}),
        (([0.1, 1.0, 10.0], 1.0), ipywidgets.SelectionSlider, 1.0, {}),
    ],
    ids=str,
)
def test_each_kind_of_control(spec, kind, start, state, outputs):
    seen = []

    def build_any(some_name):
        fig, _ = build()
        seen.append(some_name)
        return fig, lambda some_name: seen.append(some_name)

    _, box = shown(outputs, build_any, some_name=spec)
    (control,), *_ = parts(box)
    assert type(control) is kind and control.description == "some name"
    assert control.value == start and set(seen) == {start}
    for name, value in state.items():
        assert getattr(control, name) == pytest.approx(value)
    if kind in (ipywidgets.ToggleButtons, ipywidgets.SelectionSlider):
        offered = spec[0] if isinstance(spec, tuple) else spec
        labels = list(offered) if isinstance(offered, dict) else [str(choice) for choice in offered]
        assert [label for label, _ in control.options] == labels
        for index, choice in enumerate(offered.values() if isinstance(offered, dict) else offered):
            control.index = index
            assert control.value == seen[-1] == choice


def test_a_widget_of_ones_own_is_used_as_it_is(outputs):
    slider = ipywidgets.IntSlider(min=0, max=1, value=0, continuous_update=False, description="on release")
    _, box = shown(outputs, place=slider)
    assert parts(box)[0] == [slider] and slider.description == "on release"


@pytest.mark.parametrize(
    "spec",
    [(0, 1), ([], None), ([], 1), (0, 1, 2), (1, 0, 0.5), (0, 1, 0, 1, 1), (0, 1, "a"), (0, 1, float("nan")),
     (0.0, float("inf"), 1.0),
     (0, 9, 4, 0), (0.0, 1.0, 0.5, -0.1), (3, 3, 3), (False, True, True), [], {}, (), "text", 3, None],
    ids=str,
)  # fmt: skip
def test_what_is_no_control_is_refused(spec, outputs):
    with pytest.raises(ValueError, match=r"control place=.*; allowed: \(lowest, highest, start\[, step\]\)"):
        explore(build, describe, caption=CAPTION, place=spec)
    assert outputs == []


@pytest.mark.parametrize("spec", [(["x", "y"], "z"), ([1, 2], 3), ({"x": 1, "y": 2}, "x")], ids=str)
def test_a_start_that_is_no_choice_is_refused(spec, outputs):
    choices, start = spec
    with pytest.raises(ValueError, match=f"control place starts at {start!r}; allowed: {', '.join(map(str, choices))}"):
        explore(build, describe, caption=CAPTION, place=spec)
    assert outputs == []


def test_words_are_required(outputs):
    with pytest.raises(ValueError, match="caption"):
        explore(build, describe, caption=" ", place=(0.0, 1.0, 0.5))
    with pytest.raises(ValueError, match="alt"):
        explore(build, lambda **_: "", caption=CAPTION, place=(0.0, 1.0, 0.5))
    assert outputs == []


@pytest.mark.parametrize(
    ("play", "message"), [("other", "play='other' is no control; allowed: place"), ("mask", "play names a Checkbox")]
)
def test_what_cannot_be_played_is_refused(play, message, outputs):
    controls = {"mask": True} if play == "mask" else {"place": (0.0, 1.0, 0.5)}
    with pytest.raises(ValueError, match=message):
        explore(build, describe, caption=CAPTION, play=play, **controls)
    assert outputs == []


@pytest.mark.parametrize(
    ("page", "message"),
    [({"other": [1]}, "page names other; allowed: place"),
     ({"place": [0, 7]}, r"page\['place'\] holds 7; allowed: 0, 1, 2, 3, 4"),
     ({"place": [0, 1]}, r"page\['place'\]=\[0, 1\] must hold the start, 2")],
)  # fmt: skip
def test_values_for_the_pages_are_some_of_the_controls_own(page, message, outputs):
    with pytest.raises(ValueError, match=message):
        explore(build, describe, caption=CAPTION, page=page, place=(0, 4, 2))
    assert outputs == []


def test_a_widget_of_ones_own_may_be_one_that_the_pages_do_not_know(outputs):
    menu = ipywidgets.Dropdown(options=[0.0, 1.0], value=1.0, description="place")
    _, box = shown(outputs, place=menu)
    assert parts(box)[0] == [menu]


def test_pages_take_every_value_or_those_that_are_named():
    specs = {"place": (0.0, 1.0, 0.5, 0.25), "kind": {"one": 1, "two": 2}, "mask": False, "base": ([1.0, 1e4], 1.0)}
    inputs = {name: control(name, spec) for name, spec in specs.items()}
    found = on_page(inputs, {"place": [0.5, 0.0]})
    assert found == {
        "place": {"0": 0.0, "0.5": 0.5}, "kind": {"one": 1, "two": 2}, "mask": {"off": False, "on": True},
        "base": {"1": 1.0, "10,000": 1e4},
    }  # fmt: skip


# -------------------------------------------------------------------------------------------------------- in motion


@pytest.mark.parametrize("blit", [True, False])
def test_moving_a_control_changes_the_picture_to_what_a_fresh_figure_shows(blit, outputs):
    _, box = shown(outputs, lambda **values: build(**values, blit=blit), place=(0.0, 1.0, 0.25))
    (slider,), _, view, _ = parts(box)
    pictures = [view.value]
    for place in (0.5, 0.9, 0.1):
        slider.value = place
        pictures.append(view.value)
        with style():
            fresh = Screen(*build(blit=False)).draw({"place": place})
        assert (pixels(view.value) == pixels(fresh)).all()
    assert len(set(pictures)) == 4


def test_every_control_reaches_update_and_one_move_draws_once(outputs):
    calls = []

    def build_three(**values):
        fig, _ = build()

        def update(**values):
            calls.append(values)

        return fig, update

    _, box = shown(outputs, build_three, place=(0.0, 1.0, 0.25), mask=True, layout=["half", "interleaved"])
    (place, mask, layout), *_ = parts(box)
    calls.clear()
    place.value, mask.value, layout.value = 0.5, False, "interleaved"
    assert calls == [
        {"place": 0.5, "mask": True, "layout": "half"},
        {"place": 0.5, "mask": False, "layout": "half"},
        {"place": 0.5, "mask": False, "layout": "interleaved"},
    ]


def test_reset_puts_everything_back_and_draws_once(outputs):
    calls = []
    _, box = shown(outputs, lambda **values: build(calls=calls), place=(0.0, 1.0, 0.25), mask=True)
    (place, mask), reset, view, _ = parts(box)
    start = view.value
    place.value, mask.value = 0.75, False
    assert view.value != start
    calls.clear()
    reset.click()
    assert (place.value, mask.value) == (0.25, True)
    assert view.value == start and calls == [0.25]
    place.value = 0.5  # and it still follows
    assert view.value != start and calls == [0.25, 0.5]


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

        def update(place):
            if place > 0.5:
                raise KeyError("a typing error")

        return fig, update

    _, box = shown(outputs, build_broken, place=(0.0, 1.0, 0.25))
    (slider,), *_ = parts(box)
    with pytest.raises(KeyError):
        slider.value = 0.75


def test_a_start_that_update_refuses_is_an_error(outputs):
    with pytest.raises(ValueError, match=r"place=-1\.0 must be at least 0"):
        explore(build, describe, caption=CAPTION, place=(-1.0, 1.0, -1.0))
    assert outputs == []


@settings(max_examples=6)  # each draws up to six figures
@given(st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_blitting_equals_a_full_redraw_pixel_for_pixel(path):
    with style():
        blitted, full = Screen(*build(blit=True)), Screen(*build(blit=False))
        for place in path:
            left, right = (pixels(screen.draw({"place": place})) for screen in (blitted, full))
            assert (left == right).all()


@pytest.mark.parametrize("size", [(4, 2), (9.2, 5.6), (3.33, 2.21)])  # inches; some are no whole number of pixels
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
        for x, y in ((0, 0), (1, 1), (0, 1), (1, 0), (0.5, 0), (1, 0.5)):
            assert (pixels(screen.draw({"x": x, "y": y, "text": "WWW"})) != first).any()
            assert (pixels(screen.draw(start)) == first).all(), (x, y)


def test_the_axes_do_not_jump_when_labels_grow():
    def build_growing():
        fig = figure(4, 2)
        ax = fig.add_subplot()
        (line,) = ax.plot([0, 1], [0, 1])

        def update(top):
            line.set_data([0, 1], [0, top])
            ax.set_ylim(0, top)  # the tick labels grow with it

        return fig, update

    with style():
        fig, update = build_growing()
        screen = Screen(fig, update)
        screen.draw({"top": 1})
        before = fig.axes[0].get_position().bounds
        screen.draw({"top": 1e6})
        assert fig.axes[0].get_position().bounds == before


@pytest.mark.parametrize("place", [(0.0, 1.0, 0.25, 0.25), ([0.0, 0.25, 0.5, 0.75, 1.0], 0.25)], ids=str)
def test_a_player_moves_its_slider_and_follows_a_hand(place, outputs):
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
    reset.click()
    assert (slider.value, play.value, speed.value, view.value) == (0.25, 1, 1.0, before)
    assert said(words) == "A line with a dot on it: place 0.25."


def test_reset_stops_a_player(outputs):
    _, box = shown(outputs, play="place", place=(0, 9, 4))
    play = box.children[1].children[2]
    name = "playing" if play.has_trait("playing") else "_playing"
    setattr(play, name, True)
    parts(box)[1].click()
    assert getattr(play, name) is False


# ------------------------------------------------------------------------- reset, and what is on its way meanwhile


def answer(number, *widgets):
    """Let the browser say for each of `widgets` that it knows of reset `number`."""
    for widget in widgets:
        widget.set_state({"_dom_classes": [f"reset-{number}"]})


def playing(outputs):
    """Return slider, player, reset and picture of an explorer that a browser shows, and what the picture is at first."""
    _, box = shown(outputs, play="place", place=(0.0, 1.0, 0.25, 0.25))
    (slider,), reset, view, _ = parts(box)
    play, speed = box.children[1].children[2], box.children[1].children[4]
    answer(0, slider, play, speed)
    return slider, play, speed, reset, view, view.value


def test_what_was_moved_before_a_reset_comes_too_late(outputs):
    slider, play, speed, reset, view, first = playing(outputs)
    slider.set_state({"value": 0.5})  # what a message from the browser does
    assert view.value != first
    reset.click()
    for widget, state in ((slider, {"value": 0.75}), (play, {"value": 4}), (speed, {"index": 3}), (slider, {"value": 1.0})):
        widget.set_state(state)
        assert (slider.value, play.value, speed.value, view.value) == (0.25, 1, 1.0, first)
    answer(1, slider, play, speed)
    for widget, state in ((slider, {"value": 0.75}), (play, {"value": 4})):
        before = view.value
        widget.set_state(state)
        assert view.value != before
    assert slider.value == 1.0


def test_a_move_that_comes_with_the_answer_was_made_before_it(outputs):
    slider, play, _speed, reset, view, first = playing(outputs)
    reset.click()
    play.set_state({"value": 3, "_dom_classes": ["reset-1"]})
    slider.set_state({"value": 0.75, "_dom_classes": ["reset-1"]})
    assert (slider.value, play.value, view.value) == (0.25, 1, first)
    slider.set_state({"value": 0.75})
    assert slider.value == 0.75 and view.value != first


def test_an_answer_to_an_earlier_reset_is_none(outputs):
    slider, _play, _speed, reset, view, first = playing(outputs)
    reset.click()
    reset.click()
    answer(1, slider)
    slider.set_state({"value": 0.75})
    assert slider.value == 0.25 and view.value == first


def test_a_front_end_that_never_answers_is_waited_for_a_second(outputs, monkeypatch):
    now = 1000.0
    monkeypatch.setattr(controls_module.time, "monotonic", lambda: now)
    _, box = shown(outputs, place=(0.0, 1.0, 0.25))
    (slider,), reset, _view, _ = parts(box)
    reset.click()
    slider.set_state({"value": 0.75})
    assert slider.value == 0.25
    now += 1.5
    slider.set_state({"value": 0.75})
    assert slider.value == 0.75


def test_a_reset_while_a_picture_is_drawn_in_another_thread(outputs):
    drawing, go_on = threading.Event(), threading.Event()

    def build_slow(place):
        fig, update = build(place)

        def slowly(place):
            if place == 0.75:
                drawing.set()
                assert go_on.wait(60)
            return update(place)

        return fig, slowly

    _, box = shown(outputs, build_slow, place=(0.0, 1.0, 0.25))
    (slider,), reset, view, _ = parts(box)
    first = view.value
    threads = [threading.Thread(target=slider.set_state, args=({"value": 0.75},)), threading.Thread(target=reset.click)]
    threads[0].start()
    assert drawing.wait(60)
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert slider.value == 0.25 and view.value == first


def test_without_an_order_there_is_no_player(outputs):
    _, box = shown(outputs, lambda mask: build(), mask=True)
    assert [type(part) for part in box.children[1].children] == [ipywidgets.Button]


def test_two_explorers_do_not_disturb_one_another(outputs):
    _, first = shown(outputs, place=(0.0, 1.0, 0.25))
    _, second = shown(outputs, place=(0.0, 1.0, 0.25))
    before = parts(second)[2].value
    parts(first)[0][0].value = 0.75
    assert parts(second)[0][0].value == 0.25 and parts(second)[2].value == before


# --------------------------------------------------------------- ipywidgets 7.7.1, which Colab has, knows all of this


# What each widget that explorers.py uses can be given in ipywidgets 7.7.1, read off that version; Layout in part.
COMMON = {"description", "disabled", "layout", "style"}
SLIDER = COMMON | {"min", "max", "step", "value", "continuous_update", "orientation", "readout", "readout_format"}
KNOWN = {
    "IntSlider": SLIDER,
    "FloatSlider": SLIDER,
    "Checkbox": COMMON | {"indent", "value"},
    "ToggleButtons": COMMON | {"options", "index", "label", "value", "tooltips", "button_style", "icons"},
    "SelectionSlider": COMMON | {"options", "index", "label", "value", "continuous_update", "orientation", "readout"},
    "Button": COMMON | {"button_style", "icon", "tooltip"},
    "Image": {"format", "height", "layout", "value", "width"},
    "HTML": {"description", "layout", "placeholder", "style", "value"},
    "Play": COMMON | {"value", "min", "max", "step", "interval", "show_repeat"},
    "DirectionalLink": {"source", "target"},
    "VBox": {"box_style", "children", "layout"},
    "HBox": {"box_style", "children", "layout"},
    "GridBox": {"box_style", "children", "layout"},
    "Layout": {
        "align_items", "display", "flex", "flex_flow", "grid_area", "grid_gap", "grid_template_columns", "height",
        "margin", "max_height", "max_width", "min_width", "overflow", "width",
    },
}  # fmt: skip


def test_only_widgets_and_traits_of_ipywidgets_7_are_used(outputs, monkeypatch):
    used, make = [], ipywidgets.Widget.__init__

    def spy(self, *arguments, **traits):
        used.append((type(self).__name__, set(traits)))
        make(self, *arguments, **traits)

    monkeypatch.setattr(ipywidgets.Widget, "__init__", spy)
    controls = {"a": (0, 9, 4), "b": (0.0, 1.0, 0.5), "c": True, "d": ["x", "y"], "e": {"x": 1}, "f": [1, 2]}
    shown(outputs, lambda **values: build(), play="a", **controls)
    used = [(name, traits) for name, traits in used if not name.endswith("Style")]  # made by the widgets themselves
    assert {name for name, _ in used} == KNOWN.keys()  # no Output, no interact, no Stack
    for name, traits in used:
        assert traits <= KNOWN[name], name
