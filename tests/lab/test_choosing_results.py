"""What notebook 11 says of untrained rows and of a knob for each side, in data/results/clipped.csv and knobs.csv."""

import pytest
import torch

from posenc_helpers.encodings import DebertaEncoding, T5Encoding
from posenc_helpers.lab.results import load_results
from tools.experiments.on_everyone import last_trained_row

OWN = {"t5": 128, "deberta": 512}


def clipped(encoding: str, clip: int, what: str, times: int, steps: int) -> list[float]:
    wanted = {"encoding": encoding, "clip": clip, "what": what, "times": times, "steps": steps}
    found = sorted((row["seed"], row["value"]) for row in load_results("clipped") if wanted.items() <= row.items())
    assert [seed for seed, _ in found] == list(range(8))
    return [value for _, value in found]


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


def test_both_knobs_are_set_to_the_best_on_the_validation_text():
    for what, best in (("table rate", 16.0), ("base", 2.0)):
        tried = {row["setting"]: row["loss"] for row in load_results("tuning") if row["what"] == what}
        assert len(tried) == 5 and min(tried, key=tried.get) == best
    settings = {(row["encoding"], row["setting"]) for row in load_results("knobs")}
    assert settings == {("t5", 16.0), ("rope", 2.0)}
