"""A slide as HTML."""

import html
import math
import re
from pathlib import Path

from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools.notebooks import is_folded, printed
from tools.pages.explorer_html import explorer
from tools.pages.frames import Drawn
from tools.pages.pictures import stored
from tools.pages.playable import Playable, playable_html
from tools.pages.room import Room
from tools.slides.choose import Slide, has_picture
from tools.slides.words import QUESTION, as_html, blocks, count, first_clause, inline, question, tables

CODE = HtmlFormatter(style="a11y-high-contrast-light", cssclass="code")
CLAIM = re.compile(r"(ok|=>)  ?(.+): (\S+) \([^()]*(?:\([^()]*\))?[^()]*\)$")
MOST = Room(1280 - 2 * 48, 720 - 30 - 44)  # of static/slides.css, as are
LEAST = 380  # pixels of height for a picture; a caption that leaves less goes to the notes
GAP, LINE = 16, 1.35  # pixels between two parts; the height of a line, in letters
WIDTH = 0.54  # of a letter, in its height: on the mean, in a wide font
HIDDEN_COLUMNS = {"source", "kind"}
MOST_LINES = 6  # of what a cell prints
MOST_ENTRY = 14  # words of an entry of the summary
MOST_ROWS = 8  # of a table that a cell puts out
EXERCISE = re.compile(r"^### (?:\d+\. )?(.+?) \((\w+), (\d+) minutes\)$\n+(?:\*Trains: (.+?)\*)?", re.M)


def render(slide: Slide, folder: Path, files: str, frames: dict[str, Drawn | Playable], notes: str) -> str:
    """Return `slide` as a section of the deck. Its pictures are stored in `folder`, which the deck calls `files`.

    Raises ValueError for a picture that is not described.
    """
    moving = frames.get(slide.lead.id)
    if slide.kind == "explorer" and isinstance(moving, Playable):
        body = playable_html(moving, slide.lead.id, picture(slide, folder, files))
    elif slide.kind == "explorer":
        body = explorer(moving, slide.lead.id, f"{files}/{slide.lead.id}/", slide.heading)
    else:
        body = BODIES[slide.kind](slide, folder, files)
    if (cell := pictured(slide)) and not captioned(slide):
        notes = f"<p>{inline(caption_of(cell, slide.text))}</p>\n{notes}"
    level = "h1" if slide.kind == "title" else "h2"
    heading = slide.heading + (": answers" if slide.kind == "bug-answer" else "")
    return (
        f'<section id="{slide.lead.id}" data-kind="{slide.kind}">\n<{level}>{inline(heading)}</{level}>\n{body}\n'
        f'<aside class="notes">\n{notes}\n</aside>\n</section>'
    )


def title(slide: Slide, *_) -> str:
    source = slide.lead.source
    (asked,) = re.findall(r"^\*\*The question:\*\* (.+)$", source, flags=re.M)
    (known,) = re.findall(r"^\| \*\*Know first\*\* \| (.+) \|$", source, flags=re.M)
    return (
        f'<p class="asked">{inline(asked[0].upper() + asked[1:])}</p>\n<p class="known">Know first: {inline(known)}</p>'
    )


def text(slide: Slide, *_) -> str:
    return as_html(prose(slide))


def predict(slide: Slide, *_) -> str:
    return f'{as_html(prose(slide))}\n<div class="predict">{as_html(question(slide.lead.source))}</div>'


def prose(slide: Slide) -> str:
    """Return the text of teaching/slides.csv, with the cell's tables if it has none, or the cell's own words."""
    if not slide.text:
        return "\n\n".join(QUESTION.sub("", block) for block in blocks(slide.lead.source))
    return slide.text if "|" in slide.text else f"{slide.text}\n\n{tables(slide.lead.source)}"


def code(slide: Slide, *_) -> str:
    return f"{as_html(slide.text)}\n{source_of(slide.lead)}\n{output_of(slide.lead)}"


def bug_answer(slide: Slide, *_) -> str:
    return as_html(slide.text) + claims_of(slide.part(), 3)


def pictured(slide: Slide) -> NotebookNode | None:
    """Return the cell whose picture stands on `slide`, if there is one that does not move."""
    if slide.kind == "picture":
        return slide.lead
    cells = [cell for cell in slide.part() if cell.cell_type == "code"] if slide.kind == "result" else []
    return next((cell for cell in cells if has_picture(cell) and not table_of(slide.lead)), None)


def room(slide: Slide) -> Room:
    """Return the room that heading, claims and caption leave for the picture of `slide`, as far as one can tell."""
    height, below = heights(slide)
    return Room(MOST.width, height - below if captioned(slide) else height)


def captioned(slide: Slide) -> bool:
    """Return whether the caption of the picture of `slide` has its place there; else it stands in the notes."""
    height, below = heights(slide)
    return height - below >= LEAST


def heights(slide: Slide) -> tuple[int, int]:
    """Return the height of what is left below heading and claims for picture and caption, and that of the caption."""
    height = MOST.height - LINE * lines(slide.heading, 38) * 38 - GAP
    if slide.kind == "result":
        claims = re.findall(r"<p class=.(\w+).>(.*?)</p>", claims_of(slide.part(), 2))
        height -= sum(LINE * lines(words, 26) * (32 if kind == "answer" else 26) + 8 for kind, words in claims) + GAP
    return int(height), int(LINE * lines(caption_of(pictured(slide), slide.text), 26) * 26 + GAP)


def lines(markup: str, size: int) -> int:
    """Return how many lines a text fills at most, in letters of `size` pixels."""
    return math.ceil(len(re.sub(r"<[^>]+>", "", html.unescape(markup))) * size * WIDTH / MOST.width)


def result(slide: Slide, folder: Path, files: str) -> str:
    """Return what the cells put out: the answer first, then the first picture, else a table, else the code."""
    cells = [cell for cell in slide.part() if cell.cell_type == "code"]
    shown = pictured(slide)
    measured = next((cell for cell in cells if any("=>" in line for line in printed(cell))), cells[0])
    if table := table_of(slide.lead):
        below = as_html(slide.text) + table
    elif shown:
        below = picture_of(shown, folder, files, slide.text, captioned(slide))
    else:
        source = "" if is_folded(measured) else source_of(measured)
        below = as_html(slide.text) + source + output_of(measured, False)
    return f"{claims_of(cells, 2 if shown else 3)}\n{below}"


def claims_of(cells: list[NotebookNode], most: int) -> str:
    """Return `most` of the claims that `cells` print, the answers to predictions first of all, each with its number."""
    lines = [line for cell in cells if cell.cell_type == "code" for line in printed(cell)]
    found = [match.groups() for line in lines if (match := CLAIM.match(line))]
    shown = sorted(found, key=lambda claim: claim[0] != "=>")[:most]
    return (
        '<div class="results">'
        + "".join(
            f'<p class="{"answer" if kind == "=>" else "claim"}">{html.escape(words)}: <b>{value}</b></p>'
            for kind, words, value in found
            if (kind, words, value) in shown
        )
        + "</div>"
    )


def picture(slide: Slide, folder: Path, files: str) -> str:
    return picture_of(slide.lead, folder, files, slide.text, slide.kind != "picture" or captioned(slide))


def picture_of(cell: NotebookNode, folder: Path, files: str, text: str, captioned: bool = True) -> str:
    """Store the first picture of `cell`, and return it, if `captioned` with `text` or its own caption below."""
    output = next(output for output in cell.outputs if "image/png" in output.get("data", {}))
    letters = output.metadata["image/png"].get("letters")
    image = stored(
        output,
        folder / f"{cell.id}.png",
        f"{files}/{cell.id}.png",
        cell.id,
        f' data-letters="{letters}"' if letters else "",
    )
    caption = f"<figcaption>{inline(caption_of(cell, text))}</figcaption>" if captioned else ""
    return f"<figure>{image}{caption}</figure>"


def caption_of(cell: NotebookNode, text: str) -> str:
    """Return `text`, or the caption of the first picture of `cell`."""
    number = next(k for k, output in enumerate(cell.outputs) if "image/png" in output.get("data", {}))
    captions = [o.data["text/markdown"] for o in cell.outputs[number:] if "text/markdown" in o.get("data", {})]
    return text or next((c for c in captions if c.startswith("**Figure.**")), "").removeprefix("**Figure.** ")


def source_of(cell: NotebookNode) -> str:
    return highlight(cell.source, PythonLexer(), CODE)


def output_of(cell: NotebookNode, claims: bool = True) -> str:
    """Return the first lines that `cell` printed, with those of its claims or without."""
    lines = [line for line in printed(cell) if claims or not CLAIM.match(line)]
    shown = lines[:MOST_LINES] + ["..."] * (len(lines) > MOST_LINES)
    return f'<pre class="output">{html.escape(chr(10).join(shown))}</pre>' if lines else ""


def table_of(cell: NotebookNode) -> str:
    """Return the first table that `cell` puts out, without the columns that no slide has room for."""
    texts = [output.get("data", {}).get("text/markdown", "") for output in cell.outputs]
    lines = next((text.splitlines() for text in texts if text.startswith("|")), [])
    if not lines:
        return ""
    rows = [[entry.strip() for entry in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    columns = [k for k, name in enumerate(rows[0]) if name not in HIDDEN_COLUMNS]
    shown = [" | ".join(row[k] for k in columns) for row in rows[: MOST_ROWS + 2]]
    left = len(rows) - len(shown)
    below = [f"And {left} more in the notebook."] if left else []
    below += [text.split(";")[0] for text in texts if text.startswith("\\*") and any(" *" in row for row in shown)]
    return as_html("\n".join(f"| {row} |" for row in shown) + "\n\n" + " ".join(below))


def exercises(slide: Slide, *_) -> str:
    found = EXERCISE.findall("\n\n".join(cell.source for cell in slide.cells if cell.cell_type == "markdown"))
    rows = [
        f"| {k} | **{name}** | {first_clause(why)} | {level}, {minutes} min |"
        for k, (name, level, minutes, why) in enumerate(found, 1)
    ]
    return as_html("\n".join(["| no. | exercise | trains | level |", "|---|---|---|---|", *rows]))


def summary(slide: Slide, *_) -> str:
    """Return the table of the summary; of a long entry what stands before the first semicolon."""
    table = tables(slide.lead.source)
    head, _, *rows = (re.split(r"(?<!\\) \| ", line.strip("| ")) for line in table.splitlines() if line)
    if all(len(row) == 2 for row in rows):
        entries = [(name, entry if count(entry) <= MOST_ENTRY else entry.split(";")[0]) for name, entry in rows]
        lines = [f"| **{name}** | {entry} |" for name, entry in entries]
        table = "\n".join([f"| {' | '.join(head)} |", "|---|---|", *lines])
    return as_html(table)


BODIES = {
    "title": title,
    "text": text,
    "predict": predict,
    "code": code,
    "bug": code,
    "bug-answer": bug_answer,
    "result": result,
    "picture": picture,
    "exercises": exercises,
    "summary": summary,
}
