"""Mistakes that notebook 08 must notice."""

from tests.notebooks.mistakes.common import EVALUATION, ROPE, TRAINING, shared

DRAWINGS = "posenc_helpers/lessons/length_extrapolation/pictures.py"
RESULTS = "posenc_helpers/lab/results.py"
SHOOTOUT = "posenc_helpers/lab/shootout.py"
TEXT = "posenc_helpers/lab/text.py"

MISTAKES = [
    # what is compared
    ("T5's second entry learns at the common rate", SHOOTOUT, "Contestant(_t5, rate=8.0)", "Contestant(_t5, rate=1.0)"),
    ("RoPE: only the keys turn", ROPE,
     'return self._turn("q", q, q_positions, k_positions), self', "return q, self"),
    # how it is read
    ("break: below the level", EVALUATION, "losses[:trained].mean() + by", "losses[:trained].mean() - by"),
    ("break: counted from the start of the eight", EVALUATION,
     "return first + OVER // 2 + int(", "return first + int("),
    ("n-grams: counted on the text that they are tested on", TEXT,
     "_grams(text.train, order", "_grams(read, order"),
    ("stored values: of any row that fits in one column", RESULTS,
     "if all(row[key] == value for key", "if any(row[key] == value for key"),
    ("weight of one key: the others forgotten", DRAWINGS, "/ (math.exp(score) + keys - 1)", "/ (math.exp(score) + 1)"),
    # training and tasks
    ("seeds ignored", TRAINING, "        torch.default_generator.manual_seed(seed)", "        0 * seed"),
    # what other notebooks notice, too
    *shared("ALiBi: sign reversed", "loss by position: fewer keys ignored", "differences are always 0",
        "no training step", "recall: the last token", "accuracy: always at 16 tokens"),
]  # fmt: skip
