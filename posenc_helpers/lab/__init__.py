"""What is measured: tasks with known answers, a small training loop, and the scorecard that compares encodings."""
