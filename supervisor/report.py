"""The daemon's state in words: for status, for systemd, for the log. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ipc.scheduler_messages import Summary
from supervisor.lifecycle import Phase


@dataclass(frozen=True, slots=True)
class View:
    """What is known at one moment."""

    phase: Phase
    generation: int
    # Seconds to the end of the phase, where it ends by itself.
    left_s: float | None
    # Why all is not well.
    trouble: str
    # Seconds since the scheduler's last heartbeat; None when none lives.
    heartbeat_age_s: float | None
    summary: Summary | None = None


def status_line(view: View) -> str:
    """Return the state in one line, as systemd shows it."""
    words: list[str] = [view.phase]
    # While parked it counts minutes; told each second, that would be noise.
    if view.phase == "backoff" and view.left_s is not None:
        words.append(f"next start in {max(0.0, view.left_s):.0f} s")
    if view.phase == "running":
        words.append(f"generation {view.generation}")
        if view.summary is not None and view.summary.database_trouble:
            words.append(f"database: {view.summary.database_trouble}")
        if view.summary is not None and view.summary.sso_trouble:
            words.append(view.summary.sso_trouble)
    line = ", ".join(words)
    return f"{line}; {view.trouble}" if view.trouble else line


def is_well(view: View, hung_after_s: float) -> bool:
    """Tell whether systemd's watchdog may be fed: a running engine must have a fresh heartbeat.

    Each of the other phases has an end of its own, and the daemon is answering in it.
    """
    if view.phase != "running":
        return True
    return view.heartbeat_age_s is not None and view.heartbeat_age_s <= hung_after_s


def without_password(url: str) -> str:
    """Return a database URL that may be shown: without a password and what else it is told."""
    scheme, separator, rest = url.partition("://")
    if scheme.partition("+")[0] != "sqlite":
        # Of PostgreSQL, a password can stand there as well.
        rest = rest.partition("?")[0]
    user, at, host = rest.rpartition("@")
    return f"{scheme}{separator}{user.partition(':')[0]}{at}{host}"
