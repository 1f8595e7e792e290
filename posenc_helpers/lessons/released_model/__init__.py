"""What notebook 12 alone fetches, reads, draws and checks: two released models."""
