"""Fixtures shared by the tests. Property-based tests draw the same examples in every run."""

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tests.browser import chromium, quiet

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
    """An empty page that must stay without errors and requests for other machines."""
    with quiet(browser, width=1280, height=900) as page:
        yield page


@pytest.fixture(scope="session")
def shared(tmp_path_factory, worker_id) -> Path:
    """The folder that the processes of one run have in common."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@pytest.fixture(scope="session")
def built(shared) -> Callable[..., Path]:
    """A function that returns the folder `name` of what `build` makes, made by the first process that asks for it.

    Pages and slides keep their frames, few of all, in the same place.
    """

    def once(name: str, build: Callable, **settings) -> Path:
        made, done = shared / name, shared / f"{name}-done"
        with FileLock(shared / "pages.lock"):
            if not done.exists():
                build(made, shared / "pages-work", few=True, **settings)
                done.touch()
        return made

    return once
