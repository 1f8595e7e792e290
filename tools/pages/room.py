"""The room that a slide has for a picture, and what it asks of the picture: words of 24 pixels."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from posenc_helpers.classroom.figures import STYLE

LETTERS = 24  # pixels of the smallest words, on a slide of 1280 x 720
SMALLEST = STYLE["font.size"]  # points that become LETTERS
SCALE = LETTERS / (SMALLEST / 72 * STYLE["figure.dpi"])  # pixels of the slide, one of the figure


@dataclass(frozen=True)
class Room:
    """The room for a picture on a slide, in its pixels."""

    width: int
    height: int

    def fit(self, fig: Figure) -> None:
        """Give `fig` the shape of this room, and no words smaller than LETTERS there."""
        fig.set_size_inches(self.width / SCALE / fig.dpi, self.height / SCALE / fig.dpi)
        for text in fig.findobj(Text):
            text.set_fontsize(max(text.get_fontsize(), SMALLEST))
        fig.draw_without_rendering()
        for axis in (ax.xaxis for ax in fig.axes):  # on a y axis stand names, one a row
            if isinstance(axis.get_major_locator(), FixedLocator):
                leave_room(axis.get_ticklabels())
        for ax in fig.axes:
            keep_inside(ax)


def keep_inside(ax: Axes) -> None:
    """Move the name of the y axis so far along it that no letter stands beyond the figure: layouts do not see to it."""
    label, sheet = ax.yaxis.label, ax.figure.bbox.padded(-2)
    box = label.get_window_extent()
    beyond = max(0, box.y1 - sheet.y1) - max(0, sheet.y0 - box.y0)
    if box.height > sheet.height:  # as near the middle as it can
        beyond = (box.y0 + box.y1 - sheet.y0 - sheet.y1) / 2
    label.set_y(label.get_position()[1] - beyond / ax.bbox.height)


def leave_room(labels: list[Text]) -> None:
    """Hide those of `labels` that would touch the one before."""
    free = None
    for label in (label for label in labels if label.get_visible() and label.get_text()):
        box = label.get_window_extent()
        if free is not None and box.padded(3).overlaps(free):
            label.set_visible(False)
        else:
            free = box


def smallest(fig: Figure) -> float:
    """Return the size of the smallest words of `fig` in its own pixels."""
    sizes = [text.get_fontsize() for text in fig.findobj(Text) if text.get_text().strip() and text.get_visible()]
    return min(sizes, default=SMALLEST) / 72 * fig.dpi
