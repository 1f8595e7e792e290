"""The experiments behind the stored results: each a function of plain values that returns rows, fit for `lab.sweep`.

`tools.results` says which of them are run, with which values, and where their rows are kept.

    on_text.py   models that read text: the shootout, a learned table as it trains, the choice of settings
    on_stretching.py  RoPE stretched to four times its trained length, on text and on recall
    on_depth.py  decoders by depth and training: without positions on text, all on lag
    on_everyone.py  every encoding of the package beyond its trained length; T5 and DeBERTa clipped; T5 and RoPE tuned
    on_hybrids.py  four layers with encodings mixed layer by layer, beyond the trained length
    on_tasks.py  made-up tasks: recall, lag, the scorecard's row, the bias of T5 by distance
    on_codes.py  code vectors as long as the word: what models learn from them, and what they answer case by case
    on_tables.py  a learned table: its ruler by how it starts, and by how long it trains; copied rows
    on_relative.py  what a difference looks up: "3 back" beyond the trained length, Shaw without values
    on_rope_and_alibi.py  RoPE by its base, ALiBi by its slopes: made-up tasks, and ALiBi on text
    on_images.py  pictures: where a shape is, by encoding, at the trained resolution and at others
    on_questions.py  what readers asked for by name: RoPE in place of a trained table
"""

from posenc_helpers.lessons.beyond_text.contestants import ON_IMAGES
from posenc_helpers.lessons.choosing.hybrids import HYBRIDS
from posenc_helpers.lessons.naive_encodings.models import CODES
from tools.experiments.on_codes import naive_codes
from tools.experiments.on_depth import deeper_lag, depth
from tools.experiments.on_everyone import CLIPS, KNOBS, clipped, knobs, lengths
from tools.experiments.on_hybrids import hybrids
from tools.experiments.on_images import new_columns, picture_model, pictures, slower, waves
from tools.experiments.on_questions import swap
from tools.experiments.on_relative import RELATIVE, SMALLER_K, keys_only, smaller_k, three_back
from tools.experiments.on_rope_and_alibi import alibi_lag, read_slopes, rope_base, two_sided
from tools.experiments.on_stretching import CURES, cure_settings, rescue, stretched_recall
from tools.experiments.on_tables import ruler
from tools.experiments.on_tasks import LENGTHS, algorithmic, bias, card, first_row, learned
from tools.experiments.on_text import (
    MANY,
    STRETCH,
    THRESHOLDS,
    fresh,
    language,
    scaled,
    table,
    text_once,
    thresholds,
    tuning,
    twice,
)
