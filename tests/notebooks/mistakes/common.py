"""What the tables of mistakes share: the files, and the mistakes in measuring that several notebooks must notice."""

BASE = "posenc_helpers/encodings/base.py"
CHECKS = "posenc_helpers/checks.py"
CLAIMS = "posenc_helpers/classroom/claims.py"
NAIVE = "posenc_helpers/encodings/naive.py"
SCORECARD = "posenc_helpers/lab/scorecard.py"
SINUSOIDAL = "posenc_helpers/encodings/sinusoidal.py"
TASKS = "posenc_helpers/lab/tasks.py"
TRAINING = "posenc_helpers/lab/training.py"
TRANSFORMER = "posenc_helpers/transformer.py"

DOOR_1_SHUT = (
    "door 1 never opened", TRANSFORMER,
    "self.encoding.embed(self.embedding(tokens), positions)", "self.embedding(tokens)",
)  # fmt: skip

# For every notebook that trains on the tasks and reads a scorecard.
MEASURING = [
    ("differences are always 0", CLAIMS, "return (left - right).abs().max()", "return 0 * (left - right).abs().max()"),
    ("no training step", TRAINING, "        optimizer.step()\n", ""),
    ("accuracy: always at 16 tokens", TRAINING, "task.sample(examples, length, Gen", "task.sample(examples, 16, Gen"),
    ("gap task: the label has nothing to do with the gap", TASKS,
     "labels[:, None].bool(), right", "labels[:, None].bool() & False, right"),
    ("ranked: measured at the trained length", SCORECARD,
     "ranking(model, task, 2 * LENGTH)", "ranking(model, task, LENGTH)"),
]  # fmt: skip
