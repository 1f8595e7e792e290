"""Whoever makes a number refuses what looks at later tokens, with one sentence; whatever looks back alone is let in.

A table of cheats and a table of honest encodings, each put to everything that makes a number.
"""

import copy
import re

import pytest
import torch

from posenc_helpers.classroom.rules import check_encoding
from posenc_helpers.encodings import ENCODINGS, NormalisedEncoding, RotaryEncoding
from posenc_helpers.lab import beyond as beyond_module
from posenc_helpers.lab import scorecard as scorecard_module
from posenc_helpers.lab.beyond import Score, beyond
from posenc_helpers.lab.rules import Candidate, admit, fair, still_fair
from posenc_helpers.lab.scorecard import learn, scorecard
from posenc_helpers.lab.shootout import shootout, train_readers
from posenc_helpers.lab.training import seeded
from posenc_helpers.lessons.choosing import leaderboard
from posenc_helpers.lessons.choosing.exercises import check_beats_rope
from posenc_helpers.lessons.choosing.leaderboard import Unfair, race, referee
from posenc_helpers.transformer import TinyTransformer
from tests.encodings.mistakes import MISTAKES
from tests.lab.of_readers import CHEATS, LOOK_BACK, ForgetGates, Normalised, OpensInTraining, following, short_text

TEXT = short_text()
LEARNED = {column: [0.5] for column in ("order", "order beyond", "distance", "beyond", "ranked")}


MAKERS = {
    "scorecard": lambda mine: scorecard(mine, LEARNED),
    "learn": lambda mine: learn(mine, steps=1),
    "beyond": lambda mine: beyond(mine, steps=1, text=TEXT, label=None),
    "train_readers": lambda mine: train_readers({"x": mine}, steps=1, text=TEXT, label=None),
    "shootout": lambda mine: shootout({"x": mine}, steps=1, text=TEXT, length=40, windows=2, label=None),
}


def asked(mine, capsys) -> dict[str, str]:
    """What everything that asks or makes numbers says against `mine`: {name: its words}, or '' where it is let in."""
    capsys.readouterr()
    check_encoding(mine, only_broken=True)
    said = {"check_encoding": capsys.readouterr().out}
    found = referee(mine)
    refused = isinstance(found, Unfair)
    said["leaderboard"] = f"({found.name}) {found.why}" if refused else ""
    said["check_beats_rope"] = check_beats_rope(mine).message if refused else ""  # what is let in is raced
    for name, make in MAKERS.items():
        try:
            make(mine)
            said[name] = ""
        except ValueError as error:
            said[name] = str(error)
    return said


SENTENCE = re.compile(
    r"[Ii]t (looks at the future: (in a text of \d+ tokens, what stands from position \d+ on changes answers before it"
    r"|the answers to the first \d+ tokens of a text are others when it goes on to \d+ tokens, so they know its length))"
)


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_refused(name):
    with pytest.raises(ValueError, match=f"cannot be measured: {SENTENCE.pattern}"):
        admit(CHEATS[name], (64, 4, 512), least=32)


@pytest.mark.parametrize("name", LOOK_BACK)
def test_nobody_refuses_what_looks_back_alone(name):
    """Before training and after it; those of the course are asked by test_encodings.py."""
    assert admit(LOOK_BACK[name], (64, 4, 512), least=32).reach >= 512
    assert learn(LOOK_BACK[name], steps=1)


def test_rounding_of_sums_that_cancel_lies_far_below_the_smallest_leak(monkeypatch):
    def seen(build, above: float, lengths: tuple[int, ...]) -> bool:
        monkeypatch.setattr(fair, "ROUNDING", above)
        monkeypatch.setattr(fair, "LENGTHS", lengths)
        return fair.looks_ahead(Candidate(build).model(layers=1), 512) is not None

    assert fair.ROUNDING == 1e-11
    assert not seen(LOOK_BACK["forget gates, summed from the right"], 1e-13, (2, 3, 5, 9, 33, 129, 512))
    for length in (2, 9, 512):
        assert seen(CHEATS["door 1: 1e-7 of the next"], 1e-9, (length, 512))


@pytest.mark.parametrize("make", [MAKERS[name] for name in ("learn", "beyond", "train_readers", "shootout")])
def test_what_looks_ahead_once_it_is_trained_is_refused_then(make):
    with pytest.raises(
        ValueError, match="OpensInTraining cannot be measured: once trained, it looks at the future: in a"
    ):
        make(OpensInTraining)
    assert beyond_module.SMALL == (32, 2)  # and so asked at the sizes of those that learn recall


def test_a_length_may_be_known_by_what_says_so():
    """The flaw of notebook 02 keeps its row; whoever says so of an encoding of one's own is not raced all the same."""

    class Says(Normalised):
        reads_length = True

    class SaysAndLooks(Says):
        def embed(self, x, positions):
            return super().embed(x + following(x), positions)

    assert NormalisedEncoding.reads_length and not any(
        part.reads_length for name, build in ENCODINGS.items() if name != "normalised" for part in [build(64, 4, 64)]
    )
    assert scorecard(lambda width, heads, length: Says(), LEARNED)["consistent"] > 0.1
    assert referee(lambda width, heads, length: Says()).name == "breaks a rule: decodes with a key cache"
    with pytest.raises(ValueError, match="it looks at the future: in a text of"):
        scorecard(lambda width, heads, length: SaysAndLooks(), LEARNED)


BROKEN = {rule: MISTAKES[rule][0] for rule in ("keeps texts apart", "gives numbers", "gives the same twice")}
AHEAD = dict.fromkeys(("a speed from all keys", "one layer alone", "the length of the text"))


@pytest.mark.parametrize("name", [*BROKEN, *AHEAD])
def test_everyone_says_of_what_cannot_be_measured_what_the_rule_says(name, capsys):
    mine, sentence = BROKEN.get(name) or (CHEATS[name], SENTENCE)
    said = asked(mine, capsys)
    found = {who: re.search(sentence, words) for who, words in said.items()}
    assert all(found.values()), said
    assert len({words[0].lower() for words in found.values()}) == 1
    if name in BROKEN:
        assert f"NO  {name}" in said["check_encoding"] and f"breaks a rule: {name}" in said["leaderboard"]


@pytest.mark.parametrize(
    "make", [*MAKERS.values(), scorecard, lambda mine: race(referee(mine), steps=1)], ids=[*MAKERS, "all of it", "race"]
)
def test_everyone_is_asked_once_at_the_door(make, monkeypatch):
    """What trains and reads behind the door trusts the Entrant; only what it has become in training is asked again."""
    asked, looks_ahead = [], fair.looks_ahead

    def look(model: TinyTransformer, longest: int, everywhere: bool = True) -> str | None:
        asked.append(everywhere)
        return looks_ahead(model, longest, everywhere)

    monkeypatch.setattr(fair, "looks_ahead", look)
    monkeypatch.setattr(beyond_module, "WINDOWS", 2)
    monkeypatch.setattr(scorecard_module, "train", lambda *arguments, **settings: None)
    monkeypatch.setattr(leaderboard, "_rope", lambda seed, steps: Score("rope", seed, 1.0, 1.0, 1.0))
    make(RotaryEncoding)
    assert asked[0] and asked.count(True) == 1


def test_asking_a_trained_model_changes_nothing():
    with seeded(0):
        model = TinyTransformer(29, 64, 4, 2, ForgetGates(64, 4), causal=False).train()
    model(torch.zeros(1, 3, dtype=torch.long)).sum().backward()
    before, state = copy.deepcopy(model.state_dict()), torch.get_rng_state()
    assert still_fair(model) is model
    assert model.training and not model.blocks[0].attention.causal and model.encoding.gate.weight.grad is not None
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)


def test_what_keeps_a_tensor_of_its_last_call_can_be_asked_when_it_is_trained():
    class Keeps(ForgetGates):
        def bias(self, *doors):
            self.last = super().bias(*doors)
            return self.last

    models = train_readers({"x": Keeps}, steps=1, text=TEXT, label=None)
    assert models["x"].encoding.last.isfinite().all()
