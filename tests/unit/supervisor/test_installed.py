"""Which distributions are found by the names of their folders."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from ipc.exits import Exit
from supervisor import main
from supervisor.installed import installed_version
from supervisor.place import StartRefused


def test_as_the_standard_library_sees_it() -> None:
    assert installed_version("msgspec") == importlib.metadata.version("msgspec")
    assert installed_version("pytest-timeout") == importlib.metadata.version("pytest-timeout")
    assert installed_version("no-such-thing") is None


@pytest.mark.parametrize(
    ("folder", "version"),
    [
        ("supervisor-4.3.0.dist-info", "4.3.0"),
        ("Supervisor-4.2.5-py3.11.egg-info", "4.2.5"),
        ("supervisor_checks-0.8.dist-info", None),
        ("supervisor", None),
    ],
)
def test_names_of_folders(tmp_path: Path, folder: str, version: str | None) -> None:
    (tmp_path / folder).mkdir()
    assert installed_version("supervisor", ["", "/nowhere", str(tmp_path)]) == version


def test_foreign_supervisor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    main.check_environment()
    monkeypatch.setattr(main, "installed_version", lambda _name: "4.3.0")
    with pytest.raises(StartRefused, match="environment of its own") as caught:
        main.check_environment()
    assert caught.value.exit_code is Exit.CONFIG
