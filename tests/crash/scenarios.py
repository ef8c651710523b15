"""Which processes die at which points of a write, and how its row may then end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tests.crash.failpoints import Victim

Step = tuple[str, Victim]
What = Literal["mail", "refused", "read"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One write, the points at which something dies in turn, and the ends that are right."""

    steps: tuple[Step, ...]
    ends: frozenset[str]
    what: What = "mail"

    @property
    def is_unclaimed(self) -> bool:
        """Tell whether nobody has the row yet, so that its end is worth waiting for."""
        point, victim = self.steps[-1]
        return victim == "scheduler" and point in ("claim.begun", "claim.written")

    @property
    def name(self) -> str:
        """Return a name for people."""
        told = " then ".join(f"{victim} at {point}" for point, victim in self.steps)
        return told if self.what == "mail" else f"{told} ({self.what})"


DONE = frozenset({"done"})
FAILED = frozenset({"failed"})
# Noted, so it may have been sent: it is looked for, and is not there.
UNCERTAIN = frozenset({"uncertain"})
EITHER = DONE | UNCERTAIN

# How a mail ends whose processes die at a point. Those of the scheduler; what is not claimed yet
# is claimed later, and what is claimed and was not noted to go out is sent by the next.
OF_SCHEDULER = {
    "claim.begun": DONE,
    "claim.written": DONE,
    "claim.committed": DONE,
    "dispatch.sent": EITHER,
    "answer.read": DONE,
    "answer.settled": DONE,
}
# Those of the worker, in the order in which a write passes them, without the turn to write ...
WITHOUT_TURN = {
    "order.taken": DONE,
    "row.read": DONE,
    "send.before": DONE,
    "send.noted": UNCERTAIN,
    "send.headers": DONE,
    "send.answered": DONE,
    "mark.waiting": DONE,
}
# ... and with it, or just after.
WITH_TURN = dict.fromkeys(
    ("mark.begun", "mark.written", "mark.done", "mark.committed", "answer.sent"), DONE
)
OF_REFUSAL = ("compensate.begun", "compensate.done")
SENT: Step = ("send.answered", "worker")
SENT_TOO: Step = ("send.answered", "scheduler")
STUCK: Step = ("mark.waiting", "nobody")


def _worker_dies() -> list[Scenario]:
    found = [
        Scenario(((point, "worker"),), ends) for point, ends in (WITHOUT_TURN | WITH_TURN).items()
    ]
    # All workers die, whatever row they have.
    found += [Scenario(((point, "worker"),), EITHER) for point in OF_SCHEDULER]
    found += [Scenario(((point, "worker"),), FAILED, "refused") for point in OF_REFUSAL]
    look: Step = ("look.begun", "worker")
    found += [
        Scenario((SENT, look), DONE),
        Scenario((SENT, ("look.answered", "worker")), DONE),
        # It is given up by the scheduler.
        Scenario((SENT, look, look), UNCERTAIN),
        # Its answer never comes; and it is not marked in time.
        Scenario((("send.answered", "nobody"),), DONE),
        Scenario((STUCK,), DONE),
        Scenario((STUCK, ("cut.begun", "worker")), DONE),
        Scenario((STUCK, ("cut.decided", "worker")), DONE),
        Scenario((("send.before", "worker"),), DONE, "read"),
        Scenario((("mark.done", "worker"),), DONE, "read"),
    ]
    return found


def _scheduler_dies() -> list[tuple[Scenario, ...]]:
    """Return scenarios in groups that one death of the scheduler is enough for.

    Of each group the last one alone may hold the turn to write, or the scheduler itself.
    """
    alone = [Scenario(((point, "scheduler"),), ends) for point, ends in WITHOUT_TURN.items()]
    alone += [
        Scenario((SENT, ("look.begun", "scheduler")), DONE),
        Scenario((SENT, ("look.answered", "scheduler")), DONE),
        Scenario((STUCK, ("cut.begun", "scheduler")), DONE),
        Scenario((("send.answered", "scheduler"),), DONE, "read"),
    ]
    last = [
        Scenario(((point, "scheduler"),), ends)
        for point, ends in (OF_SCHEDULER | WITH_TURN).items()
    ]
    last += [Scenario(((point, "scheduler"),), FAILED, "refused") for point in OF_REFUSAL]
    last += [
        Scenario((SENT, ("lost.heard", "scheduler")), DONE),
        Scenario((SENT, ("lost.kept", "scheduler")), DONE),
        Scenario((STUCK, ("cut.decided", "scheduler")), DONE),
        Scenario(
            (
                SENT_TOO,
                ("adopt.begun", "scheduler"),
                ("adopt.written", "scheduler"),
                ("adopt.committed", "scheduler"),
            ),
            DONE,
        ),
    ]
    return [(*alone[number : number + 1], each) for number, each in enumerate(last)]


GROUPS: list[tuple[Scenario, ...]] = [(each,) for each in _worker_dies()] + _scheduler_dies()
