"""Whether the packages that would run are ours."""

from __future__ import annotations

from importlib import util
from pathlib import Path

from cli.errors import ConfigFault


def refuse_foreign_supervisor() -> None:
    """Raise ConfigFault when another distribution's `supervisor` shares this environment.

    PyPI's Supervisor has a package of the same name, and its files lie among ours or before them.
    """
    hint = "Install esisyncd into an environment of its own, with pipx or `python3 -m venv`."
    found = util.find_spec("supervisor")
    ours = Path(__file__).resolve().parent.parent
    if found is None or found.origin is None or ours not in Path(found.origin).resolve().parents:
        raise ConfigFault("the package `supervisor` that Python finds is not esisyncd's", hint)
    # Only now: else it could be the other one's.
    from supervisor.installed import installed_version

    version = installed_version("supervisor")
    if version is not None:
        raise ConfigFault(f"PyPI's supervisor {version} is installed beside esisyncd", hint)
