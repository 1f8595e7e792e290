"""ALiBi with slopes of your own (notebook 07)."""

import torch
from torch import Tensor

from posenc_helpers.encodings import AlibiEncoding


class GivenSlopes(AlibiEncoding):
    """ALiBi with fixed slopes of your own choice, a number a head."""

    def __init__(self, slopes: Tensor):
        self.given = tuple(slopes.tolist())  # first, for AlibiEncoding asks for its slopes as it starts
        super().__init__(len(slopes))

    def _fixed_slopes(self, dtype: torch.dtype, device: torch.device | None) -> Tensor:
        return torch.tensor(self.given, dtype=dtype, device=device)
