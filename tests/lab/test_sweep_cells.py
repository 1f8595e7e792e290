"""The cells of notebook 08 that sweep: with `distributed` on a real cluster of two workers, without it on all cores."""

import importlib.util

import joblib
import pytest

from tests.notebooks.reading import PATHS, read

(PATH,) = [path for path in PATHS if path.name.startswith("08_")]


def run(*cells: str) -> dict:
    """Run these cells of the notebook in order; return what they define."""
    sources, space = {cell.id: cell.source for cell in read(PATH).cells}, {"__name__": "__main__"}
    for cell in ("imports", *cells):
        exec(compile(sources[cell], cell, "exec"), space)
    return space


@pytest.fixture
def backends(monkeypatch):
    """The names of joblib's backends that are asked for while a test runs."""
    asked, config = [], joblib.parallel_config

    class Watched(config):
        def __init__(self, backend=None, **settings):
            asked.append(backend)
            super().__init__(backend, **settings)

    monkeypatch.setattr(joblib, "parallel_config", Watched)
    return asked


def test_the_cluster_gives_what_all_cores_give(backends, capsys):
    pytest.importorskip("distributed")
    space = run("sweep-job", "sweep-run", "sweep-dask", "sweep-claims")
    assert "dask" in backends and "ran on a Dask cluster of two workers" in capsys.readouterr().out
    assert space["elsewhere"] == space["on_cores"] and len(space["elsewhere"]) == 4
    assert len({row["loss"] for row in space["elsewhere"]}) == 4


def test_without_distributed_the_same_cells_take_all_cores(backends, monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "distributed" else found(name, *rest)
    )
    space = run("sweep-job", "sweep-run", "sweep-dask", "sweep-claims")
    assert "dask" not in backends and "ran on all cores" in capsys.readouterr().out
    assert space["elsewhere"] == space["on_cores"]
