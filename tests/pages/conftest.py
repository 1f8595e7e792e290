"""The pages, built once for all tests and all of their processes, with few frames."""

from pathlib import Path

import pytest

from tools.pages.__main__ import build


@pytest.fixture(scope="session")
def site(built) -> Path:
    """Return the folder of the pages of all notebooks; several controls away from the start, explorers have no frame."""
    return built("pages", build)
