"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

from posenc_helpers.lessons.relative.pictures import shared_buckets


def buckets(buckets: int, max_distance: int, keys: str, head: str) -> str:
    """Describe `pictures.bucket_explorer`."""
    first, last, shared = shared_buckets(buckets, max_distance, keys == "bidirectional")
    return (
        f"{buckets} {keys} buckets: keys up to {first - 1} back have one each, {first} and {first + 1} share bucket "
        f"{shared}, all from {last} back on share the last; the made-up head ({head}) has one bias a bucket."
    )
