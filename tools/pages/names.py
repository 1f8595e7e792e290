"""Names by ear: what a fold, a button or a field belongs to, where its own words do not say it."""

import re
from collections import Counter

VAGUE = {"Open this section", "show me", "Your prediction:"}  # named by the heading above even where they stand once
PART = re.compile(
    r'<h[1-6]>(?P<heading>.*?)<a class="headerlink"|(?:<label>(?P<asks>[^<]+))?'
    r'<(?P<tag>summary|fieldset|button type="(?:submit|reset)"|input type="text")(?P<rest>[^>]*)>'
    r"(?:<legend>)?(?P<words>[^<]*)",
    re.S,
)


def named(body: str) -> str:
    """Return the HTML `body` of a page, in which what is vague, or stands more than once, is named by its section, too.

    A fold of code has a title of its own, and is left as it is; so is what has a name already.
    """
    words_of = lambda part: (part["asks"] or part["words"] or "").strip()  # noqa: E731
    often = Counter(map(words_of, PART.finditer(body)))
    heading, given = "", Counter()

    def one(part: re.Match) -> str:
        nonlocal heading
        words = words_of(part)
        if part["heading"] is not None:
            heading = re.sub("<[^>]*>", "", part["heading"]).replace('"', "&quot;")
        if not words or "aria-label=" in part["rest"] or (often[words] == 1 and words not in VAGUE):
            return part[0]
        name = f"{words.rstrip(':')}: {heading}"
        given[name] += 1
        number = f" ({given[name]})" * (given[name] > 1)
        at = part.end("tag") - part.start()
        return f'{part[0][:at]} aria-label="{name}{number}"{part[0][at:]}'

    return PART.sub(one, body)
