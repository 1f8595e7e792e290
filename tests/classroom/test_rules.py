"""What `check_encoding` prints: a line for each rule that holds; where one does not, the input, the reason, the change."""

import pytest

from posenc_helpers.classroom.rules import check_encoding
from posenc_helpers.encodings import RotaryEncoding
from posenc_helpers.lab.rules import RULES
from tests.encodings.wrong_encodings import Counted, Looked, embed

ALL_HOLD = f"{len(RULES)} of {len(RULES)} rules hold."


def printed(capsys, *given, **sizes) -> list[str]:
    assert check_encoding(*given, **sizes) is None
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("mine", [RotaryEncoding, RotaryEncoding(4), lambda width, heads, length: RotaryEncoding(4)])
def test_a_line_for_each_rule_that_holds_or_none(mine, capsys):
    sizes = {"width": 8, "heads": 2}
    assert printed(capsys, mine, **sizes) == [*(f"ok  {rule.name}" for rule in RULES), ALL_HOLD]
    assert printed(capsys, mine, only_broken=True, **sizes) == [ALL_HOLD]


def test_input_reason_and_change_where_one_does_not(capsys):
    lines = printed(capsys, Looked)
    at = lines.index("NO  says where its table ends")
    (rule,) = (rule for rule in RULES if rule.name == "says where its table ends")
    assert lines[at + 1 : at + 4] == [
        "    where:  one token at position 320: stops with IndexError: index out of range in self",
        f"    why:    {rule.why}",
        f"    change: {rule.change}",
    ]
    assert [line[4:] for line in lines if line[:4] in ("ok  ", "NO  ")] == [rule.name for rule in RULES]
    assert lines[-1] == f"{len(RULES) - 2} of {len(RULES)} rules hold."


def test_what_does_not_run(capsys):
    lines = printed(capsys, embed(lambda x, p, m: x + m.rows))
    assert lines[0] == "NO  gives numbers" and "stops with AttributeError: 'Embed' object has no attribute" in lines[1]
    assert lines[-1] == "0 of 1 rules hold; the other rules wait until it runs."


def test_measured_numbers_are_marked_so_that_other_machines_may_differ(capsys):
    """As in a claim: the sanitiser of the notebooks blanks what follows "measured" up to a semicolon."""
    lines = [line for line in printed(capsys, Counted) if "off by" in line]
    assert lines and all("(measured " in line and "; required < 0.001)" in line for line in lines)
