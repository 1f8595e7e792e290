"""The experiments behind the stored results: each a function of plain values that returns rows, fit for `lab.sweep`.

`tools.results` says which of them are run, with which values, and where their rows are kept.

    on_text.py   models that read text: the shootout, the choice of settings
    on_stretching.py  RoPE stretched to four times its trained length, on text and on recall; RoPE in place of a table
    on_depth.py  decoders by depth and training: without positions on text, all on lag
    on_everyone.py  beyond the trained length: every encoding of the package, mixtures layer by layer, T5 and others tuned
    on_tasks.py  made-up tasks: recall, lag, the bias of T5, codes as long as the word, the scorecard's row
    on_tables.py  a learned table: how alike its rows become as it trains, its ruler, copied rows
    on_relative.py  what a difference looks up: "3 back" beyond the trained length, Shaw without values
    on_rope_and_alibi.py  RoPE by its base, ALiBi by its slopes: made-up tasks, and ALiBi on text
    on_images.py  pictures: where a shape is, by encoding, at the trained resolution and at others
    common.py    what they share
"""

from posenc_helpers.lessons.beyond_text.contestants import ON_IMAGES
from posenc_helpers.lessons.choosing.hybrids import HYBRIDS
from posenc_helpers.lessons.naive_encodings.models import CODES
from tools.experiments.on_depth import deeper_lag, depth
from tools.experiments.on_everyone import clipped, hybrids, knobs, lengths
from tools.experiments.on_images import new_columns, picture_model, pictures, slower, waves
from tools.experiments.on_relative import RELATIVE, SMALLER_K, keys_only, smaller_k, three_back
from tools.experiments.on_rope_and_alibi import alibi_lag, read_slopes, rope_base, two_sided
from tools.experiments.on_stretching import CURES, cure_settings, rescue, stretched_recall, swap
from tools.experiments.on_tables import ruler, table
from tools.experiments.on_tasks import LENGTHS, algorithmic, bias, card, first_row, learned, naive_codes
from tools.experiments.on_text import THRESHOLDS, fresh, language, scaled, thresholds, tuning, twice
