"""The running scorecard: the same questions put to every encoding, answered by measuring.

Notebook 01 defines the columns; every later notebook adds the row of its method. Columns about code vectors ask what
door 1 adds to the embeddings, and stay empty (None) for encodings that use doors 2 and 3 alone.
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from posenc_helpers.checks import check_count
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.answers import ranking
from posenc_helpers.lab.rules import Build, Entrant, admit, counts_in_storage, still_fair
from posenc_helpers.lab.rules.candidate import parts
from posenc_helpers.lab.tasks import GapTask, OrderTask
from posenc_helpers.lab.training import accuracy, seeded, train
from posenc_helpers.transformer import Attention, TinyTransformer

WIDTH, HEADS, LENGTH = 32, 2, 16  # of the models that are trained

GAP_BATCH = 48  # examples a step of the gap task
ORDER_BATCH, ORDER_SHARE = 24, 0.8  # order is learned sooner than distance, from fewer examples
TRAINED = ("order", "distance", "ranked")  # columns that differ from seed to seed
ENDS = {"lowest": min, "highest": max}
# Column -> (the question, what the number is, what would be ideal)
COLUMNS = {
    "unique": ("Do two positions ever share a code?", "smallest distance between two of 64 codes", "well above 0"),
    "consistent": (
        "Is position 5 the same in a longer text?",
        "largest change of a code when 32 tokens become 64",
        "0",
    ),
    "bounded": (
        "Do the codes stay small?",
        "largest |value| up to position 4095, or the last that the encoding has",
        "about 1",
    ),
    "shift": ("Does the output ignore where the text starts?", "largest change when all positions move by 32", "0"),
    "order": ("Can a model learn which came first?", "accuracy on the order task, 16 tokens", "1.00"),
    "distance": ("Can it learn 'B is 3 after A'?", "accuracy on the gap task, 16 tokens", "1.00"),
    "ranked": (
        "Does that hold on longer texts?",
        "how often a yes is ranked above a no among texts of 32 tokens with B after A, trained on 16 (AUC; 0.50: no better "
        "than knowing the order)",
        "1.00",
    ),
    "parameters": ("What does it cost?", "trained numbers at width 64, 2 heads, 64 positions", "0"),
}
# What notebook 11 adds: causal models beyond the trained length, of two layers. `lab.beyond` measures them.
BEYOND = {
    "language 1x": (
        "How well does it read at the trained length?",
        "loss (nats) over 32 characters, trained on 32",
        "low",
    ),
    "language 4x": ("And at four times that?", "loss (nats) over 128 characters, trained on 32", "as at 1x"),
    "recall 4x": (
        "Does it find the first token there?",
        "accuracy on first-token recall, 64 tokens, trained on 16",
        "1.00",
    ),
}


def codes(encoding: PositionalEncoding, positions: Tensor, width: int) -> Tensor | None:
    """Return what door 1 adds at `positions` (L,): the code vectors (L, width), or None if door 1 stays shut."""
    zeros = torch.zeros(1, len(positions), width)
    with torch.no_grad():
        added = encoding.embed(zeros, positions)[0]  # (L, width)
    return added if added.any() else None


@torch.no_grad()
def shift_sensitivity(encoding: PositionalEncoding, width: int, heads: int, shift: int = 32) -> float:
    """Return the largest change of an attention layer's output for 32 tokens when all positions move by `shift`.

    The layer is random and the change is given in standard deviations of its output. Of a PerLayer it is the largest of
    its layers. An encoding that counts where tokens are stored is moved by as many tokens in front, which a mask hides.
    """
    in_storage = counts_in_storage(encoding, width, heads) is not None
    length = 32
    x = torch.randn(1, length, width, generator=Generator().manual_seed(1))  # (1, L, d)
    here, there = torch.arange(length), torch.arange(length) + shift
    place = torch.arange(shift + length)
    seen = (place >= shift).expand(shift + length, -1)
    changes = []
    for own in parts(encoding):  # a layer uses doors 2 and 3 of its own; door 1 is that of the whole
        with seeded(0):
            layer = Attention(width, heads, own)
        before = layer(encoding.embed(x, here), here)
        if in_storage:
            stored = torch.cat([torch.zeros(1, shift, width), x], dim=1)  # (1, shift + L, d)
            after = layer(encoding.embed(stored, place), place, seen)[:, shift:]
        else:
            after = layer(encoding.embed(x, there), there)
        changes.append(((before - after).abs().max() / before.std()).item())
    return max(changes)


def trained(build: Build, task, batch: int, steps: int, seed: int) -> TinyTransformer:
    """Return the model of one training of `learn`: one bidirectional layer (those of a PerLayer), trained on 16 tokens."""
    with seeded(seed):
        encoding = build(WIDTH, HEADS, 2 * LENGTH)
        model = TinyTransformer(
            task.vocabulary, WIDTH, HEADS, len(parts(encoding)), encoding, causal=False, outputs=task.classes
        )
    train(model, task, LENGTH, steps=steps, batch=batch, seed=seed, label=None)
    return still_fair(model)


def learn(build: Build | Entrant, seeds: Sequence[int] = (0,), steps: int = 300) -> dict[str, list[float]]:
    """Train one-layer bidirectional models on the order and gap tasks, 16 tokens; return accuracies, one a seed.

    Keys: "order" and "distance" at 16 tokens, "order beyond" and "beyond" at 32, and "ranked": `answers.ranking` at 32.
    About 2 s a seed on one core.
    Raises ValueError without a seed, for `steps` below 1, what `rules.admit` refuses, and what has learned to look at
    the future; TypeError as `rules.builder` does.
    """
    if not seeds:
        raise ValueError(f"seeds={seeds} must hold at least one seed")
    found: dict[str, list[float]] = {name: [] for name in ("order", "order beyond", "distance", "beyond", "ranked")}
    check_count("steps", steps)
    entrant = admit(build, (WIDTH, HEADS, 2 * LENGTH), least=2 * LENGTH)
    tasks = (
        (OrderTask(), "order", "order beyond", ORDER_BATCH, ORDER_SHARE),
        (GapTask(), "distance", "beyond", GAP_BATCH, 1.0),
    )
    for task, near, far, batch, share in tasks:
        for seed in seeds:
            model = trained(entrant.build, task, batch, max(1, int(share * steps)), seed)
            found[near].append(accuracy(model, task, LENGTH))
            found[far].append(accuracy(model, task, 2 * LENGTH))
            if isinstance(task, GapTask):
                found["ranked"].append(ranking(model, task, 2 * LENGTH))
    return found


def scorecard(build: Build, learned: dict[str, list[float]] | None = None) -> dict[str, float | int | None]:
    """Measure every column for the encoding that `build(width, heads, length)` makes: {column: number or None}.

    `build` may also be a class (see `rules.builder`). None means that the question does not apply: door 1 stays shut, so
    there are no code vectors. What training decides is the mean over the seeds of `learned` (by default `learn` of one
    seed); "order lowest", "order highest" and so on say how far the seeds lie apart.
    Raises ValueError for an encoding that ends before 64 positions and for what `rules.admit` refuses, TypeError as
    `rules.builder` does.
    """
    width = 2 * WIDTH  # 64 columns, so that a one-hot code of 64 positions fits
    entrant = admit(build, (width, HEADS, 64), least=64)
    end = entrant.reach
    if entrant.stored:
        print(f"{entrant.name}: {entrant.stored}")

    def fresh() -> PositionalEncoding:
        with seeded(0):
            return entrant.build(width, HEADS, 64)

    def code(length: int) -> Tensor | None:
        return codes(fresh(), torch.arange(length), width)

    short, long, far, encoding = code(32), code(64), code(end), fresh()
    learned = learn(entrant) if learned is None else learned
    return {
        "unique": None if long is None else torch.pdist(long).min().item(),
        "consistent": None if long is None else (short - long[: len(short)]).abs().max().item(),
        "bounded": None if far is None else far.abs().max().item(),
        "shift": shift_sensitivity(encoding, width, HEADS),
        **{column: sum(learned[column]) / len(learned[column]) for column in TRAINED},
        "parameters": sum(p.numel() for p in encoding.parameters()),
        **{f"{column} {end}": pick(learned[column]) for column in TRAINED for end, pick in ENDS.items()},
    }
