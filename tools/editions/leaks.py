"""The leak check: no line of a solution or of an answer stands in what students get.

Read are sources, outputs, metadata and attachments of notebooks, what is coded in them as base64 or HTML, and text files.
Lines of less than 12 signs (`return M`) say nothing and are not looked for. Nor are
the lines of a stub, and those of TAUGHT: the lesson says them in the open, for another purpose.
"""

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from nbformat import NotebookNode

from tools.editions.folds import answer_folds, without_hints
from tools.editions.student import predictions, quotes, sections
from tools.grading.reading import ANSWER, SOLUTION, exercises, tags

SHORTEST = 12
TAUGHT = """
    positions has dtype torch.bfloat16, in which neighbouring positions are equal from 256 on; pass integers or float32
    padded = nn.functional.pad(scores, (1, 0))                      05: `skew`, which the exercise widens
    with seeded(6):                                                 05
    relative = k_positions[None, :] - q_positions[:, None]          05, 07: key minus query
    cos, sin = angle.cos(), angle.sin()                             06: the rotation from scratch
    place = torch.arange(length)                                    07, and a drawing
    return tokens, labels                                           08: every task
    for steps in (300, 600):                                        08, 11: stored results after both
    return q @ k.mT                                                 09
    own = owner[:, None] == owner                                   10: packed pictures
    cells = interpolate(cells, size=new_size, mode="bicubic")
    distance = q_positions[..., :, None] - k_positions[..., None, :]   11: "Bring your own encoding" builds such a bias
    return (-self.slopes[:, None, None] * price).to(q.dtype)
    return "better"                                                 11: a verdict of the lesson
"""
BASE64 = re.compile(r"[A-Za-z0-9+/\s]{40,}={0,2}")
SOURCES = {".py", ".md", ".json", ".csv", ".txt", ".toml", ".yml", ".html", ".svg", ".cfg", ""}


def plain(text: str) -> str:
    """Return `text` without spaces and capitals, for code that is written otherwise, and without marks of lists."""
    return re.sub(r"\s+", "", text).lower()


def lines(text: str) -> set[str]:
    """Return the lines of `text` that say something, plain, code without its comments."""
    found = set()
    for line in text.splitlines():
        line = re.sub(r"^\s*(?:\d+\.|[-*>])\s+", "", line)
        found |= {plain(line), plain(line.split("  #")[0])}
    return {line for line in found if len(line) >= SHORTEST and re.search(r"\w{3}", line)}


def answers(notebook: NotebookNode) -> set[str]:
    """Return the lines of all answers in `notebook`.

    They are in cells of solutions, keys and rubrics, in folds of answers, in cells of answers with what they print and
    draw, and in what answers a "Predict".
    """
    found = set()
    for cell in notebook.cells:
        for _, text in answer_folds(cell):
            found |= lines(text)
        if SOLUTION in tags(cell):
            found |= lines(without_hints(cell))
        if ANSWER in tags(cell):
            found |= lines(cell.source)
            for output in cell.get("outputs", []):
                for text in [output.get("text", ""), *output.get("data", {}).values()]:
                    found |= {plain(text)} if BASE64.fullmatch(text) else lines(text)
        if cell.cell_type == "code":
            found |= {plain(line) for line in predictions(cell)}
    stubs = [lines(exercise.stub) for exercise in exercises(notebook)]
    return found - set().union(*stubs) - taught()


def told(notebook: NotebookNode, made: NotebookNode) -> list[str]:
    """Return the ids of cells in `made`, the student edition of `notebook`, that tell what answers a "Predict" above.

    That is a picture, which this cannot read, or a number of an answer of the section, in outputs and open text.
    """
    kept, found = {cell.id: cell for cell in made.cells}, []
    for cell, asked, _, numbers in sections(notebook.cells):
        outputs = kept[cell.id].get("outputs", []) if cell.id in kept and asked else []
        said = list(strings(outputs))
        if asked and cell.id in kept and cell.cell_type == "markdown":
            said.append(re.sub(r"<details>.*?</details>", "", kept[cell.id].source, flags=re.S))
        if any("image/png" in output.get("data", {}) for output in outputs) or any(quotes(s, numbers) for s in said):
            found.append(cell.id)
    return found


def taught() -> set[str]:
    """Return the lines of TAUGHT, plain."""
    return {plain(re.split(r"\s{3,}", line.strip())[0]) for line in TAUGHT.strip().splitlines()}


def strings(value) -> Iterator[str]:
    """Yield all texts in what JSON can hold, and what is coded in them."""
    if isinstance(value, str):
        yield value
        if "&" in value:
            yield html.unescape(value)
        for code in BASE64.findall(value):
            try:
                yield base64.b64decode(code).decode("latin-1")
            except (binascii.Error, ValueError):
                continue
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of the file at `path`: of a notebook every string in it."""
    if path.suffix in (".ipynb", ".json"):
        yield from strings(json.loads(path.read_text(encoding="utf-8")))
    elif path.suffix in SOURCES:
        yield path.read_text(encoding="utf-8")


def leaks(secrets: Iterable[str], said: Iterable[str]) -> list[str]:
    """Return those lines of `secrets` that stand in one of the texts `said`."""
    text = "\n".join(map(plain, said))
    return sorted(secret for secret in secrets if secret in text)
