"""What notebook 04 alone draws, explores and checks."""
