"""Refusals: one test for a table of calls with bad input."""

import pytest


def refused(*rows):
    """Return a test of `rows`: (call, a pattern of what is said), or with the error behind it where it is no ValueError."""
    rows = [row if len(row) == 3 else (*row, ValueError) for row in rows]

    @pytest.mark.parametrize(("call", "says", "error"), rows, ids=[row[1] for row in rows])
    def test(call, says, error):
        with pytest.raises(error, match=says):
            call()

    return test
