"""What systemd is told and when: each change once, and a sign of life while all is well."""

from __future__ import annotations

from supervisor.notify import Notifier
from supervisor.report import View, is_well, status_line


class Herald:
    """Turns the daemon's state into words for systemd."""

    def __init__(self, notifier: Notifier, hung_after_s: float) -> None:
        """Take the way to systemd, and how old a heartbeat may be."""
        self._notifier = notifier
        self._hung_after_s = hung_after_s
        self._told_ready = False
        self._told_stopping = False

    @property
    def turn_every_s(self) -> float | None:
        """Return how often tell() must be called at least; None: as you like."""
        every_s = self._notifier.sign_every_s
        return None if every_s is None else every_s / 2

    def reload_begins(self) -> None:
        """Tell that the configuration is read again; before the first READY that means nothing."""
        if self._told_ready:
            self._notifier.reloading()

    def reload_ends(self) -> None:
        """Tell that a reload is over."""
        if self._told_ready:
            self._notifier.ready()

    def tell(self, view: View, now_s: float, *, is_leaving: bool) -> None:
        """Tell what has changed, and that we live."""
        notifier = self._notifier
        notifier.status(status_line(view))
        if is_leaving:
            if not self._told_stopping:
                self._told_stopping = True
                notifier.stopping()
        elif not self._told_ready:
            if view.phase in ("running", "parked"):
                self._told_ready = True
                notifier.ready()
            else:
                notifier.extend(now_s)
        if is_well(view, self._hung_after_s):
            notifier.sign_of_life(now_s)
