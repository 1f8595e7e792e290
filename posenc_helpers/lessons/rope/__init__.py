"""What notebook 06 alone draws, explores and checks."""
