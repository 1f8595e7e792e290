"""Pictures that one plays with in a notebook: what is displayed and what a module may contain."""

import re

import ipywidgets
import pytest

from posenc_helpers.classroom import playable
from posenc_helpers.classroom.explorers import WIDGET_VIEW
from tests.classroom.dot import CAPTION, MODULE, STATE, describe, draw
from tools.course import ROOT

MODULES = [MODULE, *sorted((ROOT / "posenc_helpers" / "lessons").rglob("*.js"))]
START = {"place": 3, "size": "large", "ticked": False}
GIVEN = {"draw": draw, "describe": describe, "caption": CAPTION}


def test_one_bundle_holds_the_widget_the_still_picture_and_its_words(outputs):
    playable.play(MODULE, STATE, **GIVEN, data={"curve": [1, 2]})
    bundle, caption = outputs
    assert bundle["data"].keys() == {WIDGET_VIEW, "image/png", "text/plain"}
    alt = describe(**START)
    assert bundle["data"]["text/plain"] == bundle["metadata"]["image/png"]["alt"] == alt
    assert caption["data"]["text/plain"] == f"Figure. {CAPTION}"
    name = f"IPY_MODEL_{bundle['data'][WIDGET_VIEW]['model_id']}"
    sent = ipywidgets.widget_serialization["from_json"](name, None).get_state()
    assert {key: sent[key] for key in START} == START and sent["curve"] == [1, 2]
    assert sent["controls"]["place"] == {"min": 0, "max": 10, "step": 1}
    assert sent["controls"]["size"]["values"] == ["small", "large"]
    assert MODULE.read_text(encoding="utf-8") in sent["_esm"] and ".kit" in sent["_css"]


def test_without_anywidget_the_still_is_shown_and_how_to_get_it(outputs, monkeypatch):
    monkeypatch.setattr(playable, "anywidget", None)
    playable.play(MODULE, STATE, **GIVEN)
    assert outputs[0]["data"].keys() == {"image/png", "text/plain"}
    assert "pip install anywidget" in outputs[-1]["data"]["text/plain"]


def test_words_and_a_state_that_can_be_moved_are_required(outputs):
    for wrong in ({"caption": " "}, {"describe": lambda **_: ""}):
        with pytest.raises(ValueError, match="must say in a sentence"):
            playable.play(MODULE, STATE, **GIVEN | wrong)
    with pytest.raises(ValueError, match="place"):
        playable.play(MODULE, STATE | {"place": (5, 1, 3)}, **GIVEN)
    assert outputs == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_is_short_imports_nothing_and_holds_no_colour(path):
    """Its colours come from the course's own, which a page in the dark may change, too; ink is that of the words."""
    text = path.read_text(encoding="utf-8")
    code = re.sub(r"//.*", "", text)
    assert len(text.splitlines()) <= 200
    assert "export default" in code and not re.search(r"\bimport\b|\bfetch\b|https?:(?!//www\.w3\.org)", code)
    assert not re.search(
        r"#[0-9a-f]{3,8}\b|\b(rgb|hsl)a?\(|[\"'](white|black|red|green|blue|gr[ae]y|orange)[\"']", code, re.I
    )
    calls = set(re.findall(r"\bmodel\.(\w+)", code))
    assert calls <= {"get", "set", "save_changes", "on", "off"}
