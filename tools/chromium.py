"""Where a Chromium lies on this machine."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (  # where installers put them on macOS and Windows, which do not add them to PATH
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
    r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
)


def find_chromium() -> str | None:
    """Return the path of a Chromium: $CHROMIUM, else one on PATH, else one where installers put it; None if none.

    Raises FileNotFoundError where $CHROMIUM is no program.
    """
    named = os.environ.get("CHROMIUM")
    if named and not shutil.which(named):
        raise FileNotFoundError(f"CHROMIUM={named} is no program")
    tried = [named] if named else [*NAMES, *map(os.path.expandvars, PLACES)]
    return next(filter(None, map(shutil.which, tried)), None)
