"""What notebook 09 alone draws, explores and checks."""
