"""Tasks that name a state of an explorer: links in the notebook, buttons on the page.

In a notebook's text a task reads `[*base* 20, *width* 4](#cell-id=base-explore "base=20, width=4")`: the cell of the
explorer, and in the title what differs from its start, in the words of its controls. JupyterLab goes to that cell, and
names the state while the pointer rests on the link; GitHub shows the words. On the page the script makes a button of it.
"""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from tools.pages.frames import Drawn
from tools.pages.playable import Playable

LINK = re.compile(r'\[([^\]]+)\]\(#cell-id=([\w-]+) "([^"]+)"\)')
BETWEEN = re.compile(r",\s*(?=[a-z][\w ]*=)")  # two settings; a value may hold a comma


class Try(NamedTuple):
    """A state that a task asks for: the words of its link, the cell of the explorer, {control: words of its value}."""

    words: str
    cell: str
    asked: dict[str, str]


def tries(text: str) -> list[Try]:
    """Return the states that a text asks for, in order."""
    return [Try(match[1], match[2], settings(match[3])) for match in LINK.finditer(text)]


def settings(title: str) -> dict[str, str]:
    """Return {control: words} of the title of a link, "base=20, max distance=16". Raises ValueError for anything else."""
    parts = [part.partition("=") for part in BETWEEN.split(title)]
    if not all(name.strip() and value.strip() for name, _, value in parts):
        raise ValueError(f'a task asks for "{title}"; allowed: "control=value, control=value"')
    return {name.strip().replace(" ", "_"): value.strip() for name, _, value in parts}


def controls(explorer: Drawn | Playable) -> dict[str, tuple[list[str], str]]:
    """Return {control: (the words of its values on the page, those of its start)}."""
    if isinstance(explorer, Drawn):
        return {entry["name"]: (entry["words"], entry["words"][entry["start"]]) for entry in explorer.controls}
    found = {}
    for name, spec in explorer.constants["controls"].items():
        if "words" in spec:
            found[name] = spec["words"], spec["words"][spec["values"].index(explorer.values[name])]
        else:
            count = round((spec["max"] - spec["min"]) / spec["step"]) + 1
            found[name] = (
                [f"{spec['min'] + k * spec['step']:.9g}" for k in range(count)],
                f"{explorer.values[name]:.9g}",
            )
    return found


def state(asked: Mapping[str, str], known: Mapping[str, tuple[Sequence[str], str]]) -> dict[str, str]:
    """Return the words of all controls: those that are asked for, the rest as they start; `known` is that of `controls`.

    Raises ValueError for a control or a value that is not among them.
    """
    found = {name: start for name, (_, start) in known.items()}
    for name, wanted in asked.items():
        if name not in known:
            raise ValueError(f"a task asks for {name}={wanted}; controls: {', '.join(known)}")
        same = [word for word in known[name][0] if word.replace(",", "") == wanted.replace(",", "")]
        if not same:
            raise ValueError(f"a task asks for {name}={wanted}; allowed: {', '.join(known[name][0])}")
        found[name] = same[0]
    return found


def as_buttons(text: str, explorers: Mapping[str, Drawn | Playable]) -> str:
    """Return `text` with its tasks as what tries.js makes buttons of; without the script their words are left.

    `explorers` are those of the notebook, by cell. Raises ValueError for a task whose state is not on the page.
    """

    def button(match: re.Match) -> str:
        (asked,) = tries(match[0])
        if asked.cell not in explorers:
            raise ValueError(f"a task asks for cell {asked.cell}; explorers: {', '.join(explorers)}")
        known = controls(explorers[asked.cell])
        values = [item for item in state(asked.asked, known).items() if len(known[item[0]][0]) > 1]  # the rest is fixed
        at = html.escape(urlencode([("at", asked.cell), *values]))
        return f'<span class="try" data-at="{at}" title="{html.escape(match[3])}">{asked.words}</span>'

    return LINK.sub(button, text)
