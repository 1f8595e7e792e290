"""What notebook 01 alone draws, explores and checks."""
