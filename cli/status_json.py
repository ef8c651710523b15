"""The status as programs read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from cli.health import Health
from cli.json_documents import json_document
from cli.waits import waits_for_esi
from ipc.control_messages import DaemonState
from ipc.scheduler_messages import JobState
from ipc.subject import Subject


def status_json(
    state: DaemonState,
    health: Health,
    jobs: Sequence[JobState] | None,
    names: Mapping[Subject, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the status as programs read it; jobs is null when no scheduler could tell."""
    daemon = msgspec.to_builtins(state)
    for internal in ("type", "request_id"):
        daemon.pop(internal, None)
    # A message leaves out what has its default value; a document for programs says it.
    for field in msgspec.structs.fields(DaemonState):
        if field.name not in ("request_id", "summary") and field.name not in daemon:
            daemon[field.name] = field.default
    if state.summary is not None:
        daemon["summary"]["needs_login"] = [str(subject) for subject in state.summary.needs_login]
    return json_document(
        health=health.word,
        exit_code=int(health.exit_code),
        findings=list(health.findings),
        daemon=daemon,
        jobs=None if jobs is None else [job_json(job, names) for job in jobs],
    )


def job_json(job: JobState, names: Mapping[Subject, str]) -> dict[str, Any]:
    """Return one job as programs read it; a name is null where it is not known."""
    outcome = job.outcome
    return {
        "subject": str(job.key.subject),
        "name": names.get(job.key.subject) or None,
        "kind": job.key.kind,
        "outcome": None if outcome is None else str(outcome.token),
        "rows": None if outcome is None else outcome.rows_touched,
        "rows_skipped": None if outcome is None else outcome.rows_skipped,
        "words_unknown": None if outcome is None else outcome.words_unknown,
        "to_fetch": None if outcome is None else outcome.to_fetch,
        "reason": "" if outcome is None else outcome.reason,
        "last_attempt_at": msgspec.to_builtins(job.last_attempt_at),
        "last_success_at": msgspec.to_builtins(job.last_success_at),
        "last_changed_at": msgspec.to_builtins(job.last_changed_at),
        "fresh_until": msgspec.to_builtins(job.fresh_until),
        "next_run_at": msgspec.to_builtins(job.next_run_at),
        "in_flight": job.in_flight,
        "failures": job.failures,
        "waits_for_esi": waits_for_esi(job),
        "parked_reason": job.parked_reason,
        "waits_for": job.waits_for,
    }
