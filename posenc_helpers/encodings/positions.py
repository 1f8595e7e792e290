"""Position ids in real batches: padding, packing and key caches.

    mask           . . 1 1 1     1 1 1 . .     1 . 1 1 .     True = a real token
    position_ids   0 0 0 1 2     0 1 2 0 0     0 0 1 2 0     real tokens are counted, padding gets an id that exists

The widespread `cumsum(mask) * mask - 1` puts -1 on padding: nn.Embedding raises, NumPy silently takes the last row.
Two conventions of released models are settings of the same function:
    RoBERTa, fairseq   start = padding_index + 1, padding_id = padding_index   (514 rows hold 512 positions)
    OPT                start = 2, padding_id = 1   (arXiv 2205.01068)
"""

import torch
from torch import Tensor

from posenc_helpers.checks import check_count, whole_positions


def _check_mask(mask: Tensor) -> None:
    """Refuse a padding mask unless it is boolean and (B, L)."""
    if not isinstance(mask, Tensor) or mask.dtype is not torch.bool:
        kind = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a boolean tensor, True = a real token; got {kind}")
    if mask.ndim != 2:
        raise ValueError(f"mask has shape {tuple(mask.shape)}; allowed: (B, L)")


def position_ids(mask: Tensor, start: int = 0, padding_id: int = 0) -> Tensor:
    """Count the real tokens of every row: mask (B, L), True = real -> ids (B, L), wherever the padding is.

    Real tokens get start, start + 1 ...; padding gets `padding_id`, any row that exists, since the mask hides it.
    Raises TypeError for a mask that is not boolean, ValueError for another shape or a negative number.
    Source: fairseq's `make_positions`.
    """
    _check_mask(mask)
    check_count("start", start, least=0)
    check_count("padding_id", padding_id, least=0)
    return (mask.cumsum(dim=-1) - 1 + start).masked_fill(~mask, padding_id)  # (B, L)


def next_position_ids(mask: Tensor, new: int = 1, start: int = 0) -> Tensor:
    """Continue after a cached prompt: mask (B, L) of the prompt -> ids (B, new), counted on from its *real* tokens.

    Raises what `position_ids` raises, and ValueError for `new` below 1.
    """
    _check_mask(mask)
    check_count("new", new)
    check_count("start", start, least=0)
    return start + mask.sum(dim=-1, keepdim=True) + torch.arange(new, device=mask.device)  # (B, new)


def roberta_position_ids(tokens: Tensor, padding_index: int = 1) -> Tensor:
    """Number tokens (B, L) as RoBERTa does: from padding_index + 1, and padding_index on padding.

    Raises TypeError for tokens that are not integers, ValueError for another shape or a negative `padding_index`.
    Source: Liu et al. 2019 (arXiv 1907.11692); fairseq's `make_positions`.
    """
    check_count("padding_index", padding_index, least=0)
    real = whole_positions(tokens, "tokens") != padding_index
    return position_ids(real, start=padding_index + 1, padding_id=padding_index)


def packed_position_ids(documents: Tensor) -> tuple[Tensor, Tensor]:
    """Number packed documents: documents (B, L) -> ids (B, L) and the mask (B, L, L) that must go with them.

    `documents` holds the number of the document of every token, -1 (any negative number) for padding; a change of
    number starts a new document. Ids restart at 0 in each; the mask is True within a document.
    Raises TypeError for documents that are not integers, ValueError for another shape.
    Source: Krell et al. 2021 (arXiv 2107.02027).
    """
    documents = whole_positions(documents, "documents")
    if documents.ndim != 2:
        raise ValueError(f"documents has shape {tuple(documents.shape)}; allowed: (B, L)")
    starts = torch.ones_like(documents, dtype=torch.bool)
    starts[:, 1:] = documents[:, 1:] != documents[:, :-1]  # (B, L)
    index = torch.arange(documents.shape[1], device=documents.device)
    start = index.where(starts, 0).cummax(dim=-1).values  # (B, L) where the token's document starts
    real = documents >= 0
    mask = (start[:, :, None] == start[:, None, :]) & real[:, :, None] & real[:, None, :]  # (B, L, L)
    return (index - start).masked_fill(~real, 0), mask
