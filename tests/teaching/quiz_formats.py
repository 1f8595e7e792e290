"""Readers of the formats of a quiz, each by the signs of that format alone: [(name, text, key, choices, reasons)]."""

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from html import unescape

from tools.quiz.file import LETTERS
from tools.quiz.qti import CONTENT, QTI
from tools.quiz.qti12 import CONTENT11, QTI12


def split(text: str, signs: str) -> list[tuple[str, str]]:
    """Return [(sign, what follows it)] of `text`, cut at each of `signs` that has no backslash before it."""
    parts = re.split(rf"(?<!\\)((?:\\\\)*)([{re.escape(signs)}])", text)
    found = [("", parts[0])]
    for backslashes, sign, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        found[-1] = (found[-1][0], found[-1][1] + backslashes)
        found.append((sign, rest))
    return found


def plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text.strip())


def of_gift(text: str) -> list[tuple]:
    category, *blocks = text.strip().split("\n\n")
    assert category.startswith("$CATEGORY: ")
    found = []
    for block in blocks:
        (_, head), (opening, inside), (closing, rest) = split(block, "{}")
        assert (opening, closing, rest) == ("{", "}", "")
        name, question = re.fullmatch(r"::(.*?)::\[plain\](.*)", head, flags=re.S).groups()
        keys, choices, reasons = [], {}, {}
        for letter, (sign, choice) in zip(LETTERS, split(inside, "=~")[1:], strict=False):
            (_, answer), (hash_sign, feedback) = split(choice, "#")
            assert hash_sign == "#"
            keys += [letter] if sign == "=" else []
            choices[letter], reasons[letter] = plain(answer), plain(feedback)
        found.append((plain(name), plain(question), *keys, choices, reasons))
    return found


def xml_files(packed: bytes) -> dict[str, ET.Element]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        return {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}  # all of it is XML


def of_qti(packed: bytes) -> list[tuple]:
    n, cp, files = f"{{{QTI}}}", f"{{{CONTENT}}}", xml_files(packed)
    resources = list(files["imsmanifest.xml"].iter(f"{cp}resource"))
    assert {file.get("href") for r in resources for file in r} - {None} == set(files) - {"imsmanifest.xml"}
    names = [r.get("identifier") for r in resources]
    assert len(set(names)) == len(names)
    assert {d.get("identifierref") for r in resources for d in r.iter(f"{cp}dependency")} == set(names[1:])
    assert {r.get("type") for r in resources} == {"imsqti_test_xmlv2p1", "imsqti_item_xmlv2p1"}
    found = []
    for reference in files["test.xml"].iter(f"{n}assessmentItemRef"):
        item = files[reference.get("href")]
        assert item.tag == f"{n}assessmentItem" and item.get("identifier") == reference.get("identifier")
        assert re.fullmatch(r"[A-Za-z_][\w.-]*", item.get("identifier"))
        key = item.find(f"{n}responseDeclaration/{n}correctResponse/{n}value").text
        choices = {c.get("identifier"): c.text for c in item.iter(f"{n}simpleChoice")}
        reasons = {c.get("identifier"): c.text for c in item.iter(f"{n}modalFeedback")}
        found.append((item.get("title"), item.find(f".//{n}prompt").text, key, choices, reasons))
    return found


def of_canvas(packed: bytes) -> list[tuple]:
    """QTI 1.2 with a feedback for each choice."""
    n, files = f"{{{QTI12}}}", xml_files(packed)
    (resource,) = files["imsmanifest.xml"].iter(f"{{{CONTENT11}}}resource")
    assert resource.get("type") == "imsqti_xmlv1p2" and {resource[0].get("href"), "imsmanifest.xml"} == set(files)
    found = []
    for item in files[resource[0].get("href")].iter(f"{n}item"):
        said, choices = (
            {one.get("ident"): unescape(one.find(f".//{n}mattext").text) for one in item.iter(n + kind)}
            for kind in ("itemfeedback", "response_label")
        )
        keys, reasons = [], {}
        for condition in item.iter(f"{n}respcondition"):
            letter = condition.find(f".//{n}varequal").text
            keys += [letter] if condition.findtext(f"{n}setvar") == "100" else []
            for shown in condition.iter(f"{n}displayfeedback"):
                assert condition.get("continue") == "Yes" and not keys, "feedback comes first, or the key ends it"
                reasons[letter] = said[shown.get("linkrefid")]
        text = item.find(f"{n}presentation/{n}material/{n}mattext").text
        found.append((item.get("title"), unescape(text), *keys, choices, reasons))
    return found
