"""As plain text: one short line on stderr. In a kernel: one line of display data that rewrites itself."""

from types import SimpleNamespace

import pytest

from posenc_helpers.lab import progress as module
from posenc_helpers.lab.progress import progress


@pytest.fixture
def kernel(monkeypatch, outputs):
    """As in a notebook: what is displayed is in the list."""
    monkeypatch.setattr(module, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    return outputs


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until a test moves it: a dict with the seconds."""
    now = {"seconds": 100.0}
    monkeypatch.setattr(module.time, "monotonic", lambda: now["seconds"])
    return now


def lines(outputs) -> list[str]:
    return [output["data"]["text/plain"] for output in outputs]


@pytest.mark.parametrize("shell", [None, SimpleNamespace()], ids=["python", "IPython in a terminal"])
def test_plain_text_is_one_short_line_on_stderr_at_the_end(shell, monkeypatch, capsys, clock):
    monkeypatch.setattr(module, "get_ipython", lambda: shell)
    for step in progress(4, "training"):
        assert capsys.readouterr() == ("", "") and clock["seconds"] == 100 + 2.5 * step
        clock["seconds"] += 2.5
    out, err = capsys.readouterr()
    assert out == "" and err == "training: done, 4 steps in 10.0 s\n"


def test_in_a_kernel_one_line_is_rewritten_and_tells_how_far_and_how_long(kernel, clock, capsys):
    for _ in progress(4, "training", "models"):
        clock["seconds"] += 2.0
    assert capsys.readouterr() == ("", "")  # no stream, which would mix with what the cell prints
    assert lines(kernel) == [
        "training: starting",
        "training: [#####               ] 1 of 4, 6 s left",
        "training: [##########          ] 2 of 4, 4 s left",
        "training: [###############     ] 3 of 4, 2 s left",
        "training: done, 4 models in 8.0 s",
    ]
    first, *updates = kernel
    name = first["transient"]["display_id"]
    assert name and not first.get("update")
    assert all(output["update"] and output["transient"]["display_id"] == name for output in updates)


def test_fast_steps_are_not_all_shown(kernel, clock):
    for _ in progress(1000, "training"):
        clock["seconds"] += 0.01
    assert 10 <= len(kernel) <= 30  # ten seconds: at most about two updates a second
    assert lines(kernel)[-1] == "training: done, 1000 steps in 10.0 s"
