"""The quizzes as QTI 2.1, and as QTI 1.2 for Canvas: each says the same as the file."""

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from html import unescape

from tests.teaching.test_quiz_exports import EVERY
from tools.quiz.qti import CONTENT, QTI, qti
from tools.quiz.qti12 import CONTENT11, QTI12, qti12


@EVERY
def test_qti_says_the_same(quiz):
    n, cp = f"{{{QTI}}}", f"{{{CONTENT}}}"
    assert qti(quiz) == qti(quiz)
    with zipfile.ZipFile(io.BytesIO(qti(quiz))) as archive:
        assert archive.testzip() is None
        files = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}  # all of it is XML
    resources = list(files["imsmanifest.xml"].iter(f"{cp}resource"))
    assert {file.get("href") for r in resources for file in r} - {None} == set(files) - {"imsmanifest.xml"}
    names = [r.get("identifier") for r in resources]
    assert len(set(names)) == len(names)
    assert {d.get("identifierref") for r in resources for d in r.iter(f"{cp}dependency")} == set(names[1:])
    assert {r.get("type") for r in resources} == {"imsqti_test_xmlv2p1", "imsqti_item_xmlv2p1"}
    items = []
    for reference in files["test.xml"].iter(f"{n}assessmentItemRef"):
        item = files[reference.get("href")]
        assert item.tag == f"{n}assessmentItem" and item.get("identifier") == reference.get("identifier")
        assert re.fullmatch(r"[A-Za-z_][\w.-]*", item.get("identifier"))
        key = item.find(f"{n}responseDeclaration/{n}correctResponse/{n}value").text
        choices = {c.get("identifier"): c.text for c in item.iter(f"{n}simpleChoice")}
        reasons = {c.get("identifier"): c.text for c in item.iter(f"{n}modalFeedback")}
        items.append((item.get("title"), item.find(f".//{n}prompt").text, key, choices, reasons))
    assert len({item[0] for item in items}) == len(quiz.questions)
    assert items == [
        (q.id, q.text, q.key, {a: c.text for a, c in q.lettered()}, {a: c.because for a, c in q.lettered()})
        for q in quiz.questions
    ]


@EVERY
def test_qti_for_canvas_says_the_same_with_a_feedback_for_each_choice(quiz):
    n, cp = f"{{{QTI12}}}", f"{{{CONTENT11}}}"
    assert qti12(quiz) == qti12(quiz)
    with zipfile.ZipFile(io.BytesIO(qti12(quiz))) as archive:
        files = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}
    (resource,) = files["imsmanifest.xml"].iter(f"{cp}resource")
    assert resource.get("type") == "imsqti_xmlv1p2" and {resource[0].get("href"), "imsmanifest.xml"} == set(files)
    items = []
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
        items.append((item.get("title"), unescape(text), keys, choices, reasons))
    assert items == [
        (q.id, q.text, [q.key], {a: c.text for a, c in q.lettered()}, {a: c.because for a, c in q.lettered()})
        for q in quiz.questions
    ]
