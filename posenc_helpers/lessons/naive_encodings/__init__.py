"""What notebook 02 alone draws, explores and checks."""
