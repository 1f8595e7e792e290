"""What keeps the course in order: how notebooks are run and saved, and where its public address is written."""
