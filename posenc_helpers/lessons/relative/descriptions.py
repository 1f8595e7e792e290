"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

from posenc_helpers.lessons.relative.pictures import shared_buckets


def buckets(buckets: int, max_distance: int, keys: str, head: str) -> str:
    """Describe `pictures.bucket_explorer`."""
    first, end, last, shared = shared_buckets(buckets, max_distance, keys == "bidirectional")
    sharing = f"{first} to {end} share bucket {shared}, " if first < last else ""
    return (
        f"{buckets} {keys} buckets: keys 0 to {first - 1} back have one each, {sharing}all from {last} back on share the "
        f"last; the made-up head ({head}) has one bias a bucket."
    )
