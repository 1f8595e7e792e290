"""What notebook 11 alone draws, explores and checks."""
