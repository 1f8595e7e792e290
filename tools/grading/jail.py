"""A place where an answer reaches nothing but Python, its packages and a copy of the course: bubblewrap, on Linux.

Inside there is no network, no process but the answer's own, nothing of the home folder, of the course's own folder or of
other submissions, and no variable of the environment. All is read-only but an empty /tmp in memory. Where bubblewrap and
the machine allow it, the answer can make no namespace of its own, and seccomp.py refuses system calls that it does not need.
"""

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

from tools.course import ROOT
from tools.grading import seccomp

COURSE, MODELS = "/course", "/models"  # where the copy lies inside, and the models of notebook 12, if they were fetched
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts")  # Matplotlib would read all of them anew for each answer
ROOM = 256 * 2**20  # bytes of /tmp
TAKES = """\
Nothing was run: this machine has no jail for submitted code, which would run with your rights: it can read, change and
delete your files, and use the network. What it takes:
  Debian, Ubuntu     sudo apt install bubblewrap
  Ubuntu 24.04       it also forbids user namespaces; sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 allows
                     them until the next start of the machine
  other Linux        the package bubblewrap (0.7 or later), and user namespaces switched on
  macOS, Windows     grade in a virtual machine with Linux; most containers forbid the jail unless they are told otherwise
Or add --trust, if you trust everyone whose notebooks lie in {folder}."""
# Whether the jail holds: the course and the home folder are out of sight, Python's packages in sight, and nobody else.
PROBE = """
import importlib.util, os, socket, sys
hidden = not any(map(os.path.exists, sys.argv[1:]))
others = len([name for name in os.listdir("/proc") if name.isdigit()]) > 9 if os.path.exists("/proc") else False
try:
    others = others or any(name != "lo" for _, name in socket.if_nameindex())
except PermissionError:  # no socket at all
    pass
there = all(map(importlib.util.find_spec, ("torch", "numpy", "matplotlib", "posenc_helpers")))
print("jailed" if hidden and there and not others else "not jailed")
"""


def _python() -> list[str]:
    """Return the folders of this Python and of its packages, but none that holds the course or the home folder."""
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    found = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1]), *packages}
    ours = (ROOT, Path.home().resolve())
    return sorted(path for path in found if not any(kept.is_relative_to(Path(path).resolve()) for kept in ours))


def _models() -> str:
    """Return the folder that `posenc_helpers.lessons.released_model.fetching` reads; to import that takes seconds."""
    return os.environ.get("POSENC_MODELS") or str(Path.home() / ".cache" / "posenc")


def environment() -> dict[str, str]:
    """Return all the variables that an answer in the jail sees."""
    packages = [COURSE, *(path for path in sys.path if site.ENABLE_USER_SITE and path == site.getusersitepackages())]
    fixed = {"HOME": "/tmp", "TMPDIR": "/tmp", "USER": "student", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    return fixed | {"PYTHONPATH": os.pathsep.join(packages), "POSENC_MODELS": MODELS}


NOBODY = ("--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "student")
PROC = ("--proc", "/proc", "--remount-ro", "/proc")  # some containers forbid one's own
NO_USERS = ("--disable-userns",)  # from bubblewrap 0.8 on


def command(course: Path, *options: str) -> list[str]:
    """Return what stands before a command so that it runs in the jail, with the copy at `course`."""
    binds = [("--ro-bind-try", path, path) for path in (*SYSTEM, *SETTINGS)]
    binds += [("--ro-bind", path, path) for path in _python()]
    binds += [("--tmpfs", path, "--remount-ro", path) for path in FONTS if os.path.isdir(path)]
    bwrap = [shutil.which("bwrap")]
    if program := seccomp.program():
        rules = course.parent / "rules"
        rules.write_bytes(program)
        shell = 'rules="$1"; shift; exec "$@" 9< "$rules"'  # opens the file of rules and becomes bubblewrap
        bwrap = ["/bin/sh", "-c", shell, "sh", str(rules), *bwrap, "--seccomp", "9"]
    return [
        *(*bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--size", str(ROOM), "--tmpfs", "/tmp", "--dev", "/dev", "--remount-ro", "/dev", *options),
        *(word for bind in binds for word in bind),
        *("--ro-bind", str(course), COURSE, "--ro-bind-try", _models(), MODELS),
        *("--remount-ro", "/", "--chdir", "/tmp", "--"),
    ]


def find(course: Path) -> list[str] | None:
    """Return the command of a jail that holds, tried by running it, or None where there is none."""
    if not shutil.which("bwrap"):
        return None
    for options in ((*NOBODY, *NO_USERS, *PROC), (*NOBODY, *PROC), PROC[:2], ()):
        jail = command(course, *options)
        if _holds(jail):
            return jail
    return None


def _holds(jail: list[str]) -> bool:
    hidden = [str(path) for path in (ROOT / "notebooks", ROOT / "teaching", ROOT / "posenc_helpers")]
    try:
        probe = [*jail, sys.executable, "-P", "-c", PROBE, *hidden]
        done = subprocess.run(probe, env=environment(), capture_output=True, timeout=300, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == b"jailed"
