"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

import torch

from posenc_helpers.lessons.naive_encodings.pictures import around, drowned


def codes(encoding: str, length: int, width: int, position: int) -> str:
    """Describe `pictures.codes_explorer`."""
    norm, distance, _ = around(encoding, length, width, position)
    others = torch.arange(length) != position
    nearest = int(distance.masked_fill(~others, torch.inf).argmin())
    equal = int(((distance - distance[nearest]).abs() < 1e-4)[others].sum()) - 1
    too = f" (and of {equal} more)" if equal else ""
    return (
        f"The {encoding} code of {length} positions as a table, its norms, and distances: position {position} has norm "
        f"{norm[position]:.1f}, an embedding {width**0.5:.1f}; the nearest other code is that of {nearest}"
        f"{too}, {distance[nearest]:.2f} away, the farthest {distance.max():.2f}."
    )


def drowning(embedding_size: float, vocabulary: int) -> str:
    """Describe `pictures.drowning_explorer`."""
    word, code, nearest, probe_word, probe_place = drowned(embedding_size, vocabulary)
    return (
        f"Bars for {vocabulary} embeddings of size {embedding_size:g}: a word has norm {word:.2g}, the position code "
        f"{code:.2g}. Shares found: nearest embedding {nearest:.2f}, linear probe for the word {probe_word:.2f}, for the "
        f"place {probe_place:.2f}."
    )
