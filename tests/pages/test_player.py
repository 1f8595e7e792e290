"""The player of an explorer, and an explorer by ear, in a real Chromium."""

import math
from itertools import pairwise

import pytest

from tests.browser import needs_browser
from tests.pages.test_browser import check_shown, number, of

pytestmark = needs_browser


def learned(visit):
    """Return the page of 04, its explorer, what that knows, and a function that finds a button of it by its name."""
    page = visit("notebooks/04_learned")
    box = page.locator(".explorer")
    return page, box, of(box), lambda name: box.get_by_role("button", name=name, exact=True)


def test_the_player_moves_only_when_it_is_asked_to_and_a_reset_stops_it(visit):
    page, box, facts, button = learned(visit)
    start = number(facts, box)
    page.wait_for_timeout(600)
    assert number(facts, box) == start
    button("next").click()
    assert number(facts, box) == start + 1
    button("back").click()
    button("first").click()
    assert number(facts, box) == 0
    box.get_by_label("speed").select_option("2")
    button("play").click()
    page.wait_for_function("box => +box.querySelector('[type=range]').value >= 3", arg=box.element_handle())
    button("pause").click()
    stopped = number(facts, box)
    page.wait_for_timeout(500)
    assert number(facts, box) == stopped
    check_shown(page, box, facts)
    page.evaluate(  # a machine so slow that the player's next step is due when reset is pressed: nothing moves after it
        """box => new Promise(done => {
            box.querySelector("[data-do=play]").click();
            const until = performance.now() + 1000; // busy, for longer than a step takes
            while (performance.now() < until);
            box.querySelector("form").reset();
            setTimeout(done, 600);
        })""",
        box.element_handle(),
    )
    assert number(facts, box) == start
    assert button("play").is_visible() and not button("pause").is_visible()
    check_shown(page, box, facts)


def test_the_player_starts_again_at_the_end(visit):
    page, box, facts, button = learned(visit)
    box.get_by_label("speed").select_option("2")
    box.locator("[type=range]").focus()
    page.keyboard.press("End")
    button("play").click()
    assert number(facts, box) < len(facts["sentences"]) - 1
    page.wait_for_function("box => +box.querySelector('[type=range]').value >= 2", arg=box.element_handle())
    page.keyboard.press("Shift+Tab")
    box.locator("[type=range]").fill(str(len(facts["sentences"]) - 2))
    button("play").wait_for()  # it has come to the end, and says so


def test_steps_of_other_sizes_take_other_times(visit):
    """06's trained length goes from 16 to 131,072: a step by a factor of 32 takes five times as long as one by 2."""
    page = visit("notebooks/06_rope")
    page.evaluate(
        """() => { const real = setTimeout; window.pauses = [];
            window.setTimeout = (f, ms) => (f.name === "step" && pauses.push(ms), real(f, f.name === "step" ? 0 : ms)); }"""
    )
    box = page.locator("#at-base-explore")
    sizes = [math.log(other / one) for one, other in pairwise(of(box)["numbers"])]
    box.get_by_role("button", name="first", exact=True).click()
    box.get_by_role("button", name="play", exact=True).click()
    page.wait_for_function("count => pauses.length === count", arg=len(sizes))
    pauses = page.evaluate("pauses")
    for one, other in pairwise(sorted(zip(sizes, pauses, strict=True))):
        assert one[1] <= other[1] and (one[1] == 80 or other[1] / one[1] == pytest.approx(other[0] / one[0]))
    assert max(pauses) > 3 * min(pauses)


def test_by_ear_an_explorer_has_a_short_name_and_says_each_state_once(visit):
    """One live region, quiet while it plays; the picture is named, and described by the sentence."""
    page, box, _, button = learned(visit)
    assert box.locator("form").get_attribute("aria-label") == "See it grow"
    assert box.locator("[aria-live], [role=status], [role=alert]").count() == 1
    says, picture = box.locator(".says"), box.locator("img")
    for _ in range(2):
        assert picture.get_attribute("alt") == "the picture of: See it grow"
        assert picture.get_attribute("aria-describedby") == says.get_attribute("id")
        button("next").click()
        page.wait_for_function("says => says.ariaLive === 'polite'", arg=says.element_handle())
    page.evaluate(  # what is spoken: texts that come while the region is live
        """says => { window.spoken = [];
            const heard = () => says.ariaLive === "polite" && spoken.push(says.textContent);
            new MutationObserver(heard).observe(says, { childList: true }); }""",
        says.element_handle(),
    )
    box.get_by_label("speed").select_option("2")
    button("play").click()
    page.wait_for_function("box => +box.querySelector('[type=range]').value >= 7", arg=box.element_handle())
    assert page.evaluate("spoken") == []
    button("pause").click()
    page.wait_for_function("spoken.length === 1")
    assert page.evaluate("spoken") == [says.text_content()]
