"""What a model answers, case by case: an accuracy below a baseline does not say what the model knows."""

from torch import Generator, Tensor

from posenc_helpers.checks import check_count
from posenc_helpers.lab.tasks import GapTask
from posenc_helpers.lab.training import answer_logits, one_thread
from posenc_helpers.transformer import TinyTransformer

FRESH = 1_000_000  # a seed that nothing was trained with


@one_thread()
def preference(model: TinyTransformer, tokens: Tensor) -> Tensor:
    """Return by how much `model` prefers yes to no for tokens (B, L): a logit difference (B,), above 0 where it says yes.

    Raises ValueError for a model that has not two outputs.
    """
    if model.head.out_features != 2:
        raise ValueError(f"model has {model.head.out_features} outputs; allowed: 2, no and yes")
    logits = answer_logits(model, tokens, once=True)  # (B, 2)
    return logits[:, 1] - logits[:, 0]


def auc(scores: Tensor, labels: Tensor) -> float:
    """Return how often a random example with label 1 has a higher score than one with label 0: 0.5 if scores say nothing.

    The area under the ROC curve, from scores (B,) and labels (B,) of 0 and 1; a tie counts one half. It does not depend
    on where yes begins, as an accuracy does. Raises ValueError where one of the labels is missing.
    """
    yes, no = scores[labels == 1], scores[labels == 0]
    if not len(yes) or not len(no):
        raise ValueError(f"labels holds {len(yes)} ones and {len(no)} zeros; allowed: at least one of each")
    higher = (yes[:, None] > no).double() + 0.5 * (yes[:, None] == no)  # (yes, no)
    return higher.mean().item()


def b_after_a(tokens: Tensor) -> Tensor:
    """Return in which texts (B, L) of `GapTask` the mark B comes after A: True or False (B,)."""
    a, b = ((tokens == mark).int().argmax(dim=1) for mark in (GapTask.first_mark, GapTask.second_mark))
    return b > a


def ranking(model: TinyTransformer, task, length: int, examples: int = 1000) -> float:
    """Return the `auc` of a model of `GapTask`, among the texts with B after A of those that `accuracy` draws.

    A model that knows the order alone gets 0.5 there; one that says "B soon after A", and nothing of 3, gets 0.87.
    Raises ValueError for counts below 1, a length too short for the task, too few examples for both labels, a model
    without two outputs.
    """
    check_count("examples", examples)
    tokens, labels = task.sample(examples, length, Generator().manual_seed(FRESH))  # (B, L), (B,)
    scores, after = preference(model, tokens), b_after_a(tokens)  # (B,) each
    return auc(scores[after], labels[after])
