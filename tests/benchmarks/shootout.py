"""What the shootout costs, in the same run as training its models one after the other: python -m tests.benchmarks.shootout

CPU seconds of this process, evaluation included, and the peak memory; the two ways take turns, and their results must be
the same to the last bit. --store keeps the numbers in data/.
"""

import resource
import time

from posenc_helpers.lab.shootout import CONTESTANTS, STEPS, shootout
from posenc_helpers.lab.text import load_text
from tests.benchmarks.timing import parse, store


def main() -> None:
    options = parse(__doc__, rounds=2)
    text = load_text()
    side_by_side, one_by_one, clock = [], [], []
    for _ in range(options.rounds):
        wall, start = time.monotonic(), time.process_time()
        together = shootout(text=text, on_progress=lambda rows: None, label=None)
        side_by_side.append(time.process_time() - start)
        clock.append(time.monotonic() - wall)
        start = time.process_time()
        alone = [row for name in CONTESTANTS for row in shootout([name], text=text, label=None)]
        one_by_one.append(time.process_time() - start)
        assert together == alone, "nobody may win by doing something else"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ratio = round(min(side_by_side) / min(one_by_one), 3)
    print(f"{len(CONTESTANTS)} models, {STEPS} steps: {min(side_by_side):.1f} CPU s ({min(clock):.1f} s by the clock)")
    print(f"one by one: {min(one_by_one):.1f} CPU s, ratio {ratio:.2f}; peak memory {peak:.2f} GiB")
    if options.store:
        seconds = {"cpu": round(min(side_by_side), 1), "clock": round(min(clock), 1)}
        result = {"models": len(CONTESTANTS), "steps": STEPS, "seconds": seconds, "peak_gib": round(peak, 2)}
        store("shootout", (), result | {"rounds": options.rounds, "ratios": {"side by side to one by one": ratio}})


if __name__ == "__main__":
    main()
