"""A quiz for other programs: GIFT (Moodle), QTI 2.1 (a zip), nbgrader (a notebook), and a page to print."""

import hashlib
import io
import re
import xml.etree.ElementTree as ET
import zipfile
from html import escape

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks import METADATA
from tools.quiz.file import Question, Quiz

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
CONTENT = "http://www.imsglobal.org/xsd/imscp_v1p1"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
PRINT_CSS = """
body { font: 11pt/1.4 sans-serif; max-width: 42em; margin: 2em auto; padding: 0 1em; }
li { break-inside: avoid; margin-bottom: 1em; } ol ol { list-style: lower-alpha; } ol ol li { margin: 0.2em 0; }
"""


def gift(quiz: Quiz) -> str:
    """Return `quiz` in Moodle's GIFT format, with the reason of each choice as its feedback."""

    def safe(text: str) -> str:  # a backslash first, so that those added here stay single
        return re.sub(r"([\\~=#{}:])", r"\\\1", text)

    parts = [f"$CATEGORY: posenc/{safe(quiz.name)} {safe(quiz.title)}"]
    for question in quiz.questions:
        lines = [f"::{safe(question.id)}::[plain]{safe(question.text)} {{"]
        lines += [f"\t{'=' if c.right else '~'}{safe(c.text)}#{safe(c.because)}" for c in question.choices]
        parts.append("\n".join([*lines, "}"]))
    return "\n\n".join(parts) + "\n"


def _element(tag: str, *inside, **attributes: str) -> ET.Element:
    """Return an XML element that holds `inside`: texts and elements."""
    made = ET.Element(tag, attributes)
    for part in inside:
        if isinstance(part, str):
            made.text = part
        else:
            made.append(part)
    return made


def _document(root: ET.Element) -> bytes:
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def qti_item(question: Question) -> bytes:
    """Return `question` as the XML of a QTI 2.1 item: one point, and the reason of the choice as modal feedback."""
    e = _element
    scores = [
        e(branch, *match, e("setOutcomeValue", e("baseValue", points, baseType="float"), identifier="SCORE"))
        for branch, points, match in (
            (
                "responseIf",
                "1",
                [e("match", e("variable", identifier="RESPONSE"), e("correct", identifier="RESPONSE"))],
            ),
            ("responseElse", "0", []),
        )
    ]
    interaction = e(
        "choiceInteraction",
        e("prompt", question.text),
        *(e("simpleChoice", choice.text, identifier=letter) for letter, choice in question.lettered()),
        responseIdentifier="RESPONSE",
        shuffle="true",
        maxChoices="1",
    )
    return _document(
        e(
            "assessmentItem",
            e(
                "responseDeclaration",
                e("correctResponse", e("value", question.key)),
                identifier="RESPONSE",
                cardinality="single",
                baseType="identifier",
            ),
            e("outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float"),
            e("outcomeDeclaration", identifier="FEEDBACK", cardinality="single", baseType="identifier"),
            e("itemBody", interaction),
            e(
                "responseProcessing",
                e("responseCondition", *scores),
                e("setOutcomeValue", e("variable", identifier="RESPONSE"), identifier="FEEDBACK"),
            ),
            *(
                e("modalFeedback", c.because, outcomeIdentifier="FEEDBACK", showHide="show", identifier=letter)
                for letter, c in question.lettered()
            ),
            xmlns=QTI,
            identifier=f"q{question.id}",
            title=question.id,
            adaptive="false",
            timeDependent="false",
        )
    )


def qti(quiz: Quiz) -> bytes:
    """Return `quiz` as a QTI 2.1 package: the bytes of a zip with imsmanifest.xml, a test, and an item a question."""
    e = _element
    items = {f"items/{question.id}.xml": question for question in quiz.questions}
    section = e(
        "assessmentSection",
        *(e("assessmentItemRef", identifier=f"q{q.id}", href=name) for name, q in items.items()),
        identifier="section",
        title=quiz.title,
        visible="true",
    )
    test = e(
        "assessmentTest",
        e("testPart", section, identifier="part", navigationMode="nonlinear", submissionMode="simultaneous"),
        xmlns=QTI,
        identifier=f"quiz-{quiz.name}",
        title=quiz.title,
    )
    resources = [
        e(
            "resource",
            e("file", href="test.xml"),
            *(e("dependency", identifierref=f"r{q.id}") for q in quiz.questions),
            identifier=f"test-{quiz.name}",
            type="imsqti_test_xmlv2p1",
            href="test.xml",
        ),
        *(
            e("resource", e("file", href=name), identifier=f"r{q.id}", type="imsqti_item_xmlv2p1", href=name)
            for name, q in items.items()
        ),
    ]
    manifest = e(
        "manifest",
        e("metadata", e("schema", "QTIv2.1 Package"), e("schemaversion", "1.0.0")),
        e("organizations"),
        e("resources", *resources),
        xmlns=CONTENT,
        identifier=f"package-{quiz.name}",
    )
    files = {"imsmanifest.xml": _document(manifest), "test.xml": _document(test)}
    files |= {name: qti_item(question) for name, question in items.items()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():  # with one date for all, so that the same quiz gives the same bytes
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def printed(quiz: Quiz) -> str:
    """Return the questions of `quiz` as an HTML page to print and hand out; the key is `printed_key`."""
    asked = []
    for question in quiz.questions:
        choices = "".join(f"<li>{escape(choice.text)}</li>" for choice in question.choices)
        asked.append(f"<li><p>{escape(question.text)}</p><ol>{choices}</ol></li>")
    about = "<p>Name: ____________________</p>\n<p>One choice is right. Columns, tokens and positions count from 0.</p>"
    return _page(f"Quiz {_head(quiz)}", about, asked)


def printed_key(quiz: Quiz) -> str:
    """Return the key to `printed` as an HTML page: what is right and why, and what each wrong choice stands for."""
    key = []
    for question in quiz.questions:
        reasons = "".join(
            f"<li>{'<b>Right.</b>' if c.right else f'<i>{escape(c.misconception)}.</i>'} {escape(c.because)} "
            f"({c.notebook[:2]}, cell {c.cell})</li>"
            for c in question.choices
        )
        key.append(f"<li><p><b>{question.key}</b></p><ol>{reasons}</ol></li>")
    return _page(f"Key to {_head(quiz)}", "", key)


def _head(quiz: Quiz) -> str:
    return f"{quiz.name}: {quiz.title}" if quiz.name[0].isdigit() else quiz.title


def _page(title: str, about: str, items: list[str]) -> str:
    title = escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{PRINT_CSS}</style></head>\n<body>\n<h1>{title}</h1>\n{about}\n<ol>\n{chr(10).join(items)}\n</ol>\n"
        "</body>\n</html>\n"
    )


def _graded(name: str, points: int | None = None) -> dict:
    """Return nbgrader's metadata, schema version 3, of a locked cell: a text, or a test that earns `points`."""
    entry = {
        "schema_version": 3,
        "grade_id": name,
        "grade": points is not None,
        "solution": False,
        "locked": True,
        "task": False,
    }
    return {"nbgrader": entry | ({} if points is None else {"points": points})}


def nbgrader(quiz: Quiz) -> nbformat.NotebookNode:
    """Return `quiz` as a notebook for nbgrader: source and release are alike, since no cell holds an answer.

    Answer cells carry no metadata of nbgrader, which would clear them. A locked test compares a salted hash, so the key
    cannot be read; whoever tries all four letters finds it, as with any multiple choice that is checked at once.
    """
    text = f'# Quiz {quiz.title}\n\nPut one letter for each `...`, with its quotes: `answer_1 = "a"`.'
    cells = [new_markdown_cell(text, id="quiz-title", metadata=_graded("quiz-title"))]
    for number, question in enumerate(quiz.questions, 1):
        name = f"question-{question.id}"
        listed = "\n".join(f"- **{letter}**: {_plain(choice.text)}" for letter, choice in question.lettered())
        text = f"**{number}.** {_plain(question.text)}\n\n{listed}"
        cells.append(new_markdown_cell(text, id=name, metadata=_graded(name)))
        cells.append(new_code_cell(f"answer_{number} = ...", id=f"answer-{question.id}"))
        salt = hashlib.sha256(repr(question).encode()).hexdigest()[:12]
        hidden = hashlib.sha256(f"{salt}:{question.key}".encode()).hexdigest()
        test = (
            "import hashlib\n"
            f'given = str(globals().get("answer_{number}")).strip().lower()\n'
            f'found = hashlib.sha256(f"{salt}:{{given}}".encode()).hexdigest()\n'
            f'assert found == "{hidden}", "question {number}: not yet"'
        )
        name = f"test-{question.id}"
        cells.append(new_code_cell(test, id=name, metadata=_graded(name, points=1)))
    return new_notebook(cells=cells, metadata=METADATA)


def _plain(text: str) -> str:
    """Return `text` as Markdown that shows every character as it is."""
    return re.sub(r"([\\`*_\[\]#|<>$~])", r"\\\1", text)
