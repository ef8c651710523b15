"""Jobs summed up by kind, as the demo shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from cli.event_view import outcome_words
from ipc.control_messages import Missed
from ipc.events import BackingOff, Event, Failed, Finished
from ipc.outcome import Token
from ipc.scheduler_messages import JobState


@dataclass(slots=True)
class Section:
    """One kind over all subjects."""

    kind: str
    jobs: int = 0
    well: int = 0
    bad: int = 0
    in_flight: int = 0
    runs: int = 0
    rows: int = 0
    last: str = ""


class Sections:
    """Every kind, from the daemon's state and from what it tells."""

    def __init__(self) -> None:
        """Start with none."""
        self._runs: dict[str, int] = defaultdict(int)
        self._rows: dict[str, int] = defaultdict(int)
        self._last: dict[str, str] = {}

    def take_event(self, event: Event | Missed) -> None:
        """Count a run."""
        match event:
            case Finished(key=key, outcome=outcome):
                self._rows[key.kind] += outcome.rows_touched
                said = outcome_words(outcome)
            case Failed(key=key, reason=reason):
                said = reason
            case BackingOff(key=key, retry_s=retry_s):
                said = f"ESI asks to wait {retry_s}s"
            case _:
                return
        self._runs[key.kind] += 1
        self._last[key.kind] = f"{key.subject} {said}"

    def sum_up(self, jobs: Iterable[JobState]) -> list[Section]:
        """Return the kinds in the order of their names."""
        sections: dict[str, Section] = {}
        for job in jobs:
            kind = job.key.kind
            section = sections.setdefault(kind, Section(kind))
            section.jobs += 1
            section.in_flight += job.in_flight
            if job.outcome is not None:
                section.well += job.outcome.is_success
                section.bad += job.outcome.token is Token.FAILED
        for kind, section in sections.items():
            section.runs, section.rows = self._runs[kind], self._rows[kind]
            section.last = self._last.get(kind, "")
        return [sections[kind] for kind in sorted(sections)]
