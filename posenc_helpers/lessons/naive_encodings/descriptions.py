"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

import torch

from posenc_helpers.lessons.naive_encodings.pictures import around, drowned


def codes(encoding: str, length: int, width: int, position: int) -> str:
    """Describe `pictures.codes_explorer`."""
    norm, distance, _ = around(encoding, length, width, position)
    others = distance[torch.arange(length) != position]
    return (
        f"The {encoding} code of {length} positions as a table, its norms, and distances: position {position} has norm "
        f"{norm[position]:.1f}, {norm[position] / width**0.5:.2g} times that of an embedding; the nearest other code is "
        f"{_codes_at(distance, others.min(), position)}, the farthest {_codes_at(distance, others.max(), position)}."
    )


def _codes_at(distance: torch.Tensor, wanted: torch.Tensor, position: int) -> str:
    """Say which codes, but for that of `position` itself, stand at a distance: "that of 15 (and of 5 more), 1.00 away"."""
    found = [k for k in ((distance - wanted).abs() < 1e-4).nonzero().flatten().tolist() if k != position]
    too = f" (and of {len(found) - 1} more)" if len(found) > 1 else ""
    return f"that of {found[0]}{too}, {wanted:.2f} away"


def drowning(embedding_size: float, vocabulary: int) -> str:
    """Describe `pictures.drowning_explorer`."""
    word, code, nearest, probe_word, probe_place = drowned(embedding_size, vocabulary)
    return (
        f"Bars for {vocabulary} embeddings of size {embedding_size:g}: a word has norm {word:.2g}, the position code "
        f"{code:.2g}. Shares found: nearest embedding {nearest:.2f}, linear probe for the word {probe_word:.2f}, for the "
        f"place {probe_place:.2f}."
    )
