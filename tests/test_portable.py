"""What Windows would stumble over, seen from any machine: text in a machine's own encoding, names that only Unix has.

Read from the source alone. It does not see code inside strings, nor what a function of another library does.
"""

import ast
import re

from tools.course import ROOT

FILES = [path for folder in ("posenc_helpers", "tools", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
UNIX = {
    "os": r"fork|killpg|getpgid|setsid|getuid|geteuid|uname|nice|mkfifo|sched_getaffinity|getloadavg|WNOHANG|chroot",
    "signal": r"SIGKILL|SIGHUP|SIGALRM|SIGUSR[12]|SIGSTOP|SIGCONT|alarm|setitimer|pause",
    **dict.fromkeys(["fcntl", "resource", "pwd", "grp", "termios", "pty"], ".*"),  # there is no such module
}
# Where such a name is used all the same, and what happens on Windows.
ALLOWED = {
    "tools/grading/again.py": "os.fork: on Linux only; elsewhere an answer has no twin",
    "tools/grading/child.py": "resource: limits memory on Unix only",
    "tools/grading/guard.py": "os.killpg: taskkill ends the tree of processes there",
    "tests/benchmarks/shootout.py": "resource: `python -m tests.benchmarks` measures memory with it, and runs on Unix only",
    "tests/platforms/__main__.py": "os.geteuid: asked on Linux only",
}


def text_without_encoding(tree):
    """Yield the lines of calls that read or write text in the encoding of the machine."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Name):
            name = call.func.id
        elif isinstance(call.func, ast.Attribute):
            name = call.func.attr
            if name == "open" and (
                isinstance(call.func.value, ast.Name) and call.func.value.id in ("Image", "lab", "os")
            ):
                continue  # other things than text files
        else:
            continue
        place = {"open": 1, "fdopen": 1, "read_text": None, "write_text": None}.get(name, "other")
        if place == "other" or any(keyword.arg == "encoding" for keyword in call.keywords):
            continue
        given = call.args[place : place + 1] if place else []
        mode = next((keyword.value for keyword in call.keywords if keyword.arg == "mode"), given[0] if given else None)
        if not (isinstance(mode, ast.Constant) and "b" in mode.value):
            yield call.lineno


def unix_names(tree):
    """Yield the names used of modules, or the modules imported, that Windows lacks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if UNIX.get(alias.name) == ".*")
        elif isinstance(node, ast.ImportFrom) and node.module in UNIX:
            yield from (f"{node.module}.{a.name}" for a in node.names if re.fullmatch(UNIX[node.module], a.name))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("os", "signal"):
            yield from [f"{node.value.id}.{node.attr}"] * bool(re.fullmatch(UNIX[node.value.id], node.attr))


def test_text_is_read_and_written_in_a_named_encoding():
    bare = {path.relative_to(ROOT).as_posix(): [*text_without_encoding(ast.parse(path.read_bytes()))] for path in FILES}
    assert {file: lines for file, lines in bare.items() if lines} == {}, 'add encoding="utf-8"'


def test_what_only_unix_has_is_used_only_where_windows_has_a_way_out():
    found = {path.relative_to(ROOT).as_posix(): sorted(set(unix_names(ast.parse(path.read_bytes())))) for path in FILES}
    allowed = {file: [reason.split(":")[0]] for file, reason in ALLOWED.items()}
    assert {file: names for file, names in found.items() if names} == allowed
