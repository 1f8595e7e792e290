"""A quiz as a package of QTI 1.2, the older format, of which Canvas reads the feedback, too (of QTI 2.1 it does not)."""

from xml.sax.saxutils import escape, quoteattr

from tools.quiz.file import Question, Quiz
from tools.quiz.qti import packed

QTI12 = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
CONTENT11 = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
ASSESSMENT = """<?xml version='1.0' encoding='utf-8'?>
<questestinterop xmlns="{QTI12}">
  <assessment ident="quiz-{name}" title={title}>
    <section ident="root_section">{items}
    </section>
  </assessment>
</questestinterop>"""
ITEM = """
      <item ident="q{id}" title="{id}">
        <itemmetadata><qtimetadata>{facts}</qtimetadata></itemmetadata>
        <presentation>
          {text}
          <response_lid ident="response1" rcardinality="Single">
            <render_choice shuffle="Yes">{choices}</render_choice>
          </response_lid>
        </presentation>
        <resprocessing>
          <outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>{shown}
          <respcondition continue="No">
            <conditionvar><varequal respident="response1">{key}</varequal></conditionvar>
            <setvar action="Set" varname="SCORE">100</setvar>
          </respcondition>
        </resprocessing>{reasons}
      </item>"""
TEXT = '<material><mattext texttype="text/html">{}</mattext></material>'
FACT = "\n            <qtimetadatafield><fieldlabel>{}</fieldlabel><fieldentry>{}</fieldentry></qtimetadatafield>"
FACTS = FACT.format("question_type", "multiple_choice_question") + FACT.format("points_possible", 1)
CHOICE = '\n              <response_label ident="{}">{}</response_label>'
SHOWN = """
          <respcondition continue="Yes">
            <conditionvar><varequal respident="response1">{0}</varequal></conditionvar>
            <displayfeedback feedbacktype="Response" linkrefid="{0}_fb"/>
          </respcondition>"""
REASON = '\n        <itemfeedback ident="{}_fb"><flow_mat>{}</flow_mat></itemfeedback>'
MANIFEST = """<?xml version='1.0' encoding='utf-8'?>
<manifest xmlns="{CONTENT11}" identifier="package-{name}">
  <metadata><schema>IMS Content</schema><schemaversion>1.1.3</schemaversion></metadata>
  <organizations />
  <resources>
    <resource identifier="quiz-{name}" type="imsqti_xmlv1p2">
      <file href="quiz-{name}.xml" />
    </resource>
  </resources>
</manifest>"""


def _html(text: str) -> str:
    """Return plain `text` as HTML, written into XML."""
    return TEXT.format(escape(escape(text)))


def _item(question: Question) -> str:
    choices = "".join(CHOICE.format(letter, _html(choice.text)) for letter, choice in question.lettered())
    shown = "".join(SHOWN.format(letter) for letter, _ in question.lettered())
    reasons = "".join(REASON.format(letter, _html(choice.because)) for letter, choice in question.lettered())
    parts = {"text": _html(question.text), "choices": choices, "shown": shown, "reasons": reasons}
    return ITEM.format(id=question.id, key=question.key, facts=FACTS, **parts)


def qti12(quiz: Quiz) -> bytes:
    """Return the zip of `quiz`; the same quiz gives the same bytes."""
    items = "".join(map(_item, quiz.questions))
    title = quoteattr(quiz.title)
    return packed(
        {
            "imsmanifest.xml": MANIFEST.format(CONTENT11=CONTENT11, name=quiz.name),
            f"quiz-{quiz.name}.xml": ASSESSMENT.format(QTI12=QTI12, name=quiz.name, title=title, items=items),
        }
    )
