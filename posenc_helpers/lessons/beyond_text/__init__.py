"""What notebook 10 alone draws, explores and checks."""
