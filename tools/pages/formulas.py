"""Formulas as MathML, which browsers show without a script."""

from xml.etree import ElementTree

from latex2mathml.converter import convert

SPACE = "http://www.w3.org/1998/Math/MathML"
LINE = "\u2015"  # what latex2mathml puts over a term; where a system has no font for formulas, it does not grow
ElementTree.register_namespace("", SPACE)


def mathml(formula: str, display: str = "inline") -> str:
    """Return a LaTeX formula as MathML; a line over a term is drawn as its border, as wide as the term."""
    tree = ElementTree.fromstring(convert(formula, display=display))
    for over in tree.iter(f"{{{SPACE}}}mover"):
        if over[1].text == LINE:
            over.tag = f"{{{SPACE}}}mrow"
            over.set("style", "border-top: 0.06em solid; padding-top: 0.12em")
            over.remove(over[1])
    return ElementTree.tostring(tree, encoding="unicode")
