"""`python -m posenc_helpers.mine 03`: your own copy of a notebook, in mine/, which git ignores and no update touches.

`homework/03` copies a homework sheet, to mine/homework/.
"""

import re
import sys
from pathlib import Path


def copy_mine(prefix: str, course: Path) -> Path:
    """Copy the notebook whose name starts with `prefix` to mine/, links included, and return the copy. Never overwrites.

    Raises ValueError if no notebook, or more than one, starts so.
    """
    sheet, start = prefix.startswith("homework/"), prefix.removeprefix("homework/")
    source = course / ("homework" if sheet else "notebooks")
    found = sorted(path for path in source.glob("*.ipynb") if start and path.name.startswith(start))
    if len(found) != 1:
        raise ValueError(f"NB={prefix!r} fits {len(found)} notebooks; allowed: NB=01 and so on, as in {source}")
    copy = course / "mine" / ("homework" if sheet else "") / found[0].name
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = found[0].read_text(encoding="utf-8")
    text = re.sub(r"\]\((\d\d_\w+\.ipynb)", r"](../notebooks/\1", text)  # links to other notebooks
    with copy.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return copy


def main(arguments: list[str]) -> None:
    try:
        copy = copy_mine(arguments[0] if arguments else "", Path.cwd())
    except ValueError as error:
        sys.exit(str(error))
    except FileExistsError as error:  # what was wished for is there: no error
        print(f"{error.filename} is there already and stays as it is.")
        return
    print(f"{copy.relative_to(Path.cwd())} is yours.")


if __name__ == "__main__":
    main(sys.argv[1:])
