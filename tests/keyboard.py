"""An explorer in JupyterLab, used by keyboard alone."""

import time

from playwright.sync_api import expect

from tests.browser import NOTEBOOK, PATIENCE

HIGHEST = 680  # pixels of an explorer's controls, picture and sentence, at 1300 wide
# SHA-256 of the picture's bytes, so that one message, not a picture, crosses over
DIGEST = """async picture => {
    const bytes = await (await fetch(picture.src)).arrayBuffer();
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).join();
}"""
IN_PLAYER = "ancestor::div[contains(@class, 'widget-hbox')][.//div[contains(@class, 'widget-play')]]"
AROUND = "xpath=ancestor::div[contains(@class, 'jp-OutputArea-output')][1]"  # a picture with controls and sentence
STOPS = "[role=slider], [contenteditable=true], button, input, select"  # where Tab halts in an explorer


def says(stop):
    """Return what a control says: the number of a slider, the tick of a box, whether a button of a group is chosen."""
    return stop.evaluate("e => e.getAttribute('aria-valuenow') ?? (e.type === 'checkbox' ? e.checked : e.className)")


def press(page, stop, key):
    """Press `key` on a focused control, and make sure that JupyterLab left it to the control."""
    cell = page.evaluate(f"{NOTEBOOK}.activeCellIndex")
    stop.focus()
    page.keyboard.press(key)
    assert stop.evaluate("e => e === document.activeElement"), f"{key} on a control moved the focus away"
    assert page.evaluate(f"{NOTEBOOK}.activeCellIndex") == cell, f"{key} on a control moved to another cell"


def wait_for_picture(page, picture, wanted, what):
    """Wait until `wanted(digest)` holds for the picture."""
    try:
        wait_until(page, lambda: wanted(picture.evaluate(DIGEST)), what)
    except AssertionError as error:
        raise AssertionError(f"{error}; the explorer says: {picture.locator(AROUND).inner_text()!r}") from error


def wait_until(page, condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE} s"
        page.wait_for_timeout(100)


def use_explorer(page, output):
    """Use an explorer with keys alone: Tab reaches all of it, each control changes the picture, reset brings it back."""
    picture, stops = output.locator("img.widget-image"), output.locator(STOPS)
    reset = output.get_by_role("button", name="reset")
    picture.scroll_into_view_if_needed()
    start = picture.evaluate(DIGEST)
    stops.first.focus()
    for number in range(1, stops.count()):
        page.keyboard.press("Tab")
        assert stops.nth(number).evaluate("e => e === document.activeElement"), f"Tab misses control {number}"
    used = 0
    for stop in stops.all():
        kind = stop.evaluate(
            """e => e.getAttribute('role') === 'slider' ? 'slider' : e.type === 'checkbox' ? 'box'
                 : e.matches('.widget-toggle-button:not(.mod-active)') ? 'choice'
                 : e.matches('.widget-toggle-button, [contenteditable], .widget-button, .widget-play *') ? null
                 : e.tagName"""
        )
        if kind is None or stop.locator(f"xpath={IN_PLAYER}").count():  # the chosen one, a number, reset, the player
            continue
        last = stop.evaluate("e => e.getAttribute('aria-valuenow') === e.getAttribute('aria-valuemax')")
        key = {"slider": "ArrowLeft" if last else "ArrowRight", "SELECT": "ArrowDown"}.get(kind, "Space")
        before = says(stop)
        press(page, stop, key)
        wait_for_picture(page, picture, lambda now: now != start, f"{key} on control {used} changes the picture")
        wait_until(page, lambda: says(stop) != before, f"{key} on control {used} changes what it says")  # noqa: B023
        press(page, reset, "Space")
        wait_for_picture(page, picture, lambda now: now == start, "reset brings the first picture back")
        wait_until(page, lambda: says(stop) == before, f"reset brings control {used} back")  # noqa: B023
        used += 1
    assert used, "an explorer without a control"
    if output.locator(".widget-play").count():
        use_player(page, output, picture, start)
    box = picture.locator(AROUND).bounding_box()
    assert box["height"] < HIGHEST, "controls, picture and sentence do not fit a laptop"


def use_player(page, output, picture, start):
    """A step forward, a step back, playing: the picture follows, and reset brings the first one back and stops."""
    words = output.locator("[role=status]")
    first = words.inner_text()
    for name in ("step forward", "step back", "to the start"):
        button = output.locator(f"button[title='{name}']")
        button.focus()
        page.keyboard.press("Space")
    wait_for_picture(page, picture, lambda now: now != start, "the player moves the picture")
    expect(words).not_to_have_text(first, timeout=PATIENCE * 1000)
    reset = output.get_by_role("button", name="reset")
    press(page, reset, "Space")
    wait_for_picture(page, picture, lambda now: now == start, "reset brings the first picture back")
    output.locator(".widget-play button").first.click()
    wait_for_picture(page, picture, lambda now: now != start, "it plays")
    press(page, reset, "Space")
    wait_for_picture(page, picture, lambda now: now == start, "reset stops it")
    page.wait_for_timeout(1000)
    assert picture.evaluate(DIGEST) == start, "it goes on after reset"
