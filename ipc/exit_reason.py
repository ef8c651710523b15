"""Why a process ended, in a form to decide on and in words."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from ipc.exits import Exit


@dataclass(frozen=True, slots=True)
class ExitReason:
    """Exit code or signal of a dead process; neither when nobody can tell."""

    exit_code: int | None = None
    signal: int | None = None

    @classmethod
    def of(cls, returncode: int | None) -> ExitReason:
        """Return the reason for a return code as Python counts: negative ones are signals."""
        if returncode is None:
            return cls()
        return cls(signal=-returncode) if returncode < 0 else cls(exit_code=returncode)

    def describe(self, *, by_us: bool = False) -> str:
        """Return the reason in words; by_us: we were ending it, so a signal was our own."""
        if self.signal is not None:
            try:
                name = signal.Signals(self.signal).name
            except ValueError:
                name = "unnamed"
            if by_us:
                hint = "our own"
            else:
                hint = "out of memory?" if self.signal == signal.SIGKILL else name
            return f"killed by signal {self.signal} ({hint})"
        if self.exit_code is None:
            return "died, cause unknown"
        try:
            word = Exit(self.exit_code).name.lower().replace("_", " ")
        except ValueError:
            return f"exit code {self.exit_code}"
        return f"exit code {self.exit_code} ({word})"
