"""Zip archives of the editions, build/releases/posenc-0.1.0-student.zip; same content, same bytes.

python -m tools.editions.release             all editions, slides and quizzes, and the pages if there are any
python -m tools.editions.release student     this one alone

What is missing or made from other sources is refused. SECRET in the name of an archive says that it holds answers.
"""

import sys

from tools.archive import pack
from tools.course import ROOT, project
from tools.editions.__main__ import BUILD, EDITIONS
from tools.editions.stamps import refusal

RELEASES = ROOT / "build" / "releases"
FOLDERS = {name: BUILD / name for name in (*EDITIONS, "slides")} | {n: BUILD.parent / n for n in ("quiz", "pages")}
OPEN = ("student",)  # without answers: the leak check reads all of it, and a new edition is secret until it stands here


def main(arguments: list[str]) -> None:
    if unknown := set(arguments) - FOLDERS.keys():
        sys.exit(f"no edition is called {', '.join(sorted(unknown))}; there are {', '.join(FOLDERS)}")
    chosen = arguments or [name for name, folder in FOLDERS.items() if name != "pages" or folder.is_dir()]
    refused = {name: why for name in chosen if (why := refusal(name, FOLDERS[name]))}
    if refused:
        again = "; ".join("`make pages`" if name == "pages" else f"`make editions ONLY={name}`" for name in refused)
        sys.exit("\n".join(["nothing is packed:", *refused.values(), f"Run {again} first."]))
    RELEASES.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        secret = "" if name in OPEN else "-SECRET"
        target = RELEASES / f"posenc-{project()['version']}-{name}{secret}.zip"
        pack(target, FOLDERS[name], FOLDERS[name].rglob("*"))
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
