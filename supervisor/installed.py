"""Which distributions are installed beside us, by the names of their folders.

importlib.metadata would tell too, but costs the daemon 2 MB and 40 ms of mail and zip parsers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

_FOLDER = re.compile(r"(?P<name>[A-Za-z0-9._]+)-(?P<version>[^-]+)(-.*)?\.(dist|egg)-info")


def installed_version(name: str, paths: Iterable[str] | None = None) -> str | None:
    """Return the version of a distribution on the import path; None if it is not there."""
    for path in sys.path if paths is None else paths:
        folder = Path(path)
        if not path or not folder.is_dir():
            continue
        for entry in folder.glob("*-info"):
            match = _FOLDER.fullmatch(entry.name)
            if match and re.sub(r"[._]+", "-", match["name"]).lower() == name:
                return match["version"]
    return None
