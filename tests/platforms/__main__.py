"""`python -m tests.platforms colab`: all tests and notebooks with the versions that another place has.

    python -m tests.platforms NAME

tests/platforms/NAME.txt holds the versions; its first line ends in that of Python. They go into .venv-NAME, and `make test`
does the rest. Where that Python is not at hand, root on Linux gets it in a folder of its own, with debootstrap and chroot;
elsewhere nothing is run, which is said in a sentence and is no error.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PINS = Path(__file__).parent
DEBIAN = {"3.11": "bookworm", "3.13": "trixie"}  # the release that has this Python
# Of this machine, so that pip in the chroot asks whom it asks here.
PIP = ("etc/pip.conf", "etc/xdg/pip", "etc/ssl/certs/ca-certificates.crt", "etc/resolv.conf", "etc/hosts")


def names() -> list[str]:
    """Return the names of the places that are known."""
    return sorted(path.stem for path in PINS.glob("*.txt"))


def python_of(name: str) -> str:
    """Return the version of Python, such as "3.13", that `name` has."""
    first = (PINS / f"{name}.txt").read_text(encoding="utf-8").splitlines()[0]
    return re.fullmatch(r"# .*Python (3\.\d+)", first)[1]


def find_python(version: str) -> str | None:
    """Return a Python of this version: this one, or the one that PATH has under the name; None if neither is."""
    for program in (sys.executable, shutil.which(f"python{version}")):
        # asked, since a name on PATH can be a mere pointer to what is not there
        asked = [program, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
        if program and subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == version:
            return program
    return None


def run_with(python: str, name: str) -> int:
    """Make .venv-`name` with `python` and the versions of `name`, then run `make test` in it; return how that ended."""
    venv = ROOT / f".venv-{name}"
    subprocess.run([python, "-m", "venv", venv], check=True)
    own = venv / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([own, "-m", "pip", "install", "-r", PINS / f"{name}.txt", "-e", ROOT], check=True)
    for stamp in ("lab.stamp", "test.stamp"):  # `make` finds it all done, and adds nothing from requirements.txt
        (venv / stamp).touch()
    return subprocess.run(["make", "test", f"VENV=.venv-{name}"], cwd=ROOT, check=False).returncode


def run_in_debian(name: str) -> int:
    """Do the same on a copy of the course in a fresh Debian that has the Python; return how that ended."""
    with tempfile.TemporaryDirectory(prefix="posenc-") as folder:
        system = Path(folder)
        tools = "--include=ca-certificates,git,make,python3,python3-venv"
        suite = DEBIAN[python_of(name)]
        subprocess.run(["debootstrap", "--variant=minbase", tools, suite, system], check=True)
        for part in PIP:
            if Path("/", part).is_dir():
                shutil.copytree(Path("/", part), system / part, dirs_exist_ok=True)
            elif Path("/", part).is_file():
                shutil.copy(Path("/", part), system / part)
        unwanted = shutil.ignore_patterns(".venv*", ".git", "__pycache__", ".*_cache", "unfinished")
        shutil.copytree(ROOT, system / "posenc", ignore=unwanted)
        # in a mount namespace of its own: nothing stays mounted, whatever interrupts this
        inside = (
            "mount -t proc proc $0/proc && mount --rbind /dev $0/dev && "
            "exec chroot $0 sh -c 'cd /posenc && exec python3 -m tests.platforms $0' $1"
        )
        return subprocess.run(["unshare", "--mount", "sh", "-c", inside, system, name], check=False).returncode


def main(name: str = "") -> int:
    if name not in names():
        sys.exit(f"PLATFORM={name!r} is not known; allowed: {', '.join(names())}")
    version = python_of(name)
    if python := find_python(version):
        return run_with(python, name)
    can = sys.platform == "linux" and os.geteuid() == 0
    if can and version in DEBIAN and all(map(shutil.which, ("debootstrap", "chroot", "unshare"))):
        return run_in_debian(name)
    print(
        f"skipped: {name} takes Python {version}; install it, or run this as root on Linux where debootstrap is at hand"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
