"""What notebook 07 alone draws, explores and checks."""
