"""Archives of the editions: whole, of today, and named so that nobody hands out answers by mistake."""

import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest

import tools.editions.__main__ as command
from tests.notebooks.reading import NAMES, PATHS
from tests.teaching.classes import QUICK
from tools.archive import pack
from tools.course import homework_paths
from tools.editions import release, stamps
from tools.editions.stamps import refusal, write_stamps

EMPTY = nbformat.writes(nbformat.v4.new_notebook())


def test_one_notebook_made_again_leaves_the_others_and_only_whole_editions_are_released(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "course_folder", lambda part, edition: part.mkdir())
    target = tmp_path / "student"
    assert refusal("student", target) == "student: not made."
    command.make("student", PATHS[1:2], target)
    assert refusal("student", target).startswith(f"student: not made of {NAMES[0]}, {NAMES[2]}")
    (target / "notebooks" / PATHS[1].name).write_text(EMPTY, encoding="utf-8")
    command.make("student", [PATHS[0], *PATHS[2:]], target)
    assert refusal("student", target).startswith("student: not made of homework/01")
    command.make("student", homework_paths(), target)
    assert not refusal("student", target)
    assert (target / "notebooks" / PATHS[1].name).read_text(encoding="utf-8") == EMPTY
    shutil.rmtree(target)
    command.make("student", PATHS[:1], target)
    assert "not made of" in refusal("student", target), "a record outlived its edition"


@pytest.mark.parametrize("edition", ["student", "solutions", "slides", "quiz", "pages"])
def test_what_was_made_from_other_sources_is_refused(edition, tmp_path, monkeypatch):
    paths = [Path(shutil.copy(path, tmp_path)) for path in PATHS]
    monkeypatch.setattr(stamps, "notebook_paths", lambda: paths)
    (tmp_path / edition).mkdir()
    write_stamps(edition, tmp_path / edition, [*paths, *homework_paths()])
    assert not refusal(edition, tmp_path / edition)
    paths[4].write_text(paths[4].read_text(encoding="utf-8") + "\n", encoding="utf-8")
    why = f"{edition}: its sources have changed since it was made of {NAMES[4]}."
    assert refusal(edition, tmp_path / edition) == why
    write_stamps(edition, tmp_path / edition, paths[4:5])
    monkeypatch.setattr(stamps, "_around", lambda edition: "another package")
    assert NAMES[0] in refusal(edition, tmp_path / edition) and NAMES[11] in refusal(edition, tmp_path / edition)


@pytest.fixture
def releases(tmp_path, monkeypatch):
    """All that can be released, of today, in a folder of its own; the archives come to releases/ in it."""
    monkeypatch.setattr(release, "FOLDERS", {name: tmp_path / name for name in release.FOLDERS})
    monkeypatch.setattr(release, "RELEASES", tmp_path / "releases")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    for name, folder in release.FOLDERS.items():
        folder.mkdir()
        (folder / "a.txt").write_text(name, encoding="utf-8")
        write_stamps(name, folder, [*PATHS, *homework_paths()])
    return tmp_path / "releases"


def test_archives_with_answers_say_so_in_their_names_and_the_pages_name_them(releases):
    release.main([])
    found = {path.stem.split("-", 2)[2] for path in releases.iterdir()}
    secret = {name for name in found if name.endswith("-SECRET")}
    assert found - secret == {"student"} and len(secret) == len(release.FOLDERS) - 1
    for page in ("updates.md", "guide.md"):
        text = (command.ROOT / "teaching" / page).read_text(encoding="utf-8")
        assert [name for name in secret if f"-{name}.zip" not in text] == []


def test_what_is_open_is_read_by_the_leak_check_as_it_is(tmp_path):
    """Only what `make` refuses to make with an answer in it may lose its SECRET."""
    for name in release.OPEN:
        folder = tmp_path / name / "notebooks"
        folder.mkdir(parents=True)
        shutil.copy(PATHS[1], folder)
        assert command.leaking(name, tmp_path / name)


def test_one_edition_is_released_without_the_others_and_what_is_missing_has_its_command(releases, capsys):
    for name in ("solutions", "pages"):
        shutil.rmtree(release.FOLDERS[name])
    release.main(["student"])
    assert [path.name.split("-", 2)[2] for path in releases.iterdir()] == ["student.zip"]
    with pytest.raises(SystemExit, match=r"solutions: not made\.\nRun `make editions ONLY=solutions` first"):
        release.main([])
    with pytest.raises(SystemExit, match="Run `make pages` first"):
        release.main(["pages"])
    with pytest.raises(SystemExit, match="no edition is called homewrok"):
        release.main(["homewrok"])
    assert len(list(releases.iterdir())) == 1


def test_an_archive_holds_the_edition_in_one_folder_and_is_the_same_each_time(tmp_path):
    made = tmp_path / "student"
    for name in (f"notebooks/{QUICK}.ipynb", "__pycache__/a.pyc"):
        (made / name).parent.mkdir(parents=True)
        (made / name).write_text(name, encoding="utf-8")
    first, again = tmp_path / "posenc-1.zip", tmp_path / "again" / "posenc-1.zip"
    again.parent.mkdir()
    for target in (first, again):
        pack(target, made, made.rglob("*"))
    assert first.read_bytes() == again.read_bytes()
    names = zipfile.ZipFile(first).namelist()
    assert f"posenc-1/notebooks/{QUICK}.ipynb" in names and all(name.startswith("posenc-1/") for name in names)
    assert not any("__pycache__" in name for name in names)
