"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

import torch

from posenc_helpers.encodings import t5_buckets
from posenc_helpers.lessons.relative.pictures import shared_buckets


def buckets(buckets: int, max_distance: int, keys: str, head: str) -> str:
    """Describe `pictures.bucket_explorer`."""
    both = keys == "bidirectional"
    first, last, shared = shared_buckets(buckets, max_distance, both)
    many = int((t5_buckets(-torch.arange(400), buckets, max_distance, both) == shared).sum())
    sharing = f"{first} to {first + many - 1} share bucket {shared}, " if first < last else ""
    return (
        f"{buckets} {keys} buckets: keys 0 to {first - 1} back have one each, {sharing}all from {last} back on share the "
        f"last; the made-up head ({head}) has one bias a bucket."
    )
