"""The command line of `python -m supervisor`, which the front door fills in."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from ipc.config import ConfigError, load
from ipc.settings import Settings
from supervisor.main import run


def main(arguments: Sequence[str]) -> int:
    """Run the daemon as the arguments say."""
    parser = argparse.ArgumentParser("python -P -m supervisor", allow_abbrev=False)
    parser.add_argument("--config", type=Path, metavar="PATH")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--exit-on-give-up", action="store_true")
    told = parser.parse_args(arguments)
    # Relative to where we were started, at each reload as well; unless that folder is gone.
    path = told.config
    if path is not None:
        with contextlib.suppress(FileNotFoundError):
            path = path.absolute()
    environ = dict(os.environ)

    def load_settings() -> Settings:
        return load(path, environ, _overrides(told.set))

    return run(load_settings, exit_on_give_up=told.exit_on_give_up)


def _overrides(pairs: Sequence[str]) -> dict[str, str]:
    overrides = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set {pair}: write it as section.key=value")
        overrides[key] = value
    return overrides
