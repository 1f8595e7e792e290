"""What each explorer of this notebook shows at its settings, in a sentence with the numbers."""

from collections.abc import Callable

from torch import Tensor

from posenc_helpers.lessons.learned.pictures import measured


def training(tables: dict[int, Tensor], losses: list[float]) -> Callable[[int], str]:
    """Return the description of `pictures.training_explorer` of these tables and losses."""

    def describe(step: int) -> str:
        _, (size, near, far) = measured(tables[step])
        recent = losses[max(0, step - 10) : step] or losses[:1]
        return (
            f"A learned table, the similarity of its rows, and the loss, after {step} steps: values have standard "
            f"deviation {size}; rows 1 apart have cosine {near}, rows 16 apart {far}; the loss is "
            f"{sum(recent) / len(recent):.2f} nats."
        )

    return describe
