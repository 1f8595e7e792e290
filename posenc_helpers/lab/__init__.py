"""What is measured: tasks with known answers, a small training loop, and the scorecard that compares encodings.

Functions that have the name of their file (scorecard, shootout, sweep, beyond, progress) are imported from there.
"""

from posenc_helpers.lab.answers import auc, b_after_a, preference
from posenc_helpers.lab.evaluation import break_position, cumulative, loss_by_position
from posenc_helpers.lab.memory import largest_tensor
from posenc_helpers.lab.models import find_models, load_models
from posenc_helpers.lab.probes import explained, linear_probe, softmax_probe, word_and_code
from posenc_helpers.lab.results import load_results, values_of
from posenc_helpers.lab.rules import examine
from posenc_helpers.lab.scorecard import BEYOND, COLUMNS, learn, shift_sensitivity
from posenc_helpers.lab.shootout import CONTESTANTS, Row, fresh_encoding, reader, train_readers
from posenc_helpers.lab.side_by_side import all_cores
from posenc_helpers.lab.stretching import fine_tune, with_encoding
from posenc_helpers.lab.sweep import grid
from posenc_helpers.lab.tasks import GapTask, LagTask, LanguageTask, OddOneOutTask, OrderTask, RecallTask
from posenc_helpers.lab.text import cut_windows, load_text, ngram_losses
from posenc_helpers.lab.training import accuracy, one_thread, seeded, solver, train
