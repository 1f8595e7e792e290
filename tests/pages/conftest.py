"""The pages, built once for all tests and all of their processes, with few frames."""

from pathlib import Path

import pytest

from tools.pages.__main__ import build

# What a prediction keeps shut, shown.
ALL_SEEN = "document.querySelectorAll('.unseen').forEach(part => part.removeAttribute('hidden'))"


@pytest.fixture(scope="session")
def site(built) -> Path:
    """Return the folder of the pages of all notebooks; several controls away from the start, explorers have no frame."""
    return built("pages", build)


@pytest.fixture
def opened(site, quiet_page):
    """A function that opens a page of the site, named without its ending, and returns it."""

    def go(name):
        quiet_page.goto(f"{(site / name).as_uri()}.html")
        quiet_page.evaluate(ALL_SEEN)
        return quiet_page

    return go
