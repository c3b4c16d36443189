"""Where the system's browser is: Chromium, Chrome or Edge, wherever they usually are."""

import os
import shutil
import sys
from pathlib import Path

VARIABLE = "DUELIST_BROWSER"
"""The environment variable with the path of a browser, which goes before all others."""
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "google-chrome-beta",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
)
PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/usr/lib/chromium/chromium",
    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
    "~/.local/bin/chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
DOWNLOADED = (".cache/ms-playwright", "Library/Caches/ms-playwright", "AppData/Local/ms-playwright")
"""Where `playwright install` puts browsers, below the user's home."""
PROGRAMS = ("chrome", "Chromium", "chrome.exe")
MISSING = (
    f"no browser was found: install Chromium (apt-get install chromium, or playwright install chromium), or "
    f"set {VARIABLE} to the path of a Chrome"
)


def find_browser() -> str | None:
    """Return the path of a browser; None if there is none."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return shutil.which(chosen)
    named = (shutil.which(name) for name in NAMES)
    placed = (shutil.which(str(Path(place).expanduser())) for place in PLACES)
    downloaded = (
        str(path)
        for folder in DOWNLOADED
        for version in sorted((Path.home() / folder).glob("chromium-*"), reverse=True)
        for path in version.rglob("*")
        if path.name in PROGRAMS and path.is_file() and os.access(path, os.X_OK)
    )
    return next(filter(None, (*named, *placed, *downloaded)), None)


if __name__ == "__main__":
    sys.exit(0 if find_browser() else 1)
