"""The pages as files: described pictures, links that lead somewhere, nothing from other machines."""

import csv
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from pygments.styles import get_style_by_name
from pygments.token import Error

from tests.notebooks.reading import PATHS, read
from tests.pages.markup import Tags
from tools.course import ROOT
from tools.notebooks import is_deeper
from tools.pages import conf, sources
from tools.pages.__main__ import build
from tools.pages.collect import explorer_cells
from tools.pages.formulas import mathml

LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}  # what a browser fetches


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Tags]:
    return {path: Tags(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def saved_pictures(path) -> list[str]:
    """Return the alternative texts of the pictures saved in a notebook, in order."""
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    return [output.metadata["image/png"]["alt"] for output in outputs if "image/png" in output.get("data", {})]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_picture_has_its_alternative_text(site, pages, path):
    """In order, for each the words of the saved notebook; of explorers, the numbers may differ: one is trained here."""
    page = pages[site / "notebooks" / f"{path.stem}.html"]
    shown = [image["alt"] for image, _ in page.all("img") if "/_static/" not in image["src"]]
    blank = lambda text: re.sub(r"[\d.,]+", "#", text)  # noqa: E731
    assert [blank(alt) for alt in shown] == [blank(alt) for alt in saved_pictures(path)]
    if path.stem != "04_learned":
        assert shown == saved_pictures(path)


def test_nothing_is_loaded_from_another_machine(pages):
    for path, page in pages.items():
        for tag, name in LOADING.items():
            for attributes, _ in page.all(tag):
                if attributes.get("rel") not in ("canonical",):
                    assert not urlsplit(attributes.get(name) or "").netloc, f"{path.name}: {tag} {attributes[name]}"
    for sheet in [file for path in pages for file in path.parent.rglob("_static/**/*.css")]:
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_every_internal_link_and_anchor_exists(site, pages):
    broken, ids = [], {path: {*page.ids} for path, page in pages.items()}
    for path, page in pages.items():
        links = [a["href"] for a, _ in page.all("a") if "href" in a] + [image["src"] for image, _ in page.all("img")]
        for link in links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                broken.append(f"{path.relative_to(site)}: {link}")
            elif parts.fragment and target.suffix == ".html" and parts.fragment not in ids[target]:
                broken.append(f"{path.relative_to(site)}: {link} (no such anchor)")
    assert not broken


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_cell_has_an_anchor_and_folds_are_folded(site, pages, path):
    page, notebook = pages[site / "notebooks" / f"{path.stem}.html"], read(path)
    assert {cell.id for cell in notebook.cells} <= {*page.ids}
    folds = [attributes for attributes, _ in page.all("details")]
    assert not [fold for fold in folds if "open" in fold]
    assert sum(fold.get("class") == "deeper" for fold in folds) == sum(map(is_deeper, notebook.cells))
    solutions = sum("<summary>Solution</summary>" in cell.source for cell in notebook.cells)
    assert [text for _, text in page.all("summary")].count("Solution") == solutions > 0


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_explorers_know_every_state(site, pages, path):
    text = (site / "notebooks" / f"{path.stem}.html").read_text(encoding="utf-8")
    found = [json.loads(block) for block in re.findall(r'<script type="application/json">(.*?)</script>', text, re.S)]
    assert [facts["id"] for facts in found] == explorer_cells(read(path))
    for facts in found:
        count = 1
        for entry in facts["controls"]:
            count *= len(entry["words"])
        assert len(facts["sentences"]) == len(facts["files"]) == count
        files = {file for file in facts["files"] if file is not None}
        folder = site / "notebooks" / facts["folder"]
        assert files == {int(file.stem) for file in folder.iterdir()}


def test_the_notebook_can_be_downloaded(site):
    for path in PATHS:
        assert (site / "downloads" / path.name).read_bytes() == path.read_bytes()
    assert (site / "downloads" / "models.csv").read_bytes() == (ROOT / "data" / "models.csv").read_bytes()


def test_no_browser_asks_for_an_icon_in_vain(site, pages):
    """Pages name one; a picture in full size cannot, and for that browsers ask for /favicon.ico."""
    for path, page in pages.items():
        (icon,) = [link["href"] for link, _ in page.all("link") if "icon" in link["rel"].split()]
        assert (path.parent / icon).is_file(), path
    assert (site / "favicon.ico").read_bytes()[:4] == b"\0\0\1\0"


def test_models_are_all_in_the_table(site):
    with open(ROOT / "data" / "models.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    text = (site / "models.html").read_text(encoding="utf-8")
    assert text.count("<tr>") == len(rows) + 1
    for row in rows:
        assert f"<td>{row['model']}</td>".replace("&", "&amp;") in text


def test_no_id_stands_twice_and_no_table_is_left_as_markdown(pages):
    for path, page in pages.items():
        assert len({*page.ids}) == len(page.ids), path.name
        texts = [text for *_, texts in page.found for text in texts]
        assert [text for text in texts if text.lstrip().startswith("| ")] == [], path.name


def test_formulas_need_no_script(site):
    text = (site / "notebooks" / "03_sinusoidal.html").read_text(encoding="utf-8")
    assert "<math" in text and "mathjax.js" not in text.lower() and "$$" not in text


@pytest.mark.parametrize("name", [conf.pygments_style, conf.pygments_dark_style])
def test_code_has_the_contrast_that_wcag_asks_for(name):
    def luminance(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (0, 2, 4)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    style = get_style_by_name(name)
    ground = luminance(style.background_color.removeprefix("#"))
    for token, found in style:
        if found["color"] and token not in Error:
            dark, light = sorted((ground, luminance(found["color"])))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, token


def test_a_line_over_a_term_is_as_wide_as_the_term():
    made = mathml(r"\mathrm{Re}\big(\overline{q\,e^{imw}} \; k\big)")
    assert "border-top" in made and "\u2015" not in made and made.count("<mi>q</mi>") == 1
    assert "border" not in mathml(r"\bar q k")


def test_with_an_address_launch_buttons_are_links(monkeypatch):
    notebook = read(PATHS[0])
    source = notebook.cells[0].source
    monkeypatch.setattr(sources, "address", lambda: "https://github.com/owner/name")
    badges = sources.badges("https://github.com/owner/name", PATHS[0].name)
    made = sources.download(source.replace(sources.badges("", PATHS[0].name), badges), PATHS[0].stem)
    assert "[Open in Colab](https://colab.research.google.com/github/owner/name" in made
    assert "[Open in Binder](https://mybinder.org/v2/gh/owner/name" in made
    assert "badge" not in made, "badges are pictures on other machines"


def test_a_picture_without_words_stops_the_build(tmp_path):
    output = nbformat.v4.new_output("display_data", {"image/png": ""})
    with pytest.raises(ValueError, match=r"01_x, cell-0.png: a picture without alternative text"):
        sources.picture(output, tmp_path, "cell-0.png", "01_x")


@pytest.mark.nightly
def test_a_translation_takes_the_place_of_the_english_text(built):
    german = built("pages-de", build, language="de")
    text = (german / "notebooks" / "01_why_order_matters.html").read_text(encoding="utf-8")
    assert "<h1>01 Warum die Reihenfolge zählt" in text and "What does self-attention know" not in text
    english = (german / "notebooks" / "02_naive_encodings.html").read_text(encoding="utf-8")
    assert "<h1>02 Naive encodings" in english, "what is not translated stays English"


@pytest.mark.nightly
def test_catalogues_hold_every_heading(built):
    catalogues = built("translations", build, builder="gettext")
    for path in PATHS:
        texts = (catalogues / "notebooks" / f"{path.stem}.pot").read_text(encoding="utf-8")
        assert read(path).cells[0].source.split("\n")[0].removeprefix("# ") in texts
