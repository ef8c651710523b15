"""Words to systemd, over its datagram socket; silent where there is no systemd."""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import MutableMapping

_MAX_UNSENT = 64
_EXTENSION_S = 60.0


class Notifier:
    """Tells systemd readiness, state and that we live; only the supervisor speaks."""

    def __init__(self, address: str, watchdog_s: float | None) -> None:
        """Take the socket's address ("" for none), and how often systemd wants a sign of life."""
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._socket: socket.socket | None = None
        if address:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)
        self._watchdog_s = watchdog_s if address else None
        self._next_sign_s = 0.0
        self._next_extension_s = 0.0
        # READY and RELOADING must not be lost to a systemd that is busy; old ones are.
        self._unsent: deque[str] = deque(maxlen=_MAX_UNSENT)
        self._status = ""

    @classmethod
    def from_environ(cls, environ: MutableMapping[str, str]) -> Notifier:
        """Return what systemd asked for, and take it out of the environment of our children."""
        address = environ.pop("NOTIFY_SOCKET", "")
        usec = environ.pop("WATCHDOG_USEC", "")
        pid = environ.pop("WATCHDOG_PID", "")
        is_ours = not pid or pid == str(os.getpid())
        watchdog_s = int(usec) / 1e6 if is_ours and usec.isdecimal() and int(usec) else None
        return cls(address, watchdog_s)

    @property
    def is_heard(self) -> bool:
        """Tell whether a service manager listens."""
        return self._socket is not None

    @property
    def sign_every_s(self) -> float | None:
        """Return how far apart signs of life may be: a third of what systemd waits for."""
        return None if self._watchdog_s is None else self._watchdog_s / 3

    def ready(self) -> None:
        """Tell that the daemon is up, or that a reload is done."""
        self._send("READY=1")

    def status(self, text: str) -> None:
        """Tell the state in a line, if it has changed."""
        self._flush()
        text = " ".join(text.split())
        if text != self._status:
            self._status = text
            self._send(f"STATUS={text}")

    def reloading(self) -> None:
        """Tell that the configuration is read again; ready() ends it."""
        usec = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self._send(f"RELOADING=1\nMONOTONIC_USEC={usec}")

    def stopping(self) -> None:
        """Tell that the daemon is on its way out."""
        self._send("STOPPING=1")

    def extend(self, now_s: float) -> None:
        """Ask for more time to start; called again and again until ready()."""
        if now_s >= self._next_extension_s and not self._unsent:
            self._next_extension_s = now_s + _EXTENSION_S / 4
            self._send(f"EXTEND_TIMEOUT_USEC={int(_EXTENSION_S * 1e6)}")

    def sign_of_life(self, now_s: float) -> None:
        """Keep systemd's watchdog quiet, as often as needed."""
        self._flush()
        every_s = self.sign_every_s
        # A little early rather than a tick late. Behind unsent messages it would tell nothing.
        if every_s is not None and now_s >= self._next_sign_s and not self._unsent:
            self._next_sign_s = now_s + every_s * 0.8
            self._send("WATCHDOG=1")

    def close(self) -> None:
        """Say no more."""
        if self._socket is not None:
            self._flush()
            self._socket.close()
            self._socket = None

    def _send(self, text: str) -> None:
        self._unsent.append(text)
        self._flush()

    def _flush(self) -> None:
        """Send what is queued, in order; the rest waits while the receiver's queue is full."""
        while self._unsent and self._socket is not None:
            try:
                self._socket.sendto(self._unsent[0].encode(), self._address)
            except BlockingIOError:
                return
            except OSError:
                # Nobody listens there any more; the daemon works without being heard.
                pass
            self._unsent.popleft()
