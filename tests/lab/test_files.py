"""A file is replaced in one step, also on Windows, where somebody who reads it stands in the way."""

import os

import pytest

from posenc_helpers.lab import files
from posenc_helpers.lab.files import replace_file


def held(times, monkeypatch):
    """Let os.replace say what it says on Windows while a file is open, `times` times; return the list of calls."""
    calls, replace = [], os.replace

    def refuse(source, target):
        calls.append(source)
        if len(calls) <= times:
            raise PermissionError(13, "Access is denied", str(source), 5, str(target))
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", refuse)
    monkeypatch.setattr(files.time, "sleep", lambda _: None)
    return calls


def test_a_file_that_is_being_read_is_replaced_a_little_later(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")
    calls = held(3, monkeypatch)
    replace_file(path, "π\r\n\n")
    assert len(calls) == 4 and path.read_bytes() == b"\xcf\x80\r\n\n"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_that_is_never_let_go_ends_in_an_error_and_stays(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")
    calls = held(10**9, monkeypatch)
    clock = iter(range(100))
    monkeypatch.setattr(files.time, "monotonic", lambda: next(clock))
    with pytest.raises(PermissionError, match="Access is denied"):
        replace_file(path, "new")
    assert len(calls) == files.PATIENCE
    assert path.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_other_errors_are_raised_at_once(tmp_path, monkeypatch):
    calls = []

    def full(*_):
        calls.append(1)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(tmp_path / "file", "new")
    assert calls == [1] and list(tmp_path.iterdir()) == []
