"""Starting the daemon as a child, reaching it, and seeing it to its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from cli.client import ControlClient
from cli.errors import CliError, NoDaemon
from ipc.exits import Exit

# The supervisor opens its socket long before its scheduler is ready.
_SOCKET_WITHIN_S = 30.0
# Longer than the supervisor gives its children.
_END_WITHIN_S = 45.0


class DaemonEnded(CliError):
    """The daemon ended before it was asked to; its own words are on standard error."""

    def __init__(self, returncode: int) -> None:
        """Take over its exit code."""
        super().__init__("the daemon ended by itself; the lines above say why")
        # One that a signal ended was stopped by somebody: what was due has not run.
        known = returncode in set(Exit) and returncode != Exit.OK
        self.exit_code = Exit(returncode) if known else Exit.FAILURE


class SupervisedDaemon:
    """A daemon that stops when this process does; use it in a `with` block."""

    def __init__(
        self, arguments: Sequence[str], socket_path: Path, *, log: Path | None = None
    ) -> None:
        """Take the arguments of cli.supervised; log takes standard error, else ours does."""
        self._arguments = arguments
        self._socket_path = socket_path
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = False

    @property
    def pid(self) -> int:
        """Return the supervisor's process id."""
        return self._running().pid

    def __enter__(self) -> SupervisedDaemon:
        """Start it."""
        command = [sys.executable, "-P", "-m", "cli.supervised", str(os.getpid())]
        log = None if self._log is None else self._log.open("ab")
        try:
            # In a group of its own: Ctrl-C is for this command to act on.
            self._process = subprocess.Popen(
                [*command, *self._arguments], stdin=subprocess.DEVNULL, stderr=log, process_group=0
            )
        finally:
            if log is not None:
                log.close()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it unless it was asked to, wait, and kill it when it does not go."""
        process = self._running()
        try:
            if process.poll() is None and not self._asked:
                process.send_signal(signal.SIGTERM)
            process.wait(_END_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
        except KeyboardInterrupt:
            # A second Ctrl-C: it takes a second signal as an order to stop at once.
            process.send_signal(signal.SIGTERM)
            raise
        finally:
            process.wait()

    def connect(self) -> ControlClient:
        """Return a connection to it; DaemonEnded if it ended first."""
        process = self._running()
        deadline = time.monotonic() + _SOCKET_WITHIN_S
        while True:
            try:
                client = ControlClient(self._socket_path)
            except NoDaemon:
                pass
            else:
                if client.daemon.pid == process.pid:
                    return client
                # Somebody else's daemon: ours is about to end, and says why.
                client.close()
            try:
                process.wait(0.02)
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    raise NoDaemon("the daemon did not open its control socket in time") from None
            else:
                raise DaemonEnded(process.returncode)

    def ended(self) -> DaemonEnded:
        """Return the error for a daemon that hung up on us."""
        try:
            return DaemonEnded(self._running().wait(_END_WITHIN_S))
        except subprocess.TimeoutExpired:
            return DaemonEnded(Exit.FAILURE)

    def note_asked(self) -> None:
        """Note that it was asked to stop: another signal would cut it short."""
        self._asked = True

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the daemon is started by the with block")
        return self._process
