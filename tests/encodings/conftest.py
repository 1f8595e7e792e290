"""Every test of this folder starts from the same random numbers."""

import pytest
import torch


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(11)
