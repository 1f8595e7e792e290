"""The pages, built once for all tests and all of their processes, with few frames, and windows to open them in."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.browser import PATIENCE, watch
from tools.pages.__main__ import build

# What a prediction keeps shut, shown.
ALL_SEEN = "document.querySelectorAll('.unseen').forEach(part => part.removeAttribute('hidden'))"
FOLDS_OPEN = "document.querySelectorAll('details').forEach(fold => (fold.open = true))"
READY = "[...document.querySelectorAll('.playable')].every(box => box.model)"
PHONE = {"size": (360, 740), "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="session")
def site(built) -> Path:
    """Return the folder of the pages of all notebooks; several controls away from the start, explorers have no frame."""
    return built("pages", build)


@pytest.fixture
def visit(site, browser):
    """A function that opens a page, of a notebook by its path, of others by name, in a window of its own; see `go`.

    At the end no console may hold an error, and nothing may have asked another machine.
    """
    logs = []
    with ExitStack() as windows:

        def go(name, size=(1280, 900), *, ending="", seen=True, folds=False, **settings):
            """Return the page, with all that is played with ready, where `seen` with what predictions keep shut.

            `folds` opens all folds, `ending` comes behind the address; `settings` are those of Playwright's contexts.
            """
            viewport = dict(zip(("width", "height"), size, strict=True))
            context = windows.enter_context(browser.new_context(viewport=viewport, **settings))
            context.set_default_timeout(PATIENCE * 1000)
            logs.append(watch(context))
            page = context.new_page()
            page.goto(address(site, name) + ending)
            if settings.get("java_script_enabled", True):
                page.wait_for_function(READY)
                page.evaluate(ALL_SEEN) if seen else None
                page.evaluate(FOLDS_OPEN) if folds else None
            return page

        yield go
        assert [one for log in logs for one in (*log.errors, *log.outside)] == []


def address(site, name) -> str:
    """Return the address of the page `name`, or of a notebook's page by its path."""
    return f"{(site / (name if isinstance(name, str) else f'notebooks/{name.stem}')).as_uri()}.html"


def anew(page, address=None) -> None:
    """Open the page again, or what is at `address`, as if for the first time but for what the browser has stored."""
    address = address or page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_function(READY)
