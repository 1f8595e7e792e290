"""Exercises that check themselves: `checking.py` says how, and each notebook has a module of its own."""
