"""Mistakes that notebook 11 must notice."""

from tests.notebooks.mistakes.common import shared

COSTS = "posenc_helpers/lab/costs.py"
PUBLISHED = "posenc_helpers/lessons/choosing/costs.py"
RESULTS = "posenc_helpers/lab/results.py"
STRETCHING = "posenc_helpers/lab/stretching.py"
MODELS = "posenc_helpers/lab/models.py"

MISTAKES = [
    # what is stored, and how it is read
    ("stored numbers: halves", RESULTS, "return number if math.isfinite(number) else text",
     "return number / 2 if math.isfinite(number) else text"),
    ("stored numbers stay text", RESULTS, "    for kind in (int, float):\n", "    for kind in ():\n"),
    ("models: the method of every row is none", MODELS,
     "return _READ[kind](text) if text else None",
     "return 'none' if column == 'method' else _READ[kind](text) if text else None"),
    # costs
    ("RoPE turns every pair of tokens", COSTS, "(0, length * head_width, 6 * length * width)",
     "(0, length * head_width, 6 * pairs * width)"),
    ("a layer of one projection", COSTS, "return 12 * width**2", "return width**2"),
    ("Shaw multiplies once a pair of tokens", COSTS, "vectors = 2 * (2 * CLIP + 1) * length * width",
     "vectors = 2 * pairs * width"),
    ("published: NoPE and RoPE exchanged", PUBLISHED, '"nope": [(1024, 2.666)', '"nope": [(1024, 1.0)'),
    # training and reading on
    ("fine-tuning changes nothing", STRETCHING, "    tuned = copy.deepcopy(model)\n    task",
     "    return copy.deepcopy(model)\n    task"),
    # what other notebooks notice, too
    *shared("no training step", "the next character is the last one", "door 3 never opened",
        "another encoding never reaches the layers"),
]  # fmt: skip
