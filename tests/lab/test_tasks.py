"""Labels by brute force, balance, chance levels, the same examples from the same seed."""

import pytest
import torch
from torch import Generator, Tensor

from posenc_helpers.lab.tasks import NOT_ASKED, GapTask, LagTask, LanguageTask, OddOneOutTask, OrderTask, RecallTask
from tests.refused import refused

TASKS = {"order": OrderTask(), "gap": GapTask(), "gap of 5": GapTask(5), "odd one out": OddOneOutTask()}
MARKED = {name: task for name, task in TASKS.items() if isinstance(task, OrderTask)}
# Tasks with an answer at every token. The text has symbols 0 to 4, of which 2 is the commonest; 4 closes it.
PART = torch.cat([torch.randint(3, (400,), generator=Generator().manual_seed(0)), torch.tensor([2] * 98 + [3, 4])])
PER_TOKEN = {"lag": LagTask(), "lag of 5": LagTask(5), "recall": RecallTask(), "language": LanguageTask(PART, 5)}
MANY = 8000  # examples; the standard error of a share is at most 0.0056


def draw(task, batch: int = MANY, length: int = 16, seed: int = 0) -> tuple[Tensor, Tensor]:
    return task.sample(batch, length, Generator().manual_seed(seed))


def places(text: list[int], task) -> tuple[int, int]:
    """Where the two marks stand; each must be there exactly once."""
    assert text.count(task.first_mark) == text.count(task.second_mark) == 1
    return text.index(task.first_mark), text.index(task.second_mark)


def answer(text: list[int], task) -> int:
    """The right label, by looking."""
    if isinstance(task, OddOneOutTask):
        (odd,) = [token for token in set(text) if text.count(token) == 1]
        assert len(set(text)) == 2
        return odd
    first, second = places(text, task)
    return int(second - first == task.gap) if isinstance(task, GapTask) else int(second < first)


@pytest.mark.parametrize("length", ["shortest", 7, 33])
@pytest.mark.parametrize("name", TASKS)
def test_labels_are_right_at_every_length(name, length):
    task = TASKS[name]
    length = task.shortest if length == "shortest" else length
    tokens, labels = draw(task, batch=500, length=length)
    assert tokens.shape == (500, length) and labels.shape == (500,)
    assert tokens.dtype == labels.dtype == torch.int64
    assert tokens.min() >= 0 and tokens.max() < task.vocabulary
    assert labels.tolist() == [answer(text, task) for text in tokens.tolist()]
    assert len(set(labels.tolist())) == task.classes  # every answer occurs, at the shortest length too


@pytest.mark.parametrize("name", MARKED)
def test_every_allowed_pair_of_places_is_as_likely_and_so_is_noise(name):
    task, length = MARKED[name], 8
    tokens, labels = draw(task, length=length)
    for label in (0, 1):
        texts = tokens[labels == label].tolist()
        seen = torch.zeros(length, length)
        for text in texts:
            seen[places(text, task)] += 1
        allowed = torch.zeros(length, length)
        for first in range(length):
            for second in range(length):
                yes = second - first == task.gap if isinstance(task, GapTask) else second < first
                allowed[first, second] = float(first != second and yes == bool(label))
        assert (seen[allowed == 0] == 0).all()
        share = seen[allowed == 1] / len(texts) * allowed.sum()
        assert (share - 1).abs().max() < 5 * (allowed.sum() / len(texts)).sqrt()  # 5 standard errors
        told = tokens[labels == label].flatten().bincount(minlength=6)[: task.noise]
        assert (task.noise * told / told.sum() - 1).abs().max() < 0.05, "the noise says nothing of the answer"


def answers(text: list[int], task) -> list[int]:
    """The right labels, by looking; for a text the last one is not in sight."""
    if isinstance(task, RecallTask):
        return [NOT_ASKED] + [text[0] for _ in text[1:]]
    return [text[place - task.lag] if place >= task.lag else NOT_ASKED for place in range(len(text))]


@pytest.mark.parametrize("length", ["shortest", 7, 16, 33])
@pytest.mark.parametrize("name", [name for name in PER_TOKEN if name != "language"])
def test_labels_of_every_token_are_right_at_every_length(name, length):
    task = PER_TOKEN[name]
    length = task.shortest if length == "shortest" else length
    tokens, labels = draw(task, batch=500, length=length)
    assert tokens.shape == labels.shape == (500, length) and tokens.dtype == labels.dtype == torch.int64
    assert labels.tolist() == [answers(text, task) for text in tokens.tolist()]
    assert (labels != NOT_ASKED).any(dim=1).all()  # every text asks something
    assert set(tokens.flatten().tolist()) == set(range(task.vocabulary))
    assert set(labels[labels != NOT_ASKED].tolist()) == set(range(task.classes))


@pytest.mark.parametrize("length", [1, 2, 7, 499])
def test_a_text_is_read_in_windows_from_anywhere_in_it_and_labels_are_what_comes_next(length):
    task, text = PER_TOKEN["language"], PART.tolist()
    tokens, labels = draw(task, batch=6000, length=length)
    assert tokens.shape == labels.shape == (6000, length)
    windows = {tuple(text[start : start + length + 1]) for start in range(len(text) - length)}
    drawn = {(*window, after[-1]) for window, after in zip(tokens.tolist(), labels.tolist(), strict=True)}
    assert drawn == windows  # all of them, the first and the last too
    assert torch.equal(labels[:, :-1], tokens[:, 1:])


@pytest.mark.parametrize("name", [*TASKS, *PER_TOKEN])
def test_every_answer_is_as_frequent_and_chance_is_what_the_best_constant_gets(name):
    task = (TASKS | PER_TOKEN)[name]
    _, labels = draw(task)
    asked = labels[labels != NOT_ASKED]
    shares = asked.bincount(minlength=task.classes) / len(asked)
    assert shares.max() == pytest.approx(task.chance, abs=0.025)
    if name == "language":
        assert shares.argmax() == 2 and task.chance == PART.tolist().count(2) / 500 > 0.4
    else:
        assert task.chance == 1 / task.classes and shares.min() == pytest.approx(task.chance, abs=0.025)


@pytest.mark.parametrize("name", ["lag", "lag of 5", "recall"])
def test_only_the_token_asked_for_tells_the_answer(name):
    """Guess from the token at each other place, by the commonest answer beside it: no better than chance."""
    task, length = PER_TOKEN[name], 9
    tokens, labels = draw(task, length=length)
    for asked in range(task.shortest - 1, length):
        for place in range(length):
            beside = torch.zeros(8, 8)
            beside.index_put_((tokens[:, place], labels[:, asked]), torch.tensor(1.0), accumulate=True)
            right = beside.amax(dim=1).sum().item() / MANY
            told = place == (0 if name == "recall" else asked - task.lag)
            assert right == 1 if told else right < task.chance + 0.05


@pytest.mark.parametrize("name", [*TASKS, *PER_TOKEN])
def test_the_seed_decides_and_nothing_else(name):
    task = (TASKS | PER_TOKEN)[name]
    before = torch.get_rng_state()
    first = draw(task, batch=20, seed=3)
    torch.manual_seed(1)
    second, other = draw(task, batch=20, seed=3), draw(task, batch=20, seed=4)
    torch.set_rng_state(before)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert not torch.equal(first[0], other[0])
    generator = Generator().manual_seed(3)
    task.sample(20, 16, generator)
    assert not torch.equal(task.sample(20, 16, generator)[0], first[0])  # the next batch is another one
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("name", [*TASKS, *PER_TOKEN])
def test_bad_input(name):
    task, generator = (TASKS | PER_TOKEN)[name], Generator()
    with pytest.raises(ValueError, match=f"length={task.shortest - 1} must be at least {task.shortest}"):
        task.sample(4, task.shortest - 1, generator)
    with pytest.raises(ValueError, match="batch=0"):
        task.sample(0, 16, generator)


test_bad_settings = refused(
    (lambda: GapTask(0), "gap=0"),
    (lambda: LagTask(-3), "lag=-3"),
    (lambda: LagTask(1.5), r"lag=1\.5", TypeError),
    (lambda: draw(PER_TOKEN["language"], 4, 500), "length=500 must stay below the 500 characters"),
    (lambda: LanguageTask(PART, 4), "vocabulary=4 must be above the largest token of part, 4"),
)
