"""What notebook 11 says of untrained rows and of a knob for each side, in data/results/clipped.csv and knobs.csv."""

import pytest
import torch

from posenc_helpers.encodings import DebertaEncoding, T5Encoding
from posenc_helpers.lab.results import load_results
from tools import experiments
from tools.experiments.on_everyone import last_trained_row

OWN = {"t5": 128, "deberta": 512}


def clipped(encoding: str, clip: int, what: str, times: int, steps: int) -> list[float]:
    wanted = {"encoding": encoding, "clip": clip, "what": what, "times": times, "steps": steps}
    found = sorted((row["seed"], row["value"]) for row in load_results("clipped") if wanted.items() <= row.items())
    assert [seed for seed, _ in found] == list(range(8))
    return [value for _, value in found]


def rises(encoding: str, clip: int, what: str, times: int, steps: int) -> list[float]:
    near, far = (clipped(encoding, clip, what, k, steps) for k in (1, times))
    return [b - a for a, b in zip(near, far, strict=True)]


@pytest.mark.parametrize("steps", [300, 600])
@pytest.mark.parametrize("encoding", ["t5", "deberta"])
def test_untrained_rows_are_most_of_what_happens_at_four_times(encoding, steps):
    whole, filled = (rises(encoding, OWN[encoding], what, 4, steps) for what in ("language", "filled"))
    assert all(b < 0.6 * a for a, b in zip(whole, filled, strict=True))
    assert max(rises(encoding, 16, "language", 4, steps)) < {300: 0.15, 600: 0.05}[steps] < min(whole)
    # a table clipped within the trained distances has no untrained rows
    assert clipped(encoding, 16, "filled", 16, steps) == clipped(encoding, 16, "language", 16, steps)
    # nothing is filled that training showed
    near = clipped(encoding, OWN[encoding], "language", 1, steps), clipped(encoding, OWN[encoding], "filled", 1, steps)
    assert near[0] == near[1]


def test_as_it_is_clipped_is_the_encoding_of_lengths():
    for encoding, clip in OWN.items():
        stored = sorted(
            (row["seed"], row["value"])
            for row in load_results("lengths")
            if (row["encoding"], row["what"], row["times"]) == (encoding, "language", 4)
        )
        assert clipped(encoding, clip, "language", 4, 300) == pytest.approx([value for _, value in stored], abs=0.08)


def test_the_last_trained_row_stands_for_all_beyond_it_and_for_nothing_else():
    q = torch.randn(1, 2, 96, 8, generator=torch.Generator().manual_seed(0))
    place = torch.arange(96)
    for made in (T5Encoding(2, max_distance=80), DebertaEncoding(2, 8, max_distance=70)):
        with torch.no_grad():
            for table in made.parameters():
                table.copy_(torch.randn(table.shape, generator=torch.Generator().manual_seed(1)))
            kept = {name: value.clone() for name, value in made.state_dict().items()}
            before, after = (
                encoding.bias(q, q, place, place)[..., -1, :] for encoding in (made, last_trained_row(made, 20))
            )
        assert torch.equal(before[..., -20:], after[..., -20:]) and not torch.allclose(
            before[..., :-32], after[..., :-32]
        )
        assert all(torch.equal(value, kept[name]) for name, value in made.state_dict().items())  # a copy was changed
        if isinstance(made, T5Encoding):
            assert (after[..., :-20] == after[..., -20:-19]).all()  # one row for all that is far


def knobs(encoding: str, steps: int, times: int = 16) -> list[float]:
    wanted = {"encoding": encoding, "times": times, "steps": steps}
    found = sorted((row["seed"], row["loss"]) for row in load_results("knobs") if wanted.items() <= row.items())
    assert [seed for seed, _ in found] == list(range(8))
    return [loss for _, loss in found]


@pytest.mark.parametrize("steps", [300, 600])
def test_with_a_knob_each_t5_still_wins_and_by_less(steps):
    plain = {300: "windowed", 600: "twice"}[steps]
    rope = [r["loss"] for r in load_results(plain) if (r["encoding"], r["what"]) == ("rope", "all keys")]
    t5, own = knobs("t5", steps), knobs("rope", steps)
    assert min(b - a for a, b in zip(t5, own, strict=True)) > 0.4  # T5 wins all pairs
    assert max(own) < min(rope) - 0.3  # its base helps RoPE with every seed
    assert min(rope) - max(t5) > max(own) - min(t5)  # and makes the difference smaller


def test_both_knobs_are_set_to_the_best_on_the_validation_text():
    for what, best in (("table rate", 16.0), ("base", 2.0)):
        tried = {row["setting"]: row["loss"] for row in load_results("tuning") if row["what"] == what}
        assert len(tried) == 5 and min(tried, key=tried.get) == best
    settings = {(row["encoding"], row["setting"]) for row in load_results("knobs")}
    assert settings == {("t5", 16.0), ("rope", 2.0)}


def test_rows_of_both_are_made_again():
    for row in experiments.knobs("rope", 2.0, seed=0):
        same = knobs("rope", 300, row["times"])
        room = max(0.1, max(same) - min(same))
        assert min(same) - room < row["loss"] < max(same) + room, row
    for row in experiments.clipped("t5", 128, seed=0)[::2]:
        same = clipped("t5", 128, row["what"], row["times"], 300)
        room = max(0.1, max(same) - min(same))
        assert min(same) - room < row["value"] < max(same) + room, row


@pytest.mark.parametrize("run", [experiments.clipped, experiments.knobs])
def test_an_unknown_encoding_is_refused(run):
    with pytest.raises(ValueError, match="encoding='alibi' is not known"):
        run("alibi", 16, seed=0)
