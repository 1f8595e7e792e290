"""A quiz as a package of QTI 2.1, which learning platforms read: a zip with a list of its files, a test, and its items."""

import io
import zipfile
from xml.sax.saxutils import escape, quoteattr

from tools.quiz.file import Question, Quiz

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
CONTENT = "http://www.imsglobal.org/xsd/imscp_v1p1"
# One point, and the reason of the choice as modal feedback.
ITEM = """<?xml version='1.0' encoding='utf-8'?>
<assessmentItem xmlns="{QTI}" identifier="q{id}" title="{id}" adaptive="false" timeDependent="false">
  <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier">
    <correctResponse><value>{key}</value></correctResponse>
  </responseDeclaration>
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float" />
  <outcomeDeclaration identifier="FEEDBACK" cardinality="single" baseType="identifier" />
  <itemBody>
    <choiceInteraction responseIdentifier="RESPONSE" shuffle="true" maxChoices="1">
      <prompt>{text}</prompt>{choices}
    </choiceInteraction>
  </itemBody>
  <responseProcessing>
    <responseCondition>
      <responseIf>
        <match><variable identifier="RESPONSE" /><correct identifier="RESPONSE" /></match>
        <setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue>
      </responseIf>
      <responseElse>
        <setOutcomeValue identifier="SCORE"><baseValue baseType="float">0</baseValue></setOutcomeValue>
      </responseElse>
    </responseCondition>
    <setOutcomeValue identifier="FEEDBACK"><variable identifier="RESPONSE" /></setOutcomeValue>
  </responseProcessing>{reasons}
</assessmentItem>"""
CHOICE = '\n      <simpleChoice identifier="{}">{}</simpleChoice>'
REASON = '\n  <modalFeedback outcomeIdentifier="FEEDBACK" showHide="show" identifier="{}">{}</modalFeedback>'
TEST = """<?xml version='1.0' encoding='utf-8'?>
<assessmentTest xmlns="{QTI}" identifier="quiz-{name}" title={title}>
  <testPart identifier="part" navigationMode="nonlinear" submissionMode="simultaneous">
    <assessmentSection identifier="section" title={title} visible="true">{items}
    </assessmentSection>
  </testPart>
</assessmentTest>"""
ITEM_OF_TEST = '\n      <assessmentItemRef identifier="q{0}" href="items/{0}.xml" />'
MANIFEST = """<?xml version='1.0' encoding='utf-8'?>
<manifest xmlns="{CONTENT}" identifier="package-{name}">
  <metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>
  <organizations />
  <resources>
    <resource identifier="test-{name}" type="imsqti_test_xmlv2p1" href="test.xml">
      <file href="test.xml" />{needed}
    </resource>{items}
  </resources>
</manifest>"""
NEEDED = '\n      <dependency identifierref="r{}" />'
ITEM_OF_MANIFEST = """
    <resource identifier="r{0}" type="imsqti_item_xmlv2p1" href="items/{0}.xml">
      <file href="items/{0}.xml" />
    </resource>"""


def item(question: Question) -> str:
    """Return `question` as XML."""
    choices = "".join(CHOICE.format(letter, escape(choice.text)) for letter, choice in question.lettered())
    reasons = "".join(REASON.format(letter, escape(choice.because)) for letter, choice in question.lettered())
    text = escape(question.text)
    return ITEM.format(QTI=QTI, id=question.id, key=question.key, text=text, choices=choices, reasons=reasons)


def qti(quiz: Quiz) -> bytes:
    """Return the zip of `quiz`; the same quiz gives the same bytes."""

    def each(template: str) -> str:
        return "".join(template.format(question.id) for question in quiz.questions)

    needed, listed = each(NEEDED), each(ITEM_OF_MANIFEST)
    files = {
        "imsmanifest.xml": MANIFEST.format(CONTENT=CONTENT, name=quiz.name, needed=needed, items=listed),
        "test.xml": TEST.format(QTI=QTI, name=quiz.name, title=quoteattr(quiz.title), items=each(ITEM_OF_TEST)),
        **{f"items/{question.id}.xml": item(question) for question in quiz.questions},
    }
    return packed(files)


def packed(files: dict[str, str]) -> bytes:
    """Return the zip of {name: content}; the same files give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return made.getvalue()
