"""Build the encoding of one layer from its rope part, as `rope_config` read it."""

from collections.abc import Mapping

from posenc_helpers.checks import check_choice
from posenc_helpers.encodings import rope_models as models
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.grid_rope import AxialRotaryEncoding, MultimodalRotaryEncoding
from posenc_helpers.encodings.rope import LAYOUTS, RotaryEncoding
from posenc_helpers.encodings.rope_layers import Place
from posenc_helpers.encodings.rope_methods import reversed_turn, scaling_of, trained_length
from posenc_helpers.encodings.rope_variants import (
    AxesRotaryEncoding,
    BlocksRotaryEncoding,
    LearnedRotaryEncoding,
    WarmQueries,
    WarmRotaryEncoding,
)


def build(config: Mapping, rope: dict | None, place: Place, layout: str | None) -> PositionalEncoding:
    """Return the encoding of a layer whose checked rope part is `rope`, None where nothing turns.

    Raises ValueError for an unknown layout and what the encodings raise.
    """
    if rope is None:
        if config.get("attn_temperature_tuning") and place[1] not in models.NO_ATTENTION:
            return WarmQueries(config.get("attn_scale", 0.1), config.get("floor_scale", 8192), first=1)
        return PositionalEncoding()
    layout = layout or layout_of(config)
    check_choice("layout", layout, LAYOUTS)
    head_dim, base, model = rope["head_dim"], float(rope["rope_theta"]), config.get("model_type")
    if rope["rope_type"] == "axial" or model in models.ON_GRID:
        return _on_grid(model, head_dim, base, layout)
    if rope["rope_type"] == "proportional" or config.get("qk_rope_head_dim"):
        width = head_dim
    else:
        width = None if model in models.ROTARY_DIM_UNREAD else config.get("rotary_dim")
        width = width or int(head_dim * rope.get("partial_rotary_factor", 1.0))
    if model in models.IN_TURN:  # coordinates by pairs: the frequencies are those of plain RoPE
        return AxesRotaryEncoding(head_dim, models.IN_TURN[model](width // 2), range(width // 2), base, layout)
    if width % 2 and width < head_dim:  # transformers rounds up: base^(-2i/width) for (width + 1) / 2 pairs
        base, width = base ** ((width + 1) / width), width + 1
    scaling, attention_factor = scaling_of(rope, config)
    if model == "nanochat":
        scaling = reversed_turn
    options = {"base": base, "layout": layout, "rotary_dim": width}
    options |= {"scaling": scaling, "attention_factor": attention_factor}
    sections, in_turn = models.SECTIONS.get(model, (None, False))
    if sum(sections or []) != width // 2:
        sections = None  # the file has another width than the model that the code is for
    if sections := rope.get("mrope_section", sections):
        in_turn = rope.get("mrope_interleaved", in_turn)
        return MultimodalRotaryEncoding(head_dim, sections, interleaved=in_turn, **options)
    if model == "mistral_large4_text":
        return LearnedRotaryEncoding(head_dim, **options)
    if beta := rope.get("llama_4_scaling_beta"):
        return WarmRotaryEncoding(head_dim, beta=beta, length=trained_length(rope, config), **options)
    return RotaryEncoding(head_dim, **options)


def layout_of(config: Mapping) -> str:
    """Return which columns make a pair: as the file says, else as the code of its model_type does, else "half"."""
    for key in ("rope_interleave", "rope_interleaved"):
        if config.get(key) is not None:
            return "interleaved" if config[key] else "half"
    of_gptj = config.get("position_embedding_type") == "rope_gptj"  # Cohere 2
    return "interleaved" if of_gptj or config.get("model_type") in models.INTERLEAVED else "half"


def _on_grid(model: str | None, head_dim: int, base: float, layout: str) -> PositionalEncoding:
    """Return the encoding of a vision tower: half of the pairs turn by the row, half by the column."""
    if model == "gemma4_vision":
        return BlocksRotaryEncoding(head_dim, base, layout)
    if model not in models.GRID_AXES:
        variant = "alternating" if model == "pixtral" else "shared"
        return AxialRotaryEncoding(head_dim, base, layout, variant)
    axes, in_turn = models.GRID_AXES[model]
    each = head_dim // (2 * len(axes))  # pairs of each axis
    if in_turn:
        by_pair, step = list(axes) * each, [len(axes) * (i // len(axes)) for i in range(len(axes) * each)]
    else:
        by_pair = [axis for axis in axes for _ in range(each)]
        step = [len(axes) * i for i in range(each)] * len(axes)
    return AxesRotaryEncoding(head_dim, by_pair, step, base, layout)
