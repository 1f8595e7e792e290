"""The pages, built once for all tests and all of their processes, with few frames."""

from pathlib import Path

import pytest
from filelock import FileLock

from tools.pages.__main__ import build


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id) -> Path:
    """Return the folder of the pages of all notebooks; several controls away from the start, explorers have no frame."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared if worker_id == "master" else shared.parent  # what the processes of one run have in common
    pages, done = shared / "pages", shared / "pages-done"
    with FileLock(shared / "pages.lock"):
        if not done.exists():
            build(pages, shared / "pages-work", few=True)
            done.touch()
    return pages
