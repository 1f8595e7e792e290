"""What `check_encoding` prints: a line for each rule that holds; where one does not, the input, the reason, the change."""

import pytest
import torch
from torch import Tensor, nn

from posenc_helpers.classroom.rules import check_encoding
from posenc_helpers.encodings import PositionalEncoding, RotaryEncoding, sinusoidal
from posenc_helpers.lab.rules import RULES


class Looked(PositionalEncoding):
    def __init__(self, width: int, length: int):
        super().__init__()
        self.rows = nn.Embedding(length, width)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.rows(positions)


def printed(capsys, *given, **sizes) -> list[str]:
    assert check_encoding(*given, **sizes) is None
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("mine", [RotaryEncoding, RotaryEncoding(4), lambda width, heads, length: RotaryEncoding(4)])
def test_a_line_for_each_rule_that_holds(mine, capsys):
    last = f"{len(RULES)} of {len(RULES)} rules hold."
    assert printed(capsys, mine, width=8, heads=2) == [*(f"ok  {rule.name}" for rule in RULES), last]


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


def test_rules_that_hold_can_be_left_out(capsys):
    check_encoding(RotaryEncoding(16), only_broken=True)
    assert capsys.readouterr().out == f"{len(RULES)} of {len(RULES)} rules hold.\n"


def test_what_does_not_run(capsys):
    class Broken(PositionalEncoding):
        def embed(self, x: Tensor, positions: Tensor) -> Tensor:
            return x + self.rows

    lines = printed(capsys, Broken)
    assert lines[0] == "NO  gives numbers" and "stops with AttributeError: 'Broken' object has no attribute" in lines[1]
    assert lines[-1] == "0 of 1 rules hold; the other rules wait until it runs."


def test_what_to_change_is_enough_to_mend_each_door(capsys):
    """Written for positions (L,), then mended by the words of the rule and no others."""

    def written(room):
        class Turns(PositionalEncoding):
            def turn(self, x: Tensor, positions: Tensor) -> Tensor:
                angles = room(positions[..., None] * torch.linspace(1, 0.1, x.shape[-1] // 2))
                a, b = x.float().chunk(2, -1)
                turned = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
                return torch.cat(turned, -1).to(x.dtype)

            def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
                return self.turn(q, q_positions), self.turn(k, k_positions)

        class Falls(PositionalEncoding):
            def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
                return room(-(q_positions[..., None] - k_positions[..., None, :]).abs()).to(q.dtype)

        return Turns, Falls

    for mine in written(lambda per_position: per_position):
        lines = printed(capsys, mine)
        broken = lines.index("NO  takes positions of each row")
        assert "[..., None, :, :]" in lines[broken + 3]
    for mine in written(lambda per_position: per_position[..., None, :, :]):
        assert printed(capsys, mine)[-1] == f"{len(RULES)} of {len(RULES)} rules hold."


def test_arguments_of_the_doors_are_named_where_they_are_wrong(capsys):
    class Alone(PositionalEncoding):
        def bias(self, distance: Tensor) -> Tensor:
            return -distance

    lines = printed(capsys, Alone)
    assert "takes 2 positional arguments but 5 were given" in lines[1]
    assert "bias(q, k, q_positions, k_positions)" in lines[3]


def test_measured_numbers_are_marked_so_that_other_machines_may_differ(capsys):
    """As in a claim: the sanitiser of the notebooks blanks what follows "measured" up to a semicolon."""

    class Counted(PositionalEncoding):
        def embed(self, x: Tensor, positions: Tensor) -> Tensor:
            return x + sinusoidal(torch.arange(x.shape[1]), x.shape[-1]).to(x.dtype)

    lines = [line for line in printed(capsys, Counted) if "off by" in line]
    assert lines and all("(measured " in line and "; required < 0.001)" in line for line in lines)


def test_what_is_none_is_named():
    with pytest.raises(TypeError, match="got a Tensor, which is no PositionalEncoding"):
        check_encoding(torch.zeros(3))
