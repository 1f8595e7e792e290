"""The pages, built once for all tests and all of their processes, with few frames."""

from pathlib import Path

import pytest
from filelock import FileLock

from tools.pages.__main__ import build


@pytest.fixture(scope="session")
def shared(tmp_path_factory, worker_id) -> Path:
    """Return the folder that the processes of one run have in common."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@pytest.fixture(scope="session")
def site(shared) -> Path:
    """Return the folder of the pages of all notebooks; several controls away from the start, explorers have no frame."""
    return built(shared, "pages")


def built(shared: Path, name: str, **settings) -> Path:
    """Return the folder `name` of pages built with `settings`, by the first process that asks for it."""
    pages, done = shared / name, shared / f"{name}-done"
    with FileLock(shared / "pages.lock"):
        if not done.exists():
            build(pages, shared / "pages-work", few=True, **settings)
            done.touch()
    return pages
