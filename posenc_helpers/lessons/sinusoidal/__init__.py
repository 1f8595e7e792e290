"""What notebook 03 alone draws, explores and checks."""
