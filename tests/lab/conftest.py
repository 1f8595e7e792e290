"""The English text, read once."""

import pytest

from posenc_helpers.lab.text import Text, load_text


@pytest.fixture(scope="session")
def text() -> Text:
    return load_text()
