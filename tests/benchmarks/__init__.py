"""Timings, printed as ratios within one run; nothing here asserts. `make bench`."""
