"""The whole daemon, as `python -P -m supervisor` runs it, with settings and timings from a file."""

from __future__ import annotations

import signal
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
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP})
    sys.exit(run(load))
