"""The real daemon with settings from a JSON file, so that a test can set its timings too."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from ipc.config import ConfigError
from ipc.settings import Settings
from supervisor.main import run


def load() -> Settings:
    """Read the settings that the test wrote."""
    try:
        return msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Settings)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{sys.argv[1]}: {error}") from None


if __name__ == "__main__":
    sys.exit(
        run(
            load,
            exit_on_give_up="--exit-on-give-up" in sys.argv,
            scheduler_entry="fake_scheduler:main",
        )
    )
