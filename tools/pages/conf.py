"""Sphinx's configuration of the pages. `python -m tools.pages` calls it; formulas become MathML, which needs no script."""

from docutils.nodes import SkipNode

from tools.pages.formulas import mathml
from tools.pages.links import dressed
from tools.pages.names import named

project = "posenc"
author = "the posenc developers"
copyright = "the posenc developers. Code: MIT. Text and figures: CC BY 4.0, share and adapt them with credit"
extensions = ["myst_nb"]
exclude_patterns = ["extra"]

nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "gfm"  # outputs hold tables
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 3
# The language of a fold's summary is the notebook's own title line.
suppress_warnings = ["mystnb.unknown_mime_type", "myst.header", "mystnb.mime_priority"]  # catalogues show no output

gettext_compact = False  # a catalogue a page
gettext_location = False  # where a text stands changes more often than the text

html_theme = "furo"
html_title = "posenc: positional encodings, measured"
html_static_path = ["static", "../quiz/static"]
html_css_files = ["pages.css", "quiz.css"]
SCRIPTS = ("predict", "bet", "explorer", "pan", "tries", "playable")  # predict first: it opens what others want to show
SCRIPTS += ("tables", "terms", "landing", "read", "print", "quiz")
html_js_files = [(f"{name}.js", {"defer": "defer"}) for name in SCRIPTS]
templates_path = ["templates"]
html_use_index = False  # the glossary is ours
html_favicon = "static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_theme_options = {"navigation_with_keys": False}  # arrow keys belong to the sliders


def _inline(writer, node):
    writer.body.append(mathml(node.astext()))
    _skip()


def _block(writer, node):
    writer.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>')
    _skip()


def _skip():
    raise SkipNode


def _dressed(app, page, template, context, doctree):
    """Let a fold be named by the words that it shows (MyST-NB gives all of them one name), and add names and links."""
    if "body" in context:
        context["body"] = named(dressed(context["body"].replace(' aria-label="Toggle hidden content"', ""), page))


def _search_is_ours(app):
    app.builder.search = False  # Sphinx's drops numbers and finds pages, not sections: see search.py


def _search_page(app):
    yield "search", {"title": "Search"}, "search.html"


def setup(app):
    app.connect("builder-inited", _search_is_ours)
    app.connect("html-collect-pages", _search_page)
    app.connect("html-page-context", _dressed)
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
