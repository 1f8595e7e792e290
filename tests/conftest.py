"""Fixtures shared by the tests. Property-based tests draw the same examples in every run."""

import pytest
from hypothesis import settings
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tests.browser import chromium, watch

settings.register_profile("course", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("course")


@pytest.fixture
def outputs():
    """The list of everything that is displayed, as in a notebook: dicts with data, metadata, transient, update."""
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)
    shell.display_pub = CapturingDisplayPublisher()
    yield shell.display_pub.outputs
    InteractiveShell.clear_instance()


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def quiet_page(browser):
    """Yield an empty page; at the end its console must hold no error, and nothing may have asked another machine."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        log = watch(context)
        yield context.new_page()
        assert not log.errors and not log.outside
