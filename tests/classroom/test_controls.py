"""The controls of an explorer: what each may be, what the pages take of it, and a reset while moves are on their way."""

import threading

import ipywidgets
import pytest

from posenc_helpers.classroom import controls as controls_module
from posenc_helpers.classroom.controls import control, on_page
from posenc_helpers.classroom.explorers import explore
from tests.classroom.explorer import CAPTION, build, describe, parts, shown

ORDERS = {"as it is": (1, 2, 3), "reversed": (3, 2, 1)}
KINDS = [
    ((0, 9, 4), ipywidgets.IntSlider, 4, {"min": 0, "max": 9, "step": 1}),
    ((0, 9, 4, 2), ipywidgets.IntSlider, 4, {"step": 2}),
    ((-1.0, 3.0, 0.5), ipywidgets.FloatSlider, 0.5, {"min": -1, "max": 3, "step": 0.04}),
    ((0, 1, 0.5), ipywidgets.FloatSlider, 0.5, {"step": 0.01}),
    ((0.0, 1.0, 1.0, 0.25), ipywidgets.FloatSlider, 1.0, {"step": 0.25}),
    (False, ipywidgets.Checkbox, False, {}),
    ([(2, 1), (1, 2)], ipywidgets.ToggleButtons, (2, 1), {}),
    (ORDERS, ipywidgets.ToggleButtons, (1, 2, 3), {}),
    ((["half", "interleaved"], "interleaved"), ipywidgets.ToggleButtons, "interleaved", {}),
    ([0.1, 1.0, 10.0], ipywidgets.SelectionSlider, 0.1, {}),
    (([0.1, 1.0, 10.0], 1.0), ipywidgets.SelectionSlider, 1.0, {}),
]


@pytest.mark.parametrize(("spec", "kind", "start", "state"), KINDS, ids=str)
def test_each_kind_of_control(spec, kind, start, state, outputs):
    seen = []

    def build_any(some_name):
        fig, _ = build()
        return fig, lambda some_name: seen.append(some_name)

    _, box = shown(outputs, build_any, some_name=spec)
    (made,), *_ = parts(box)
    assert type(made) is kind and made.description == "some name"
    assert made.value == start and set(seen) == {start}
    assert {name: getattr(made, name) for name in state} == pytest.approx(state)
    if kind in (ipywidgets.ToggleButtons, ipywidgets.SelectionSlider):
        offered = spec[0] if isinstance(spec, tuple) else spec
        labelled = offered if isinstance(offered, dict) else {str(choice): choice for choice in offered}
        assert [label for label, _ in made.options] == list(labelled)
        for made.index, choice in enumerate(labelled.values()):
            assert made.value == seen[-1] == choice


NO_CONTROLS = [(0, 1), ([], 1), (0, 1, 2), (0, 1, 0, 1, 1), (0, 1, "a"), (0, 1, float("nan")), (0.0, float("inf"), 1.0)]
NO_CONTROLS += [(0, 9, 4, 0), (0.0, 1.0, 0.5, -0.1), (3, 3, 3), (False, True, True), [], {}, (), "text", 3, None]
ALLOWED = r"control place=.*; allowed: \(lowest, highest, start\[, step\]\)"
REFUSED = [({"place": spec}, ALLOWED) for spec in NO_CONTROLS] + [
    ({"place": (["x", "y"], "z")}, "control place starts at 'z'; allowed: x, y"),
    ({"place": ({"x": 1, "y": 2}, "x")}, "control place starts at 'x'; allowed: x, y"),
    ({"place": (0, 4, 2), "play": "other"}, "play='other' is no control; allowed: place"),
    ({"mask": True, "play": "mask"}, "play names a Checkbox"),
    ({"place": (0, 4, 2), "page": {"other": [1]}}, "page names other; allowed: place"),
    ({"place": (0, 4, 2), "page": {"place": [0, 7]}}, r"page\['place'\] holds 7; allowed: 0, 1, 2, 3, 4"),
    ({"place": (0, 4, 2), "page": {"place": [0, 1]}}, r"page\['place'\]=\[0, 1\] must hold the start, 2"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED, ids=str)
def test_what_is_no_control_or_cannot_be_played_or_put_on_a_page_is_refused(given, message, outputs):
    with pytest.raises(ValueError, match=message):
        explore(build, describe, caption=CAPTION, **given)
    assert outputs == []


def test_pages_take_every_value_or_those_that_are_named():
    specs = {"place": (0.0, 1.0, 0.5, 0.25), "kind": {"one": 1, "two": 2}, "mask": False, "base": ([1.0, 1e4], 1.0)}
    found = on_page({name: control(name, spec) for name, spec in specs.items()}, {"place": [0.5, 0.0]})
    assert found["place"] == {"0": 0.0, "0.5": 0.5} and found["kind"] == {"one": 1, "two": 2}
    assert found["mask"] == {"off": False, "on": True} and found["base"] == {"1": 1.0, "10,000": 1e4}


# A reset, and what is on its way meanwhile


def answer(number, *widgets):
    """Let the browser say for each of `widgets` that it knows of reset `number`."""
    for widget in widgets:
        widget.set_state({"_dom_classes": [f"reset-{number}"]})


@pytest.fixture
def playing(outputs):
    """Slider, player, speed, reset and picture of an explorer that a browser shows, and what the picture is at first."""
    _, box = shown(outputs, play="place", place=(0.0, 1.0, 0.25, 0.25))
    (slider,), reset, view, _ = parts(box)
    play, speed = box.children[1].children[2], box.children[1].children[4]
    answer(0, slider, play, speed)
    return slider, play, speed, reset, view, view.value


def test_what_was_moved_before_a_reset_comes_too_late(playing):
    slider, play, speed, reset, view, first = playing
    slider.set_state({"value": 0.5})  # what a message from the browser does
    assert view.value != first
    reset.click()
    for widget, state in ((slider, {"value": 0.75}), (play, {"value": 4}), (speed, {"index": 3})):
        widget.set_state(state)
        assert (slider.value, play.value, speed.value, view.value) == (0.25, 1, 1.0, first)
    answer(1, slider, play, speed)
    for widget, state in ((slider, {"value": 0.75}), (play, {"value": 4})):
        before = view.value
        widget.set_state(state)
        assert view.value != before
    assert slider.value == 1.0


def test_a_move_that_comes_with_the_answer_was_made_before_it(playing):
    slider, play, _speed, reset, view, first = playing
    reset.click()
    play.set_state({"value": 3, "_dom_classes": ["reset-1"]})
    slider.set_state({"value": 0.75, "_dom_classes": ["reset-1"]})
    assert (slider.value, play.value, view.value) == (0.25, 1, first)
    slider.set_state({"value": 0.75})
    assert slider.value == 0.75 and view.value != first


def test_an_answer_to_an_earlier_reset_is_none(playing):
    slider, _play, _speed, reset, view, first = playing
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


def slow(at, drawing, go_on):
    """Return a `build` whose picture, at the place `at`, tells `drawing` and waits for `go_on` once both are set up."""

    def build_slow(place):
        fig, update = build(place)

        def slowly(place):
            if place == at and go_on:
                drawing.set()
                assert go_on[0].wait(60)
            return update(place)

        return fig, slowly

    return build_slow


def meanwhile(first, second, drawing, go_on):
    """Do `first`, and `second` in another thread once the picture is being drawn; let it be drawn and wait for both."""
    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert drawing.wait(60)
    threads[1].start()
    threads[1].join(0.5)
    go_on.set()
    for thread in threads:
        thread.join(60)


def test_a_reset_while_a_picture_is_drawn_in_another_thread(outputs):
    drawing, go_on = threading.Event(), threading.Event()
    _, box = shown(outputs, slow(0.75, drawing, [go_on]), place=(0.0, 1.0, 0.25))
    (slider,), reset, view, _ = parts(box)
    first = view.value
    meanwhile(lambda: slider.set_state({"value": 0.75}), reset.click, drawing, go_on)
    assert slider.value == 0.25 and view.value == first


@pytest.mark.parametrize("number", [0, 1, 3], ids=["to the start", "step back", "step forward"])
def test_a_button_of_the_player_that_was_pressed_before_a_reset_comes_too_late(number, outputs):
    """Its click waits in another thread, while the reset draws."""
    drawing, go_on, when = threading.Event(), threading.Event(), []
    _, box = shown(outputs, slow(0.5, drawing, when), play="place", place=(0.0, 1.0, 0.5, 0.25))
    (slider,), reset, view, _ = parts(box)
    button, first = box.children[1].children[number], view.value
    answer(0, button)
    slider.set_state({"value": 0.75})
    when.append(go_on)
    meanwhile(reset.click, button.click, drawing, go_on)  # the slider is back, its picture is not
    assert slider.value == 0.5 and view.value == first
    button.click()
    assert slider.value == 0.5, "the browser has not heard of the reset yet"
    answer(1, button)
    button.click()
    assert slider.value != 0.5


# What each widget of an explorer can be given in ipywidgets 7.7.1, which Colab has, read off it; Layout in part.
COMMON = "description disabled layout style "
SLIDER = COMMON + "min max step value continuous_update orientation readout readout_format"
BOX = "box_style children layout"
LAYOUT = (
    "align_items display flex flex_flow grid_area grid_gap grid_template_columns height margin max_height max_width "
)
KNOWN = {
    "IntSlider": SLIDER,
    "FloatSlider": SLIDER,
    "Checkbox": COMMON + "indent value",
    "ToggleButtons": COMMON + "options index label value tooltips button_style icons",
    "SelectionSlider": COMMON + "options index label value continuous_update orientation readout",
    "Button": COMMON + "button_style icon tooltip",
    "Image": "format height layout value width",
    "HTML": "description layout placeholder style value",
    "Play": COMMON + "value min max step interval show_repeat",
    "DirectionalLink": "source target",
    "VBox": BOX,
    "HBox": BOX,
    "GridBox": BOX,
    "Layout": LAYOUT + "min_width overflow width",
}


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
    assert [(name, more) for name, traits in used if (more := traits - {*KNOWN[name].split()})] == []
