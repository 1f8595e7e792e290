"""What the shootout costs on all cores, in the same run as on one: python -m tests.benchmarks.shootout

Seconds by the clock and of all cores, evaluation included, and the peak memory; the ways take turns, and their results
must be the same to the last bit. --store keeps the numbers in data/.
"""

import os
import resource
import time
from unittest.mock import patch

from posenc_helpers.lab.shootout import CONTESTANTS, STEPS, shootout
from posenc_helpers.lab.side_by_side import cores
from posenc_helpers.lab.text import load_text
from tests.benchmarks.timing import parse, store


def main() -> None:
    options = parse(__doc__, rounds=2)
    text, there = load_text(), cores()
    cpu, clock, alone = [], [], []
    for _ in range(options.rounds):
        wall, start = time.monotonic(), time.process_time()
        together = shootout(text=text, label=None)
        cpu.append(time.process_time() - start)
        clock.append(time.monotonic() - wall)
        with patch.dict(os.environ, OMP_NUM_THREADS="1"):
            wall = time.monotonic()
            expected = shootout(text=text, label=None)
            alone.append(time.monotonic() - wall)
        assert together == expected, "nobody may win by doing something else"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ratio = round(min(clock) / min(alone), 3)
    took = f"{min(clock):.1f} s by the clock, {min(cpu):.1f} s of all of them"
    print(f"{len(CONTESTANTS)} models, {STEPS} steps, {there} cores: {took}")
    print(f"one core: {min(alone):.1f} s, ratio {ratio:.2f}; peak memory {peak:.2f} GiB")
    if options.store:
        kept = {"cpu": round(min(cpu), 1), "clock": round(min(clock), 1), "one core": round(min(alone), 1)}
        result = {"models": len(CONTESTANTS), "steps": STEPS, "cores": there, "seconds": kept}
        result |= {"peak_gib": round(peak, 2), "rounds": options.rounds, "ratios": {"all cores to one": ratio}}
        store("shootout", (), result)


if __name__ == "__main__":
    main()
