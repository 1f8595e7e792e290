"""The cost calculator of notebook 11, and three figures of papers drawn again from their printed numbers."""

from matplotlib.figure import Figure

from posenc_helpers.classroom.colours import BLACK, CHARCOAL, LINES, SKY, WHITE, colour_of, name_of
from posenc_helpers.classroom.figures import counted, panels, style
from posenc_helpers.lab.costs import BYTES, COSTED, cost, own_numbers

LENGTHS = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]
WIDTHS = [256, 512, 1024, 2048, 4096, 8192]
HEAD = 64  # columns of a head
TICKS = {1e-4: "0.01 %", 1e-2: "1 %", 1: "100 %", 10**3: "x 1,000", 10**6: "x 10^6"}
PANELS = (  # title, what the axis is a share of, limits, ticks
    ("trained numbers", "of the model's weights", (1e-6, 300), (1e-4, 1e-2, 1)),
    ("largest table", "of a layer's weights, in bytes", (1e-4, 3e8), (1e-2, 1, 1e3, 1e6)),
    ("work", "of a layer's operations", (1e-6, 300), (1e-4, 1e-2, 1)),
)
CLEAR = {"facecolor": WHITE, "edgecolor": "none", "pad": 1}  # so that no line runs through a number
NOTED = 0.02  # shares from here on are drawn in full colour
# Printed numbers: {paper: (what the axis is, {line: [(length, value)]}, trained length)}
PUBLISHED = {
    "Press et al. 2022, Table 2": (
        "perplexity, WikiText-103",
        {
            "sinusoidal": [(512, 20.05), (1012, 43.54), (3512, 178.97), (15512, 406.01)],
            "rope": [(512, 20.07), (1012, 21.37), (3512, 35.54), (15512, 79.25)],
            "alibi": [(512, 19.73), (1012, 18.73), (3512, 18.40), (15512, 18.31)],
        },
        512,
    ),
    "Kazemnejad et al. 2023, 1.3B": (
        "perplexity, code",
        {
            "rope": [(1024, 2.607), (1400, 156.282), (1600, 506.789), (2560, 760.104)],  # Table 3, documents of 2,750
            "nope": [(1024, 2.666), (1400, 2.504), (1600, 3.839), (2560, 536.225)],  # to 3,000 tokens
            "alibi": [(1024, 2.735), (1400, 2.741), (1600, 3.680), (2560, 150.322)],
        },
        1024,
    ),
    "Peng et al. 2023, stretched": (
        "perplexity, Llama-2",
        {
            "PI": [(2048, 3.92), (4096, 3.51), (8192, 3.34), (10240, 8.07)],
            "YaRN": [(2048, 3.91), (4096, 3.50), (8192, 3.35), (10240, 6.04)],
        },
        8192,
    ),
}


@style()
def costs_explorer(length: int, width: int, layers: int):
    """Draw what eight encodings cost, as shares of what a model has anyway; return (fig, update) for `explore` (blitted)."""
    names = list(COSTED)[::-1]
    axes = panels(9.2, 4.1, 3, sharey=True)
    bars, texts = [], []
    for ax, (title, of, (low, high), ticks) in zip(axes, PANELS, strict=True):
        ax.set(title=title, xlabel=of, xscale="log", xlim=(low, high))
        ax.set_xticks(ticks, [TICKS[tick] for tick in ticks], fontsize=10)
        ax.axvline(1, color=BLACK, ls=":", lw=1.5, zorder=0)
        bars.append(ax.barh(names, [low] * len(names), color=[colour_of(name, SKY) for name in names]))
        texts.append([ax.text(low, y, "", va="center", fontsize=11, bbox=CLEAR) for y in range(len(names))])
        ax.tick_params(axis="y", length=0)
        ax.minorticks_off()
    axes[0].set_yticks(range(len(names)), [name_of(name) for name in names])

    def update(length: int, width: int, layers: int):
        for y, name in enumerate(names):
            found = cost(name, length, width, width // HEAD, layers)
            words = (short(found.parameters), f"{short(found.memory)}B", percent(found.work))
            for panel, share in enumerate(shares(name, length, width, layers)):
                low, noted = PANELS[panel][2][0], share >= NOTED
                bars[panel][y].set_width(max(share, low))
                bars[panel][y].set_alpha(1 if noted else 0.3)
                texts[panel][y].set(text=words[panel], x=1.5 * max(share, low), weight="bold" if noted else "normal")
        return [artist for panel in range(3) for artist in (*bars[panel], *texts[panel])]

    update(length, width, layers)
    return axes[0].figure, update


def shares(name: str, length: int, width: int, layers: int) -> tuple[float, float, float]:
    """Return trained numbers, bytes of the largest table and work of an encoding, as shares of what the model has anyway."""
    found, own = cost(name, length, width, width // HEAD, layers), own_numbers(width)
    return found.parameters / (layers * own), found.memory / (BYTES * own), found.work


def costs_words(length: int, width: int, layers: int) -> str:
    """Describe `costs_explorer`."""
    found = {name: cost(name, length, width, width // HEAD, layers) for name in COSTED}
    table = float(f"{shares('alibi', length, width, layers)[1]:.2g}")
    return (
        f"Bars for eight encodings at {length:,} tokens, width {width:,}, {layers} layers, as shares of what the model has. "
        f"Trained: Transformer-XL {short(found['transformer-xl'].parameters)} numbers, a learned table "
        f"{short(found['learned'].parameters)}, T5 {short(found['t5'].parameters)}, RoPE none. A stored bias takes "
        f"{short(found['alibi'].memory)}B a layer, {table:,g} times the layer's weights, RoPE's angles "
        f"{short(found['rope'].memory)}B. Work: RoPE adds {percent(found['rope'].work)}, Shaw "
        f"{percent(found['shaw'].work)}, Transformer-XL {percent(found['transformer-xl'].work)}."
    )


def percent(share: float) -> str:
    """Return a share as percent, two digits, or "< 0.001 %"."""
    return f"{100 * share:.2g} %" if share >= 1e-5 else "< 0.001 %"


def short(number: float) -> str:
    """Return a number as one says it: 0, 512, 4.2 M, 17 G."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:.0f}"


@style()
def published() -> Figure:
    """Draw the printed numbers of PUBLISHED, a panel a paper, with what was trained marked."""
    axes = panels(9.4, 3.6, len(PUBLISHED))
    heights = ([20, 50, 100, 200, 400], [2, 10, 100, 500], [])
    for ax, (paper, (axis, lines, trained)), ticks in zip(axes, PUBLISHED.items(), heights, strict=True):
        for (name, points), line, mark in zip(lines.items(), LINES, "osD", strict=False):
            look = {"ls": line, "marker": mark, "color": colour_of(name, CHARCOAL)}
            ax.plot(*zip(*points, strict=True), label=name_of(name), **look)
        ax.axvline(trained, color=BLACK, ls=":", lw=1.5)
        ax.set(title=paper, xscale="log", xlabel="length (tokens)", ylabel=axis)
        lengths = [x for x, _ in next(iter(lines.values())) if x != 8192]  # 10,240 stands too near
        ax.set_xticks(lengths, [f"{length:,}" for length in lengths], fontsize=10, rotation=30)
        ax.minorticks_off()
        ax.legend(loc="lower right" if paper.startswith("Kaz") else "upper left")
        if ticks:
            counted(ax, "y", ticks)
    axes[1].set_ylim(bottom=0.1)  # room for the legend
    return axes[0].figure
