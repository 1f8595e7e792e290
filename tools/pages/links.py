"""What the texts name becomes a link: papers by their arXiv number, notebooks by theirs, the first use of a term."""

import html
import re
from functools import cache
from itertools import count

from tools.course import notebook_paths
from tools.pages.glossary import EVERYDAY, Term, terms

# What is left as it is: code, formulas, links, headings, what scripts change or read. Else one tag.
LEFT = "a|button|code|form|h[1-6]|label|legend|math|pre|script|style|summary|svg"
MARKUP = re.compile(
    r'(<!--.*?-->|<span class="try".*?</span>|<p class="says".*?</p>|<details class="how".*?</details>|'
    rf"<({LEFT})\b.*?</\2>|<[^>]*>)",
    re.S,
)
ARXIV = r"(?<![\w./-])(?P<paper>(?:0[7-9]|[12]\d)(?:0[1-9]|1[0-2])\.\d{5})(?:v\d)?(?!\w)"
ONE = r"(?:0[1-9]|1[0-2])"
NUMBERS = re.compile(rf"\b([Nn]otebooks?\s|(?<=\bin )|(?<=\())({ONE}(?:(?:,|\sand|\sor|\sto)\s{ONE})*)(?![\w.:%]\w|\w)")
LETTER = re.compile(r"\b([A-Za-z])_([A-Za-z]{1,4}|\d+)(\^T\b)?(?![A-Za-z0-9(\[_])")  # W_q, w_0, d_head, W_k^T
WITH_TERMS = re.compile(r"notebooks/|(index|questions|data)$")  # pages on which terms are explained


def dressed(body: str, page: str) -> str:
    """Return the HTML `body` of page `page` ("notebooks/06_rope") with its links, and letters with their indices."""
    up, seen = "../" * page.count("/"), set()
    pages = {path.name[:2]: path.stem for path in notebook_paths()}

    def paper(found: re.Match) -> str:
        return f'<a class="paper" href="https://arxiv.org/abs/{found["paper"]}">{found[0]}</a>'

    def notebooks(found: re.Match) -> str:
        if not found[1] and found[2][0] != "0":
            return found[0]  # "in 12" may count something
        first, *others = re.split(r"(\d\d)", found[0])
        parts = [first + others[0], *others[1:]]  # "notebooks 01" is one link, what follows one for each number
        return "".join(turned(part) for part in parts)

    def turned(part: str) -> str:
        number = part[-2:]
        if number not in pages or page.endswith(pages[number]):
            return part
        return f'<a href="{up}notebooks/{pages[number]}.html">{part}</a>'

    def explained(text: str, set_off: bool) -> str:
        def link(found: re.Match) -> str:
            form, term = form_of(" ".join(found[0].split()))
            if term.name in seen or (form in EVERYDAY and not (set_off and found.start() == 0)):
                return found[0]
            seen.add(term.name)
            return (
                f'<a class="term" href="{up}glossary.html#{term.anchor}" '
                f'data-means="{html.escape(term.means)}">{found[0]}</a>'
            )

        return _terms().sub(link, text)

    def text(words: str, set_off: bool) -> str:
        words = re.sub(ARXIV, paper, words)
        words = outside_links(words, lambda part: NUMBERS.sub(notebooks, part))
        if WITH_TERMS.match(page):
            words = outside_links(words, lambda part: explained(part, set_off))
        return outside_links(words, lambda part: LETTER.sub(with_index, part))

    texts, markup = MARKUP.split(body)[::3], ["", *MARKUP.split(body)[1::3]]  # they take turns
    done = [text(words, before in ("<em>", "<strong>")) for before, words in zip(markup, texts, strict=True)]
    folds = count(1)
    return re.sub(
        r"<details(?![^>]* id=)",
        lambda fold: f'{fold[0]} id="fold-{next(folds)}"',  # so that the search can lead into it
        "".join(before + words for before, words in zip(markup, done, strict=True)),
    )


def outside_links(words: str, change) -> str:
    """Return `words` with `change` applied to what is no markup in it."""
    pieces = re.split(r"(<a .*?</a>)", words)
    return "".join(piece if k % 2 else change(piece) for k, piece in enumerate(pieces))


def with_index(found: re.Match) -> str:
    letter, index, turned = found.groups()
    return f"<i>{letter}</i><sub>{index}</sub>{'<sup>T</sup>' if turned else ''}"


@cache
def _forms() -> dict[str, Term]:
    found: dict[str, Term] = {}
    for term in terms():
        for form in term.forms():
            found.setdefault(html.escape(form, quote=False), term)
    return found


def form_of(words: str) -> tuple[str, Term]:
    """Return the form that `words` is a use of, and its term."""
    for form in (words, words[0].lower() + words[1:], words[:-1], words[0].lower() + words[1:-1]):
        if form in _forms():
            return form, _forms()[form]
    raise KeyError(words)


@cache
def _terms() -> re.Pattern:
    """Return the pattern of all forms, the longest first; a first letter may be large, an s may follow."""
    forms = sorted(_forms(), key=len, reverse=True)
    first = lambda form: f"[{form[0].upper()}{form[0]}]" if form[0].islower() else re.escape(form[0])  # noqa: E731
    words = "|".join(first(form) + re.escape(form[1:]).replace(r"\ ", r"\s+") for form in forms)
    return re.compile(rf"(?<![\w&#/.^-])(?:{words})s?(?![\w/^-]|\.\w| et al)")
