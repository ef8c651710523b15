"""The documentation of the configuration is complete, and true."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from ipc.config import KEYS, OPEN_TABLES
from ipc.exits import Exit
from ipc.settings import Settings

DOCS = Path(__file__).parents[3] / "docs"
_ROW = re.compile(r"^\| `(?P<key>[a-z_.]+)` \| (?P<default>[^|]*) \|", re.MULTILINE)
# Set by no file, environment or flag.
_HIDDEN = {"timings", "config_path", "kind_packages", "extra_path"}


def documented() -> dict[str, str]:
    text = (DOCS / "configuration.md").read_text()
    return {match["key"]: match["default"] for match in _ROW.finditer(text)}


def settings_keys() -> dict[str, object]:
    """Return every key of the settings with its default."""
    keys: dict[str, object] = {}
    for field in msgspec.structs.fields(Settings):
        if field.name in _HIDDEN:
            continue
        default = field.default
        if isinstance(default, msgspec.Struct):
            for inner in msgspec.structs.fields(default):
                keys[f"{field.name}.{inner.name}"] = inner.default
        else:
            name = "intervals.profile" if field.name == "profile" else field.name
            keys[name] = default
    return keys


def test_every_key_is_documented_and_no_other() -> None:
    assert documented().keys() == settings_keys().keys()
    assert settings_keys().keys() == KEYS.keys() | OPEN_TABLES.keys()


def test_every_default_is_the_one_in_force() -> None:
    for key, default in settings_keys().items():
        if isinstance(default, str | int) and default != "":
            assert documented()[key].strip("`") == str(default), key
        elif default == "":
            assert documented()[key].startswith("empty"), key


def test_every_exit_code_is_documented() -> None:
    text = (DOCS / "exit-codes.md").read_text()
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert {int(code) for code in Exit} | {130} == codes
