"""Timings, printed as ratios within one run; nothing here asserts. `python -m tests.benchmarks`."""
