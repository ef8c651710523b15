"""Exit codes of every process, as sysexits has them where it has one."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Why a process ended; systemd, scripts and the supervisor read these."""

    OK = 0
    FAILURE = 1
    # The command line was wrong (click's own).
    USAGE = 2
    # No daemon answers on the control socket.
    NO_DAEMON = 69
    # A bug: an error nobody foresaw ended the process.
    INTERNAL = 70
    # Another daemon holds the database or the socket.
    HELD = 73
    # The supervisor gave up respawning, and was asked to leave when it does; of commands: not yet.
    GAVE_UP = 75
    # The daemon, or the one who owns the data, refused.
    REFUSED = 77
    # Configuration or database schema cannot be used; starting again will not help.
    CONFIG = 78
    # Under a service manager: a client said stop, and it is not to be started again.
    STOPPED = 80
    # Scheduler only: workers died faster than they could be replaced.
    WORKERS_LOST = 81
    # Scheduler only: the parent is gone.
    ORPHANED = 82
    # Scheduler only: the database now belongs to a newer epoch.
    FENCED = 83
    # Scheduler only: the connection that held the database is gone; its successor waits for it.
    DATABASE_LOST = 84
