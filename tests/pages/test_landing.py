"""Where a reader lands: a link leads to its place, and opens the fold there; who comes back is where they were."""

import pytest

from tests.browser import needs_browser
from tests.pages.conftest import READY, address, anew

pytestmark = needs_browser
TOP = "e => Math.round(e.getBoundingClientRect().top)"
STATES = {  # an explorer, and a picture that one plays with
    "03_sinusoidal": ("#at-base-explore", "#at=base-explore&base=1&width=64", "base", "#exercises"),
    "06_rope": ("#at-hands-run", "#at=hands-run&n=3", "n", "#exercises"),
}


def at(page, place):
    return abs(page.locator(place).evaluate(TOP)) < 100


@pytest.mark.parametrize("name", STATES)
def test_a_link_with_a_state_leads_to_its_picture_and_a_reload_to_where_one_was(visit, name):
    box, state, _, elsewhere = STATES[name]
    page = visit(f"notebooks/{name}", ending=state, seen=False)
    page.wait_for_timeout(300)
    assert at(page, box)
    sentence = page.locator(f"{box} [role=status]").text_content()
    page.locator(elsewhere).evaluate("e => e.scrollIntoView()")
    page.reload()
    page.wait_for_function(READY)
    page.wait_for_timeout(500)
    assert at(page, elsewhere) and not at(page, box)
    assert page.locator(f"{box} [role=status]").text_content() == sentence


@pytest.mark.parametrize(("name", "box"), [("03_sinusoidal", "base-explore"), ("06_rope", "hands-run")])
def test_an_address_with_what_a_picture_does_not_know_leaves_the_start(visit, name, box):
    page, says = visit(f"notebooks/{name}"), f"#at-{box} [role=status]"
    start = page.locator(says).text_content()
    anew(page, f"{page.url}#at={box}&base=nonsense&strange=1&n=9999")
    assert page.locator(says).text_content() == start


@pytest.mark.parametrize("name", STATES)
def test_who_moved_a_picture_comes_back_to_where_they_were(visit, site, name):
    """By a reload, from another page, and by Back after a link within the page."""
    box, state, control, elsewhere = STATES[name]
    page = visit(f"notebooks/{name}", ending=state, seen=False)
    page.locator(f"{box} :is([name={control}], [data-name={control}])").press("ArrowRight")
    page.wait_for_function("state => location.hash !== state", arg=state)
    sentence = page.locator(f"{box} [role=status]").text_content()
    page.locator(elsewhere).evaluate("e => e.scrollIntoView()")
    page.reload()
    page.wait_for_timeout(500)
    assert at(page, elsewhere) and page.locator(f"{box} [role=status]").text_content() == sentence
    page.goto(address(site, "notebooks/01_why_order_matters"))
    page.go_back()
    page.wait_for_timeout(500)
    assert at(page, elsewhere)
    page.locator(".toc-tree a[href='#spot-the-bug']").evaluate("link => link.click()")
    page.wait_for_timeout(100)
    assert at(page, "#spot-the-bug")
    page.go_back()
    page.wait_for_timeout(300)
    assert at(page, elsewhere)


MADE = """link => document.querySelector('article').append(
    Object.assign(document.createElement('a'), { id: 'made', href: link }))"""
FOLD = "#going-deeper-the-paper-s-bound"


@pytest.mark.parametrize(
    "link",
    [FOLD, "#going-deeper-the-papers-bound", "#bound", "#bound-text", "#going-deeper-what-fast-and-slow-pairs-are-for"],
)
def test_a_link_to_what_is_shut_opens_it(visit, site, link):
    """To its heading, to the cell of its heading, to a cell in it; the same link a second time, too."""
    page = visit("notebooks/06_rope", ending=link, seen=False)
    page.wait_for_timeout(300)
    assert page.locator("details.deeper[open]").count() == 1 and at(page, link)
    anew(page, address(site, "notebooks/06_rope"))
    assert page.locator("details.deeper[open]").count() == 0
    page.evaluate(MADE, link)
    for _ in range(2):
        page.locator("#made").evaluate("link => link.click()")
        page.wait_for_function("document.querySelectorAll('details.deeper[open]').length === 1")
        assert at(page, link)
        page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = false))")
