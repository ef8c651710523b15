"""What can go wrong in a user's hands: a line that says it, one that says what to do, a code."""

from __future__ import annotations

from ipc.exits import Exit


class CliError(Exception):
    """Ends a command with a message for people; never shown with a traceback."""

    exit_code: Exit = Exit.FAILURE

    def __init__(self, message: str, hint: str = "") -> None:
        """Take what happened, and what the user can do next."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInput(CliError):
    """What was typed, pasted or piped in cannot be used."""

    exit_code = Exit.USAGE


class NoDaemon(CliError):
    """Nobody answers on the control socket."""

    exit_code = Exit.NO_DAEMON


class DaemonSilent(CliError):
    """The daemon took the connection, but did not answer in time."""

    exit_code = Exit.NO_DAEMON


class NotYet(CliError):
    """What was asked is under way, and goes on by itself: try again later (EX_TEMPFAIL)."""

    # One number: a supervisor that gave up is to be tried again later as well.
    exit_code = Exit.GAVE_UP


class DaemonRefused(CliError):
    """The daemon, or SSO, said no."""

    exit_code = Exit.REFUSED


class HeldElsewhere(CliError):
    """Another daemon works on this database or socket."""

    exit_code = Exit.HELD


class ConfigFault(CliError):
    """The configuration or the database schema cannot be used as it is."""

    exit_code = Exit.CONFIG
