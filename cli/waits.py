"""Jobs that wait because ESI asked to: in the ledger they failed, and to people they have not."""

from __future__ import annotations

from ipc.outcome import Token
from ipc.scheduler_messages import JobState


def waits_for_esi(job: JobState) -> bool:
    """Tell whether a job's last end was that a limit of ESI was spent.

    That is the one failure which begins no streak; a job that had failed before goes on failing.
    """
    failed = job.outcome is not None and job.outcome.token is Token.FAILED
    return failed and job.failures == 0 and not job.parked_reason


def has_more(job: JobState) -> bool:
    """Tell whether a job has fetched a part of what there is, and goes on with its next run."""
    return job.outcome is not None and job.outcome.to_fetch > 0
