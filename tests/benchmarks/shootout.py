"""What the shootout costs on all cores, in the same run as on one: python -m tests.benchmarks.shootout

Seconds by the clock and of all cores, evaluation included, and the peak memory; the ways take turns, and their results
must be the same to the last bit. Then what a step costs against its arithmetic: the share of the speed that this core
reaches in matrix products of the same shapes. --store keeps the numbers in data/.
"""

import os
import resource
import time
from functools import partial
from unittest.mock import patch

import torch
from torch.utils.flop_counter import FlopCounterMode

from posenc_helpers.lab.shootout import (
    BATCH,
    CONTESTANTS,
    FAR,
    HEADS,
    RATE,
    STEPS,
    TRAINED,
    WIDTH,
    fresh_encoding,
    reader,
    shootout,
)
from posenc_helpers.lab.side_by_side import cores
from posenc_helpers.lab.tasks import LanguageTask
from posenc_helpers.lab.text import Text, load_text
from posenc_helpers.lab.training import Trainer, one_thread
from tests.benchmarks.timing import parse, store, take_turns


@one_thread()
def against_arithmetic(text: Text) -> dict[str, float]:
    """Return, per contestant, the floating-point operations a second of a step as a share of a matrix product's."""
    x, weights = torch.randn(BATCH * TRAINED, WIDTH), torch.randn(WIDTH, 4 * WIDTH)  # the feed-forward's first product
    runners, operations = {"product": lambda: x @ weights}, {"product": 2 * x.numel() * weights.shape[1]}
    batch = LanguageTask(text.train, text.vocabulary).sample(BATCH, TRAINED, torch.Generator().manual_seed(0))
    for name, entry in CONTESTANTS.items():
        trainer = Trainer(
            reader(fresh_encoding(entry, WIDTH, HEADS, FAR, 0), text.vocabulary, 0), STEPS, RATE, entry.rate
        )
        with FlopCounterMode(display=False) as counter:
            trainer.step(*batch)
        runners[name], operations[name] = partial(trainer.step, *batch), counter.get_total_flops()
    times = take_turns(runners, 30, ())
    speed = {name: operations[name] / times[name]["median_ms"] for name in runners}
    return {name: speed[name] / speed["product"] for name in CONTESTANTS}


def main() -> None:
    options = parse(__doc__, rounds=2)
    text, there = load_text(), cores()
    cpu, clock, alone = [], [], []
    for _ in range(options.rounds):
        wall, start = time.monotonic(), time.process_time()
        together = shootout(text=text, on_progress=lambda rows: None, label=None)
        cpu.append(time.process_time() - start)
        clock.append(time.monotonic() - wall)
        with patch.dict(os.environ, OMP_NUM_THREADS="1"):
            wall = time.monotonic()
            expected = shootout(text=text, on_progress=lambda rows: None, label=None)
            alone.append(time.monotonic() - wall)
        assert together == expected, "nobody may win by doing something else"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ratio = round(min(clock) / min(alone), 3)
    took = f"{min(clock):.1f} s by the clock, {min(cpu):.1f} s of all of them"
    print(f"{len(CONTESTANTS)} models, {STEPS} steps, {there} cores: {took}")
    print(f"one core: {min(alone):.1f} s, ratio {ratio:.2f}; peak memory {peak:.2f} GiB")
    shares = {name: round(share, 2) for name, share in against_arithmetic(text).items()}
    print("of the speed of a matrix product a step reaches", *(f"{name} {share:.2f}" for name, share in shares.items()))
    if options.store:
        kept = {"cpu": round(min(cpu), 1), "clock": round(min(clock), 1), "one core": round(min(alone), 1)}
        result = {
            "models": len(CONTESTANTS),
            "steps": STEPS,
            "cores": there,
            "seconds": kept,
            "peak_gib": round(peak, 2),
        }
        result |= {"rounds": options.rounds, "ratios": {"all cores to one": ratio}, "of a matrix product": shares}
        store("shootout", (), result)


if __name__ == "__main__":
    main()
