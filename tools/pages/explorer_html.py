"""An explorer as HTML: native controls, the picture of its start, its sentence, and what the script must know."""

import html
import json
import re
from itertools import pairwise

from tools.pages.frames import Drawn
from tools.pages.pictures import PAN

FEW = 3  # values of a slider that are buttons instead, unless the player moves it
SPEEDS = (0.25, 0.5, 1, 2)
STEPS = (("-1000000", "first"), ("-1", "back"), ("1", "next"))


def explorer(drawn: Drawn, cell_id: str, folder: str, title: str) -> str:
    """Return the explorer of cell `cell_id`, whose frames lie in `folder` as the page sees it, ending in a slash.

    By ear it is named by `title`, the heading above it. Without a script the controls stay hidden, and the picture of
    the start is what is left, described by its sentence; with one, the picture is named, and the sentence is spoken.
    """
    title = html.escape(re.sub(r"[`*$]", "", title))
    moving = [entry for entry in drawn.controls if len(entry["words"]) > 1]
    play = next((entry["name"] for entry in moving if entry["name"] == drawn.play), None)
    facts = {
        "id": cell_id,
        "folder": folder,
        "size": drawn.size,
        "controls": [{"name": entry["name"], "words": entry["words"]} for entry in moving],
        "files": drawn.files,
        "sentences": drawn.sentences,
        "play": play,
        "numbers": numbers(next((entry["words"] for entry in moving if entry["name"] == play), [])),
    }
    start = html.escape(drawn.sentences[drawn.start])
    size = f'width="{drawn.size[0]}" height="{drawn.size[1]}" data-letters="{drawn.letters:.4g}"'
    said = ""
    if fixed := [entry for entry in drawn.controls if len(entry["words"]) == 1]:
        values = ", ".join(f"{spoken(entry['name'])} {entry['words'][0]}" for entry in fixed)
        said = f'<p class="fixed">Fixed on this page: {html.escape(values)}. The notebook moves them, too.</p>'
    facts_json = json.dumps(facts, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f"""<div class="explorer" id="at-{cell_id}">
<form hidden autocomplete="off" aria-label="{title}">
{"".join(control(entry, entry["name"] == play) for entry in moving)}
<div class="buttons">{player(play)}<button type="reset">reset</button></div>
</form>
<div class="frame" data-name="the picture of: {title}">
<img src="{folder}{drawn.files[drawn.start]}.webp" alt="{start}" {size}></div>
{PAN}
<p class="says" id="says-{cell_id}" role="status">{start}</p>
{said}<script type="application/json">{facts_json}</script>
</div>"""


def numbers(words: list[str]) -> list[float] | None:
    """Return the values of a slider that are numbers in order ("1,000", "0.5"), else None: its steps have no sizes."""
    try:
        values = [float(word.replace(",", "")) for word in words]
    except ValueError:
        return None
    return values if all(one < other for one, other in pairwise(values)) else None


def spoken(name: str) -> str:
    return name.replace("_", " ")


def control(entry: dict, plays: bool) -> str:
    """Return one control: a slider with its value beside it, a group of buttons of which one is chosen, or a box."""
    name, label = entry["name"], html.escape(spoken(entry["name"]))
    words, start = [html.escape(word) for word in entry["words"]], entry["start"]
    if entry["kind"] == "checkbox":
        return f'<label class="box"><input type="checkbox" name="{name}"{" checked" * start}> {label}</label>\n'
    if entry["kind"] == "radio" or (len(words) <= FEW and not plays):
        choices = "".join(
            f'<label><input type="radio" name="{name}" value="{k}"{" checked" * (k == start)}> {word}</label>'
            for k, word in enumerate(words)
        )
        return f"<fieldset><legend>{label}</legend>{choices}</fieldset>\n"
    return (
        f'<label class="slider"><span>{label}</span><input type="range" name="{name}" min="0" max="{len(words) - 1}" '
        f'value="{start}" aria-valuetext="{words[start]}"><output>{words[start]}</output></label>\n'
    )


def player(name: str | None) -> str:
    """Return the buttons that move control `name`, or nothing where there is none."""
    if name is None:
        return ""
    first, back, forward = (f'<button type="button" data-steps="{n}">{word}</button>' for n, word in STEPS)
    play = '<button type="button" data-do="play">play</button>'
    speeds = "".join(f"<option{' selected' * (speed == 1)}>{speed:g}</option>" for speed in SPEEDS)
    label = html.escape(spoken(name))
    return (
        f'<span role="group" aria-label="player of {label}">{first} {back} {play} {forward}'
        f" <label>speed <select>{speeds}</select></label></span>"
    )
