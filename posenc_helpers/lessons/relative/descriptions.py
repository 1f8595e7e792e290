"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

import torch

from posenc_helpers.encodings import t5_buckets
from posenc_helpers.lessons.relative.pictures import shared_buckets


def buckets(buckets: int, max_distance: int, keys: str, head: str) -> str:
    """Describe `pictures.bucket_explorer`."""
    side = t5_buckets(-torch.arange(400), buckets, max_distance, keys == "bidirectional")  # to the left
    first, last = shared_buckets(side)
    return (
        f"{buckets} {keys} buckets: keys up to {first - 1} back have one each, {first} and {first + 1} share bucket "
        f"{side[first]}, all from {last} back on share the last; the made-up head ({head}) has one bias a bucket."
    )
