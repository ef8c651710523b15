"""A start that is refused."""

from __future__ import annotations

from ipc.exits import Exit


class BootRefused(Exception):
    """The scheduler cannot start, and trying again does not help."""

    def __init__(self, code: Exit, reason: str) -> None:
        """Take the exit code and a line for people."""
        super().__init__(reason)
        self.code = code
