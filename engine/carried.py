"""What triggers bring to a global kind: the subjects it works on, gathered for a while; pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from ipc.subject import Subject

# More than these at once are no saving over a full run, and a message has a size.
LIMIT = 5_000


@dataclass(slots=True)
class Load:
    """Subjects for the next run of one global kind, and when its ordinary run is due."""

    resume_s: float
    subjects: dict[Subject, None] = field(default_factory=dict)
    # Somebody asked for a run over everything.
    everything: bool = False


class Carried:
    """Loads by name of the kind."""

    def __init__(self) -> None:
        """Start without loads."""
        self._loads: dict[str, Load] = {}

    def add(self, kind: str, subject: Subject | None, resume_s: float) -> None:
        """Note a subject for a kind's next run; None: everything."""
        load = self._loads.get(kind)
        if load is None:
            load = self._loads[kind] = Load(resume_s)
        if subject is None or len(load.subjects) >= LIMIT:
            load.everything = True
        else:
            load.subjects[subject] = None

    def __contains__(self, kind: str) -> bool:
        """Tell whether a kind has a load."""
        return kind in self._loads

    def resume_at(self, kind: str, resume_s: float) -> None:
        """Set when the ordinary run of a kind with a load is due, now that it is known."""
        self._loads[kind].resume_s = resume_s

    def discard(self, kind: str) -> None:
        """Forget a kind's load: its next run works on everything."""
        self._loads.pop(kind, None)

    def take(self, kind: str, now_s: float) -> Load | None:
        """Return the load of a run that starts now; None: it is an ordinary run over everything."""
        load = self._loads.pop(kind, None)
        if load is None or load.everything or load.resume_s <= now_s or not load.subjects:
            return None
        return load

    def put_back(self, kind: str, load: Load) -> None:
        """Keep the load of a run that did not succeed for the next one."""
        for subject in load.subjects:
            self.add(kind, subject, load.resume_s)
