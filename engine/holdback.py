"""What keeps a due job from starting: ESI's limits; and what a job heard of ESI's health."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from engine import policy
from engine.budgets import Budgets
from engine.downtime import STATUS_ROUTE, Downtime
from engine.entry import Entry
from engine.finish import Finisher
from engine.schedule import Schedule
from ipc.clock import Clock
from ipc.messages import JobDone
from ipc.outcome import PauseBucket, Transient
from jobs.rates import PATIENCE_S, PERSON, ROUTINE
from jobs.reasons import spent_limit


@dataclass(slots=True)
class Holdback:
    """Asked before each job, and told after it."""

    clock: Clock
    schedule: Schedule
    finisher: Finisher
    budgets: Budgets
    downtime: Downtime
    # Told whether ESI went down, or came back.
    on_downtime: Callable[[bool], None]

    def keeps(self, entry: Entry, now_s: float, now: datetime) -> bool:
        """Keep a job that was taken from running while a limit of ESI that it needs is spent."""
        if entry.demands_of is not entry.plan:
            entry.demands = self.budgets.demands_of(entry.kind, entry.plan.grants)
            entry.demands_of = entry.plan
        demands = entry.demands
        if demands is None:
            return False
        held = self.budgets.held(demands, PERSON if entry.urgent else ROUTINE, now_s)
        if held is None:
            entry.waits_for = ""
            return False
        entry.waits_for = held.limit
        seconds = held.wait.seconds
        if held.wait.exhausted and seconds > PATIENCE_S:
            reason = spent_limit(held.limit, math.ceil(seconds))
            decision = policy.wait_for_limit(reason, seconds, entry.failures)
            self.finisher.settle(entry, decision, now)
        else:
            self.schedule.put_off(entry, now_s + seconds)
        return True

    def hear(self, done: JobDone, now: datetime, *, probe: bool) -> JobDone:
        """Take in what a job heard of ESI's health; what failed of a downtime only waits for it.

        probe: the job was to find out whether ESI is back.
        """
        downtime, now_s = self.downtime, self.clock.monotonic_s()
        if probe:
            well = done.answered and STATUS_ROUTE not in done.troubled
            if downtime.probed(well=well, now_s=now_s):
                self.on_downtime(False)
        elif downtime.hear(done.troubled, answered=done.answered, now_s=now_s):
            self.on_downtime(True)
        if not downtime.is_shut(now_s) or not isinstance(done.reaction, Transient):
            return done
        wait_s = max(1.0, downtime.next_probe_s - now_s)
        until = now + timedelta(seconds=wait_s)
        reaction = PauseBucket("downtime", until, math.ceil(wait_s), refused=False)
        return msgspec.structs.replace(done, reaction=reaction)
