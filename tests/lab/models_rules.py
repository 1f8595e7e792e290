"""What every cell of data/models.csv has to look like, and what every row has to hold."""

from dataclasses import asdict

from posenc_helpers.lab.models import ROTARY, Model

# Columns that mean something only together with certain methods, and what a scaling cannot do without.
METHODS_OF = {
    **dict.fromkeys(("rotary_width", "rotary_fraction", "local_base", "scaling"), ROTARY),
    **dict.fromkeys(("base", "layout"), (*ROTARY, "sinusoidal", "transformer-xl")),
    "formula": ("sinusoidal", "transformer-xl", "alibi"),
    "sections": ("m-rope",),
    "position_offset": ("learned", "sinusoidal"),
    "buckets": ("t5", "deberta"),
    "max_distance": ("t5", "deberta", "shaw"),
    "bias_max": ("alibi",),
}
NEEDS = {
    "linear": ("scaling_factor",),
    "dynamic": ("scaling_factor", "original_context"),
    "qwen-dynamic": ("original_context",),
    "yarn": ("scaling_factor", "original_context"),
    "llama3": ("scaling_factor", "original_context", "low_freq_factor", "high_freq_factor"),
    "longrope": ("original_context", "declared_context"),  # the factor is their ratio
    "proportional": ("rotary_fraction",),
}
SCALING_PARAMETERS = (
    *("scaling_factor", "original_context", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor"),
    *("mscale", "mscale_all_dim", "attention_factor", "truncate"),
)
REASONS = {True: ("read in", "run"), False: ("class default only", "not verified")}


def problems(model: Model) -> list[str]:
    """Return what of a row contradicts itself or the columns' meaning: column, value and what is allowed."""
    row, found = asdict(model), []

    def need(holds: bool, column: str, allowed: str) -> None:
        if not holds:
            found.append(f"{model.model}, column {column}: {row[column]!r}; allowed: {allowed}")

    head, rotary, fraction, scaling = (row[c] for c in ("head_width", "rotary_width", "rotary_fraction", "scaling"))
    for column, value in row.items():
        if type(value) in (int, float) and column != "position_offset":
            need(value > 0, column, "a number above 0, or empty")
    need(row["year"] is None or 2017 <= row["year"] <= 2100, "year", "2017 (the first Transformer) to 2100, or empty")
    for column, methods in METHODS_OF.items():
        allowed = f"empty, as the method is {row['method']!r} and not {', '.join(methods)}"
        need(row[column] is None or row["method"] in methods, column, allowed)
    if rotary is not None:
        need(rotary % 2 == 0, "rotary_width", "an even number: columns are rotated in pairs")
        need(head is None or rotary <= head, "rotary_width", f"at most head_width={head}")
        pairs = f"pairs that add up to rotary_width / 2 = {rotary // 2}"
        need(not row["sections"] or 2 * sum(row["sections"]) == rotary, "sections", pairs)
    need(fraction is None or fraction <= 1, "rotary_fraction", "above 0 and at most 1")
    if None not in (head, rotary, fraction) and fraction <= 1:
        product = f"{round(head * fraction)} = head_width {head} * rotary_fraction {fraction}"
        need(rotary == round(head * fraction), "rotary_width", product)
    for column in NEEDS.get(scaling, ()):
        need(row[column] is not None, column, f"not empty, as the scaling is {scaling!r}")
    for column in SCALING_PARAMETERS:
        need(scaling is not None or row[column] is None, column, "empty, as there is no scaling")
    for low, high in (("beta_slow", "beta_fast"), ("low_freq_factor", "high_freq_factor")):
        need(None in (row[low], row[high]) or row[low] <= row[high], low, f"at most {high}={row[high]}")
    starts = REASONS[row["verified"]]
    told = f"a reason that starts with {' or '.join(map(repr, starts))} for this value of verified"
    need(row["reason"].startswith(starts), "reason", told)
    return found


def written(value: object) -> str:
    """Return what a cell of the file holds for `value`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, str):
        return " ".join(value.split())
    return "" if value is None else str(value).removesuffix(".0")
