"""From the saved notebooks and the Markdown pages to what Sphinx reads: nothing is executed, nothing is written twice."""

import posixpath
import re
import shutil
from pathlib import Path

import nbformat
from docutils.nodes import make_id

from tools.archive import course_files, name_of_course, pack
from tools.course import ROOT, address, badges, notebook_paths, the_map
from tools.grading.reading import ANSWER, FOLDED_ANSWER, SOLUTION
from tools.notebooks import is_deeper, is_folded, write
from tools.pages import bet, predict
from tools.pages.collect import explorer_cells
from tools.pages.explorer_html import explorer
from tools.pages.frames import Drawn
from tools.pages.glossary import with_anchors
from tools.pages.how import HOW
from tools.pages.models_table import models_page
from tools.pages.pictures import PAN, stored
from tools.pages.playable import collect_playable, playable_cells, playable_html
from tools.pages.tries import as_buttons
from tools.quiz.html import quiz_pages

# Where a file of the repository stands among the pages; links to it are turned accordingly.
PAGES = {
    "README.md": "index.md",
    "GLOSSARY.md": "glossary.md",
    "CONTRIBUTING.md": "contributing.md",
    "QUESTIONS.md": "questions.md",
    "data/README.md": "data.md",
}
EXERCISES = (
    'No code runs on this page: to do them, <a href="../downloads/{name}.ipynb" download>download this notebook</a>, and '
    f'<a href="../downloads/{name_of_course()}" download>the whole course</a> with it.'
)
CELL = "#cell-id="  # JupyterLab's way to a cell
HERE = Path(__file__).resolve().parent


def write_sources(folder: Path, frames: dict[tuple[str, str], Drawn]) -> None:
    """Fill `folder` with the sources of all pages; pictures and downloads, which Sphinx copies as they are, in extra/."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "notebooks").mkdir(parents=True)
    extra = folder / "extra"
    for path in notebook_paths():
        notebook = nbformat.read(path, as_version=4)
        turn(notebook, path.stem, frames, extra)
        write(notebook, folder / "notebooks" / path.name)
        (extra / "downloads").mkdir(parents=True, exist_ok=True)
        shutil.copy(path, extra / "downloads")
    for source, target in PAGES.items():
        if target != "index.md":
            text = (ROOT / source).read_text(encoding="utf-8")
            text = text.replace("# data/", "# The data", 1)
            text = re.sub(r'^(#+) <a id="(.+?)"></a>', r'<span id="\2"></span>\n\n\1 ', text, flags=re.M)
            text = with_anchors(text) if source == "GLOSSARY.md" else text
            (folder / target).write_text(relinked(text, Path(source).parent, target), encoding="utf-8")
    (folder / "quiz").mkdir()
    quizzes = quiz_pages()
    for file, text in quizzes.items():
        (folder / "quiz" / file).write_text(text, encoding="utf-8")
    listed = "\n".join(f"quiz/{file.removesuffix('.md')}" for file in sorted(quizzes))
    (folder / "quizzes.md").write_text(f"# Quizzes\n\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8")
    (folder / "models.md").write_text(models_page(), encoding="utf-8")
    shutil.copy(ROOT / "data" / "models.csv", extra / "downloads")
    shutil.copy(HERE / "favicon.ico", extra)  # what browsers ask for beside a picture in full size, which names none
    (folder / "index.md").write_text(index_page(extra), encoding="utf-8")
    pack(extra / "downloads" / name_of_course(), ROOT, course_files())  # for who has nothing but the pages


def turn(notebook: nbformat.NotebookNode, name: str, frames: dict[tuple[str, str], Drawn], extra: Path) -> None:
    """Change `notebook`, in place, into what the pages show: anchors, described pictures, explorers that move, folds."""
    drawn = {cell_id: frames[name, cell_id] for cell_id in explorer_cells(notebook)}
    playables = {cell_id: collect_playable(notebook, cell_id) for cell_id in playable_cells(notebook)}
    questions = predict.answers(notebook)
    cells, deep, unseen, title = [], 0, 0, ""  # levels of what is folded, and how many answers are shut
    for cell in notebook.cells:
        heading = re.match(r"(#+) ", cell.source) if cell.cell_type == "markdown" else None
        stop = predict.ENDS.search(cell.source) if cell.cell_type == "markdown" and unseen else None
        if stop and stop.start():  # within the cell
            cell.source = f"{cell.source[: stop.start()]}{predict.END * unseen}\n\n{cell.source[stop.start() :]}"
        elif stop:
            cells.append(raw(predict.END * unseen))
        unseen = 0 if stop else unseen
        if heading and deep and len(heading[1]) <= deep:
            cells.append(raw("</details>"))
            deep = 0
        title = cell.source.split("\n")[0].lstrip("# ") if heading else title  # of what comes now
        anchor = f'<span id="{cell.id}"></span>'
        if cell.cell_type == "markdown":
            cell.source = as_buttons(cell.source, {**drawn, **playables})
            cell.source = relinked(cell.source, Path("notebooks"), f"notebooks/{name}.md")
            if {ANSWER, FOLDED_ANSWER, SOLUTION} & {*cell.metadata.get("tags", [])}:
                cell.source = cell.source.replace("<details>", '<details class="answer">')  # what paper has at its end
            if cell.id == "title":
                cell.source = download(cell.source, name)
            if cell.source.startswith("## Exercises\n"):
                cell.source = cell.source.replace("\n", f"\n\n{EXERCISES.format(name=name)}\n", 1)
            if heading and make_id(cell.source.split("\n")[0]) == cell.id:
                anchor = ""  # the heading has that id by itself
            cells += [cell, raw(anchor)] if cell.id == "title" else [raw(anchor), cell]  # a page begins with its title
            if cell.id == "title":
                cells.append(raw(HOW))
            if is_deeper(cell):
                deep = len(heading[1])
                cells.append(raw('<details class="deeper"><summary>Open this section</summary>'))
            continue
        if cell.id in questions:
            cells.append(raw(anchor + "\n\n" + predict.form(cell.id, predict.kind_of(cell))))
            unseen += 1
            continue
        if cell.id == bet.CELL and name in bet.DECIDED:
            cells.append(raw(anchor + "\n\n" + bet.form(bet.measured(notebook, name))))
            continue
        for number, output in enumerate(cell.outputs):
            if "image/png" in output.get("data", {}):
                if cell.id in drawn:
                    markup = explorer(drawn[cell.id], cell.id, f"../frames/{name}/{cell.id}/", title)
                else:
                    markup = picture(output, extra / "pictures" / name, f"{cell.id}-{number}.png", name)
                if cell.id in playables:
                    markup = playable_html(playables[cell.id], cell.id, markup)
                cell.outputs[number] = nbformat.v4.new_output("display_data", {"text/html": markup})
        if is_folded(cell):
            fold = cell.source.split("\n")[0].removeprefix("#@title ")
            cell.metadata["mystnb"] = {"code_prompt_show": fold, "code_prompt_hide": fold}
            cell.source = cell.source.split("\n", 1)[1]
        cells += [raw(anchor), cell]
        if cell.id == bet.DECIDED.get(name):
            bet.drop_score(cell)
            cells.append(raw(bet.SCORE))
    ends = [predict.END * unseen, "</details>" * bool(deep), predict.LAST * bool(questions)]
    notebook.cells = [*cells, *map(raw, filter(None, ends))]


def raw(markup: str) -> nbformat.NotebookNode:
    """Return a cell that holds `markup` alone."""
    return nbformat.v4.new_markdown_cell(markup)


def picture(output: nbformat.NotebookNode, folder: Path, file: str, name: str, up: str = "../") -> str:
    """Store the picture of `output` as a file, and return it as HTML. Raises ValueError for one that is not described."""
    source = f"{up}pictures/{name}/{file}"
    image = stored(output, folder / file, source, f"{name}, {file}", ' loading="lazy"')
    return f'<a class="picture" href="{source}">{image}</a>{PAN}'  # in full size, for a phone


def download(source: str, name: str) -> str:
    """Return the first cell's text with a line of links in place of the badges, which lie on other machines."""
    there = badges(address(), f"{name}.ipynb")
    run = [f"[{words}]({link})" for words, link in re.findall(r"\[!\[(.+?)\]\(.+?\)\]\((.+?)\)", there)]
    links = [
        f'<a href="../downloads/{name}.ipynb" download>Download this notebook</a>',
        f'<a href="../quiz/{name[:2]}.html">its quiz</a>',
        *run,
        f'<a href="../downloads/{name_of_course()}" download>the whole course</a>, to run it: unpack, type `make lab`',
    ]
    return source.replace(there, " · ".join(links))


def relinked(text: str, here: Path, target: str) -> str:
    """Return `text`, which stands in folder `here` of the repository, with its links as they must be on page `target`."""
    up = "../" * target.count("/")

    def turned(match: re.Match) -> str:
        words, link, anchor = match[1], match[2], match[3] or ""
        if re.match(r"\w+:", link) or not link:
            return match[0]
        file = posixpath.normpath((here / link).as_posix())
        if anchor.startswith(CELL):  # an anchor that Sphinx does not know of, so a link in HTML
            words = re.sub("`(.+?)`", r"<code>\1</code>", words)
            return f'<a href="{up}{file.removesuffix(".ipynb")}.html#{anchor.removeprefix(CELL)}">{words}</a>'
        if file == "README.md" and anchor == "#the-notebooks":
            return f"[{words}]({up}index.md#the-notebooks)"
        if file in PAGES or file.startswith("notebooks/"):
            return f"[{words}]({up}{PAGES.get(file, file)}{anchor})"
        if address():
            return f"[{words}]({address()}/blob/main/{file}{anchor})"
        return f"{words} (`{file}`)"

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#\s]*)(#[^)\s]*)?\)", turned, text)


def index_page(extra: Path) -> str:
    """Return the first page: what the course is, a picture that one plays with, where to start, the map."""
    path, cell_id = ROOT / "notebooks" / "01_why_order_matters.ipynb", "see-run"
    notebook = nbformat.read(path, as_version=4)
    (output,) = [o for cell in notebook.cells if cell.id == cell_id for o in cell.outputs if "image/png" in o.data]
    still = picture(output, extra / "pictures" / path.stem, f"{cell_id}-0.png", path.stem, up="")
    shown = playable_html(collect_playable(notebook, cell_id), cell_id, still)
    notebooks = [f"notebooks/{path.stem}" for path in notebook_paths()]
    pages = [target.removesuffix(".md") for target in PAGES.values() if target != "index.md"]
    contents = [*notebooks, *pages, "models", "quizzes"]
    text = (HERE / "index.md").read_text(encoding="utf-8")
    return (
        text.replace("{map}", relinked(the_map(), Path(), "index.md"))
        .replace("{explorer}", shown)
        .replace("{course}", name_of_course())
        .replace("{contents}", "\n".join(contents))
    )
