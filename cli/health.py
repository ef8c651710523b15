"""Whether all is well, for people and for monitoring: findings and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cli.words import count, duration
from ipc.control_messages import DaemonState
from ipc.exits import Exit
from ipc.scheduler_messages import Summary
from jobs.store.write_status import Status

# A heartbeat is sent every second; the supervisor itself acts on a scheduler hung for 15 s.
STALE_HEARTBEAT_S = 10.0


@dataclass(frozen=True, slots=True)
class Health:
    """What needs a look, in words, and the exit code that says so."""

    exit_code: Exit
    findings: tuple[str, ...]

    @property
    def word(self) -> str:
        """Return the state in a word."""
        return {Exit.OK: "well", Exit.GAVE_UP: "parked"}.get(self.exit_code, "degraded")


def assess(state: DaemonState) -> Health:
    """Return how the daemon is; a pause that ESI asked for is no finding, it ends by itself."""
    findings = (*_process_findings(state), *_summary_findings(state.summary))
    if state.scheduler_state == "parked":
        return Health(Exit.GAVE_UP, findings)
    return Health(Exit.FAILURE if findings else Exit.OK, findings)


def _process_findings(state: DaemonState) -> Iterator[str]:
    match state.scheduler_state:
        case "running":
            if state.trouble:
                yield state.trouble
        case "parked":
            yield f"gave up restarting the scheduler: {state.trouble or 'no reason known'}"
        case "backoff":
            wait = duration(state.next_start_s or 0.0)
            yield f"the scheduler starts again in {wait}: {state.trouble or 'it ended'}"
        case "starting" | "stopping":
            yield f"the scheduler is {state.scheduler_state}"
    if state.heartbeat_age_s is not None and state.heartbeat_age_s > STALE_HEARTBEAT_S:
        yield f"the scheduler has been silent for {duration(state.heartbeat_age_s)}"


def _summary_findings(summary: Summary | None) -> Iterator[str]:
    if summary is None:
        return
    if summary.database_trouble:
        lasts_s = summary.database_trouble_s
        since = f" for {duration(lasts_s)}" if lasts_s >= 1 else ""
        yield f"the database cannot be used{since}: {summary.database_trouble}"
    if summary.sso_trouble:
        yield summary.sso_trouble
    missing = sum(worker.state != "ready" for worker in summary.workers)
    if missing:
        yield f"{count(missing, 'worker is', 'workers are')} not ready"
    if summary.failing:
        yield f"{count(summary.failing, 'job fails', 'jobs fail')} and will be tried again"
    if summary.parked:
        yield f"{count(summary.parked, 'job is', 'jobs are')} parked until somebody acts"
    if summary.needs_login:
        yield f"a login is needed for {', '.join(map(str, summary.needs_login))}"
    uncertain = summary.outbox.get(Status.UNCERTAIN, 0)
    if uncertain:
        yield f"nobody can tell whether {count(uncertain, 'write')} arrived at ESI"
