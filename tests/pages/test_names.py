"""Names by ear: each control of a page has one of its own, which says what it belongs to."""

from collections import Counter

import pytest

from tests.browser import needs_browser, nightly_unless
from tests.notebooks.reading import PATHS
from tests.pages.playing import said
from tools.pages.names import VAGUE, named

ROLES = "button checkbox combobox DisclosureTriangle radio searchbox slider spinbutton textbox".split()  # noqa: SIM905


def controls(page) -> list[tuple[str, str, str]]:
    """Return (role, group, name) of all that a reader can use on a page, as a screen reader is told them.

    A choice of several stands in its group, which has a name; else the group is "".
    """
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    known, found = {node["nodeId"]: node for node in nodes}, []
    value = lambda node, key: node.get(key, {}).get("value", "").strip()  # noqa: E731
    for node in nodes:
        if not node["ignored"] and value(node, "role") in ROLES:
            around, group = node, ""
            while value(node, "role") == "radio" and not group and (around := known.get(around.get("parentId"))):
                group = value(around, "name") if value(around, "role") in ("group", "radiogroup") else ""
            found.append((value(node, "role"), group, value(node, "name")))
    return found


@needs_browser
@pytest.mark.parametrize(
    "name",
    ["index", "models", "search", "quiz/06", *(nightly_unless(path, "01", "02", "06") for path in PATHS)],
    ids=lambda name: getattr(name, "stem", name),
)
def test_no_two_controls_share_a_name_and_none_is_vague(visit, name):
    page = visit(name, folds=True)
    page.evaluate("document.querySelectorAll('form').forEach(form => (form.hidden = false))")
    found = controls(page)
    assert len(found) > 2 and [one for one in found if not one[2] or one[2] in VAGUE] == []
    assert {one: count for one, count in Counter(found).items() if count > 1} == {}


@needs_browser
def test_a_word_is_named_by_its_place_too(visit):
    page = visit("index")
    page.get_by_label("your sentence").fill("dog bites dog")
    page.get_by_role("slider", name="dog, word 3 as typed").press("Home")
    assert said(page, at="see-run").startswith("Weights and outputs of “dog dog bites”")


def test_what_stands_more_than_once_is_named_by_its_section():
    hint, heading = "<details><summary>Hint</summary></details>", '<h2>{}<a class="headerlink">¶</a></h2>'
    first, second = heading.format('One <code>"a"</code>'), heading.format("Two")
    field = '<label>Your prediction: <input type="text" name="entry"></label>'
    made = named(f"{first}{hint}{hint}{second}{hint}<details><summary>Only here</summary></details>{field}")
    assert 'aria-label="Hint: One &quot;a&quot;">' in made and 'aria-label="Hint: One &quot;a&quot; (2)">' in made
    assert '<summary aria-label="Hint: Two">Hint</summary>' in made and "<summary>Only here</summary>" in made
    assert '<label>Your prediction: <input type="text" aria-label="Your prediction: Two" name="entry"></label>' in made
