"""What notebook 05 alone draws, explores and checks."""
