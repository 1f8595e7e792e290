"""A folder a notebook, named like it: what that notebook alone draws, explores and checks. No lesson imports another."""
