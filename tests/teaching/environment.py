"""`python -m tests.teaching.environment FOLDER`: an environment that has all of this one, and nbgrader."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tools.course import ROOT


def main(folder: str) -> None:
    venv.create(folder, with_pip=True, clear=True)
    windows = sys.platform == "win32"
    python = Path(folder).resolve() / ("Scripts/python.exe" if windows else "bin/python")
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run(
        [python, "-c", ask], capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout.strip()
    Path(packages, "ours.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    subprocess.run([python, "-m", "pip", "install", "-r", ROOT / "teaching" / "requirements.txt"], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
