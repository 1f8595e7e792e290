"""Every colour of the course; how the line of a method looks, and how its name is written. No colour stands elsewhere."""

# Okabe and Ito's colours (2008), told apart in colour-vision deficiency, and three that go with them.
BLUE, VERMILION, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
ORANGE, SKY, BROWN, WINE = "#e69f00", "#56b4e9", "#8c6d31", "#882255"
BLACK, WHITE = "black", "white"

INK = "#444444"  # what is drawn and belongs to no method
WORDS = "#666666"  # words that come second
CHARCOAL, GREY, GUIDE, QUIET = "#333333", "#777777", "#888888", "#999999"  # lines behind others, darkest first
SEEN, PUBLISHED, FAINT, MIST = "#b5b5b5", "#b8b8b8", "#bbbbbb", "#cccccc"
RULE, SPAN, BOX, BLANK, FACE = "#dddddd", "#eeeeee", "#f2f2f2", "#f5f5f5", "#f7f7f7"  # rules and areas
PALE_GREEN, PALE_BLUE, PALE_SLICE, PALE_HAND = "#e8f3ef", "#cfe3f5", "#cfe3f0", "#9aa7b0"
IDEA, LEADING_IDEA = "#ddecf7", "#a6cee8"  # boxes of the concept map
VEIL = "#00000080"  # behind a number on a picture
REFUSED = "#a03000"  # the words of an explorer that cannot show a setting

# Dark enough for white numbers.
SHADES = (BLUE, "#a85600", "#00694c", "#8e4585", "#555555", "#7a5c00", "#a03030", "#2f6f8f", "#4b3f8f")
LADDER = ("#c7c7c7", "#9a9a9a", "#666666", "#1b1b1b")  # 1, 2, 3, 4 of something
FADING = ("#1b1b1b", "#7f7f7f", "#c7c7c7")
HEADS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728")

MAGNITUDE = "cividis"  # perceptually uniform, for values from 0 up
SIGNED = "PuOr_r"  # diverging and colour-blind safe: give it limits that put 0 in the middle
BRIGHTNESS = "gray"  # a picture

# One colour per method, the same in every notebook. The naive codes of notebook 02 share theirs with methods of later
# notebooks, never in one figure.
PALETTE = {
    "nope": WORDS,
    "index": VERMILION,
    "normalised": ORANGE,
    "random": PINK,
    "one-hot": BROWN,
    "binary": GREEN,
    "sinusoidal": BLUE,
    "learned": PINK,
    "t5": ORANGE,
    "t5 x8": BROWN,
    "rope": VERMILION,
    "alibi": GREEN,
    "relative bias": SKY,
    "shaw": BROWN,
    "position interpolation": BLUE,  # here and below: cures of RoPE for longer texts (notebooks 09 and 12)
    "NTK-aware": PINK,
    "NTK-by-parts": GREEN,
    "YaRN": ORANGE,
    "llama3": SKY,
}
# How a method is written in figures and tables, where its name in the code is not how the field writes it.
LABELS = {
    "nope": "NoPE",
    "rope": "RoPE",
    "alibi": "ALiBi",
    "t5": "T5",
    "t5 x8": "T5, table x8",
    "xpos": "xPos",
    "kerple": "KERPLE",
    "sandwich": "Sandwich",
    "fire": "FIRE",
    "cope": "CoPE",
    "shaw": "Shaw",
    "deberta": "DeBERTa",
    "transformer-xl": "Transformer-XL",
}
# Lines that need more than their colour.
DASHES = {
    "learned": "--",
    "t5 x8": "--",
    "normalised": "--",
    "random": ":",
    "one-hot": "-.",
    "binary": (0, (5, 1, 1, 1)),
}
LINES = ("-", "--", "-.", ":", (0, (6, 2, 1, 2, 1, 2)))  # of what is no method, in turn
MARKS = ("o", "s", "^", "D", "v")


def colour_of(name: str, otherwise: str = BLACK) -> str:
    """Return the colour of a method; a reader's own encoding has none."""
    return PALETTE.get(name, otherwise)


def line_of(name: str) -> str | tuple:
    """Return the line style of a method."""
    return DASHES.get(name, "-")


def name_of(name: str) -> str:
    """Return how a method is written."""
    return LABELS.get(name, name)
