"""What notebook 08 alone draws, explores and checks."""
