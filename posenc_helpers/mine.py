"""`python -m posenc_helpers.mine 03`: your own copy of a notebook, in mine/, which git ignores and no update touches."""

import re
import sys
from pathlib import Path


def copy_mine(prefix: str, course: Path) -> Path:
    """Copy the notebook whose name starts with `prefix` to mine/, links included, and return the copy. Never overwrites.

    Raises ValueError if no notebook, or more than one, starts so.
    """
    found = sorted(path for path in (course / "notebooks").glob("*.ipynb") if prefix and path.name.startswith(prefix))
    if len(found) != 1:
        raise ValueError(
            f"NB={prefix!r} fits {len(found)} notebooks; allowed: NB=01 and so on, as in {course / 'notebooks'}"
        )
    copy = course / "mine" / found[0].name
    copy.parent.mkdir(exist_ok=True)
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
