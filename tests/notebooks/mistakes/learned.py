"""Mistakes in the helpers that some claim of notebook 04 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import EVALUATION, TRAINING, TRANSFORMER, shared

LEARNED = "posenc_helpers/encodings/learned.py"
POSITIONS = "posenc_helpers/encodings/positions.py"
TEXT = "posenc_helpers/lab/text.py"

LOOKUP = "positions, rows = whole_positions(positions), len(table)"

MISTAKES = [
    # the table
    ("rows looked up from the end", LEARNED,
     "functional.embedding(positions, table)", "functional.embedding(positions, table.flip(0))"),
    ("too long a text: the last row again", LEARNED,
     LOOKUP, "positions, rows = whole_positions(positions).clamp(max=len(table) - 1), len(table)"),
    ("ids wrap round the table", LEARNED, LOOKUP, "positions, rows = whole_positions(positions) % len(table), len(table)"),
    ("id -1 takes row 0", LEARNED, LOOKUP, "positions, rows = whole_positions(positions).clamp(min=0), len(table)"),
    ("std ignored", LEARNED, "torch.randn(max_length, dim) * std", "torch.randn(max_length, dim)"),
    ("rows start at 0", LEARNED, "torch.randn(max_length, dim) * std", "torch.zeros(max_length, dim)"),
    ("the table is not trained", LEARNED,
     "self.table = nn.Parameter(torch.randn(max_length, dim) * std)",
     'self.register_buffer("table", torch.randn(max_length, dim) * std)'),
    ("sum computed and thrown away", LEARNED, "return x + learned(self.table, positions).to(x.dtype)", "return x"),
    ("a row for every text of the batch", LEARNED,
     "learned(self.table, positions).to(x.dtype)",
     "learned(self.table, torch.arange(len(x)))[:, None].to(x.dtype)"),
    ("positions rounded to the activations' dtype", LEARNED,
     "learned(self.table, positions).to", "learned(self.table, positions.to(x.dtype).long()).to"),
    ("all positions from 0 again", LEARNED,
     "learned(self.table, positions).to", "learned(self.table, positions - positions.min()).to"),
    ("stretched by the edges of the cells", LEARNED, 'mode="linear", align_corners=align_corners', 'mode="linear"'),
    ("resized: a fresh table", LEARNED, "longer.table = nn.Parameter(table)", "longer.table = longer.table"),
    # position ids
    ("ids from 1", POSITIONS, "(mask.cumsum(dim=-1) - 1 + start)", "(mask.cumsum(dim=-1) + start)"),
    ("-1 on padding", POSITIONS, ".masked_fill(~mask, padding_id)", ".masked_fill(~mask, -1)"),
    ("padding counted", POSITIONS, "(mask.cumsum(dim=-1) - 1", "((mask | True).cumsum(dim=-1) - 1"),
    ("counted down the batch", POSITIONS, "(mask.cumsum(dim=-1) - 1", "(mask.cumsum(dim=0) - 1"),
    ("start ignored", POSITIONS, "- 1 + start).masked_fill", "- 1).masked_fill"),
    ("next id: the padded length", POSITIONS,
     "mask.sum(dim=-1, keepdim=True)", "torch.full((len(mask), 1), mask.shape[1])"),
    ("next id: the last id again", POSITIONS, "return start + mask.sum", "return start - 1 + mask.sum"),
    ("RoBERTa: real tokens from the padding's id", POSITIONS, "start=padding_index + 1,", "start=padding_index,"),
    ("packing: ids run on", POSITIONS, "return (index - start).masked_fill", "return (index - 0 * start).masked_fill"),
    ("packing: the mask lets earlier texts in", POSITIONS,
     "start[:, :, None] == start[:, None, :]", "start[:, :, None] >= start[:, None, :]"),
    # the model
    ("padding mask dropped beside the causal one", TRANSFORMER,
     "mask = causal if mask is None else causal & _fit_mask(mask, (*q.shape[:-1], k.shape[-2]))", "mask = causal"),
    ("cache: positions of old keys off by one", TRANSFORMER,
     "torch.cat([before, positions], dim=axis)", "torch.cat([before + 1, positions], dim=axis)"),
    # what is measured
    ("weight decay", TRAINING, "weight_decay=0.0", "weight_decay=0.1"),
    ("shift ignored", EVALUATION, "torch.arange(length) + shift", "torch.arange(length) + 0 * shift"),
    ("pairs: counting single characters instead", TEXT, "found[order] = -probability", "found[order + 1] = -probability"),
    # what other notebooks notice, too
    *shared("door 1 never opened", "causal mask lines up the first query", "differences are always 0",
        "no training step", "the next character is the last one", "loss by position: fewer keys ignored"),
]  # fmt: skip
