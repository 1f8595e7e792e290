"""The experiments behind the stored results: each a function of plain values that returns rows, fit for `lab.sweep`.

`tools.results` says which of them are run, with which values, and where their rows are kept.
"""

from posenc_helpers.lessons.naive_encodings.pictures import CODES
from tools.experiments.on_everyone import HYBRIDS, clipped, hybrids, lengths
from tools.experiments.on_images import ON_IMAGES, new_columns, pictures, slower, waves
from tools.experiments.on_relative import RELATIVE, SMALLER_K, keys_only, smaller_k, three_back
from tools.experiments.on_released import released, released_heads, released_long, released_pairs, released_windows
from tools.experiments.on_rope_and_alibi import alibi_lag, read_slopes, rope_base, two_sided
from tools.experiments.on_stretching import cure_settings, rescue, stretched_recall, swap
from tools.experiments.on_tables import ruler, table
from tools.experiments.on_tasks import LENGTHS, algorithmic, bias, card, deeper_lag, first_row, learned, naive_codes
from tools.experiments.on_text import THRESHOLDS, depth, fresh, knobs, language, scaled, thresholds, tuning, twice
