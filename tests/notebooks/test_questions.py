"""QUESTIONS.md: it is what `python -m tools.questions` writes, covers what readers ask, and its cells show every answer."""

import re

import pytest

from tests.notebooks.reading import PATHS, read
from tools.questions import PAGE, claims, load_questions, page, places, printed, rows

# What readers of courses and users of the code ask, gathered from public threads: none may lose its answer.
ASKED = """
    add-or-append word-drowned equivariant causal-order pair-index sines-first sine-and-cosine base-10000
    flat-columns shift-matrix wrap-around different-speeds after-layer-1 dot-product sinusoids-any-length
    learned-table index-out-of-range rows-514 padding-ids t5-bias rope-layout rope-direction rope-values rope-decay
    partial-rotary rope-cache stretching ten-times-base alibi-printed alibi-slopes alibi-encoder-cache swin-index
    vit-resolution odd-width mask-and-bias half-precision compile-export old-checkpoint batched-generation is-causal
    fixed-maximum last-row ids-from-0 swap qk-norm before-w cross-attention latent-attention joining restarted-ids
    bf16-relative alibi-and-rope yarn-short max-positions stretch-twice tune-short held-distance rope-resolution
    real-model which-pairs first-token layout-or-base
"""
QUESTIONS = load_questions()
CELLS = {path.name[:2]: {cell_id: cell for cell_id, (_, cell) in places(read(path)).items()} for path in PATHS}
NUMBER = re.compile(r"(?<![\w.^])(?<!\w-)\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w^-])")


def numbers(text: str) -> list[str]:
    """Return the numbers in `text`, without `code`, names such as T5, and words such as 2-D."""
    return [number.rstrip(",").replace(",", "") for number in NUMBER.findall(re.sub(r"`[^`]*`", "", text))]


def is_there(number: str, text: str) -> bool:
    """Whether `text` holds `number`, or one that rounds to it."""
    decimals = len(number.partition(".")[2])
    return any(float(number) in (float(n), round(float(n), decimals)) for n in numbers(text.replace("`", " ")))


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(QUESTIONS), "run `python -m tools.questions`"


def test_every_question_that_is_asked_has_a_cell_with_a_claim():
    assert {question.id for question in QUESTIONS if any(claim for *_, claim in question.shown)} == {*ASKED.split()}
    assert len({question.question for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_its_cells_print_the_claims_or_show_a_figure_and_hold_the_numbers_of_the_answer(question):
    assert len(set(question.shown)) == len(question.shown)
    for notebook, cell_id, claim in question.shown:
        cell = CELLS[notebook][cell_id]
        if claim:
            assert claim in claims(cell), f"{notebook} {cell_id} prints {list(claims(cell))}"
        else:
            assert "Figure. " in printed(cell), f"{notebook} {cell_id} shows no figure: name a claim"
    cells = [CELLS[notebook][cell_id] for notebook, cell_id, _ in question.shown]
    shown = " ".join(
        [question.question, *(f"{cell.source}\n{printed(cell)}" for cell in cells)]
    )  # settings and results
    assert [number for number in numbers(question.answer) if not is_there(number, shown)] == []
    assert len(question.answer.split()) <= 60


def test_topic_question_and_answer_stand_in_the_first_row_of_a_question_and_only_there():
    last, done = None, set()
    for row in rows():
        assert None not in row and None not in row.values() and row["notebook"] and row["cell"], row
        texts, first = [row["topic"], row["question"], row["answer"]], row["id"] != last
        assert all(texts) if first else not any(texts), row
        assert row["id"] and not (first and row["id"] in done), row
        last = row["id"]
        done.add(last)
