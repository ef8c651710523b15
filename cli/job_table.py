"""The jobs in what `status` prints: a table for each subject, or a line for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from cli.paint import Painter, Style
from cli.table import Cell, Column, cut, printable, render_reasons
from cli.waits import waits_for_esi
from cli.words import duration, until
from ipc.outcome import Token
from ipc.scheduler_messages import JobState
from ipc.subject import GLOBAL, Subject

# More jobs than this, and each subject is told in one line.
MANY_JOBS = 80

_OUTCOME_STYLES = {
    Token.SYNCED: Style.GOOD,
    Token.EMPTY: Style.GOOD,
    Token.BLOCKED: Style.WARN,
    Token.NOT_READY: Style.WARN,
    Token.SKIPPED: Style.WARN,
    Token.FAILED: Style.BAD,
}


def login_lines(jobs: Sequence[JobState]) -> list[str]:
    """Return what to do where all of a daemon's jobs are those that need nobody; else nothing."""
    if any(job.key.subject != GLOBAL for job in jobs):
        return []
    return ["", "Nobody is mirrored yet: `esisyncd login` brings a character."]


def job_lines(
    jobs: Sequence[JobState],
    now: datetime,
    *,
    width: int,
    paint: Painter,
    all_jobs: bool,
    urgent_first: bool = False,
    names: Mapping[Subject, str] = MappingProxyType({}),
) -> list[str]:
    """Return a table of jobs for each subject, or a line for each subject when they are many.

    With urgent_first what needs a look is at the top of its table, and then what runs.
    """
    by_subject: dict[Subject, list[JobState]] = defaultdict(list)
    for job in sorted(
        jobs,
        key=lambda job: (job.key.subject, urgent_first and _calm(job), job.key.kind),
    ):
        by_subject[job.key.subject].append(job)
    if not all_jobs and len(jobs) > MANY_JOBS:
        return _subject_lines(by_subject, now, names, width=width, paint=paint)
    lines: list[str] = []
    for subject, of_subject in by_subject.items():
        name = printable(names.get(subject, ""))
        lines += ["", paint(cut(f"{subject}  {name}".rstrip(), width), Style.BOLD)]
        lines += _jobs_of_subject(of_subject, now, width=width, paint=paint)
    return lines


def _calm(job: JobState) -> int:
    """Return how little a job needs a look: the least for one that failed or is parked."""
    failed = job.outcome is not None and job.outcome.token is Token.FAILED
    if job.parked_reason or (failed and not waits_for_esi(job)):
        return 0
    return 1 if job.in_flight else 2


def _jobs_of_subject(
    jobs: Sequence[JobState], now: datetime, *, width: int, paint: Painter
) -> list[str]:
    columns = (
        Column("kind"),
        Column("last"),
        Column("changed", right=True),
        Column("ran", right=True),
        Column("fresh", right=True),
        Column("next", right=True),
        Column("why", flexible=True),
    )
    rows = [_job_row(job, now) for job in jobs]
    return render_reasons(columns, rows, width=width, paint=paint, indent="  ")


def _job_row(job: JobState, now: datetime) -> list[Cell]:
    outcome = job.outcome
    last = Cell("never", Style.DIM)
    rows = "-"
    if outcome is not None:
        last = Cell(str(outcome.token), _OUTCOME_STYLES[outcome.token])
        if waits_for_esi(job):
            last = Cell("waiting", Style.WARN)
        rows = f"{outcome.rows_touched:,}" if outcome.is_success else "-"
    return [
        Cell(job.key.kind),
        last,
        Cell(rows),
        Cell(_since(job.last_attempt_at, now)),
        Cell(_left(job.fresh_until, now)),
        _next_cell(job, now),
        _why(job),
    ]


def _since(moment: datetime | None, now: datetime) -> str:
    return "-" if moment is None else duration((now - moment).total_seconds())


def _left(moment: datetime | None, now: datetime) -> str:
    if moment is None:
        return "-"
    left_s = (moment - now).total_seconds()
    return "stale" if left_s <= 0 else duration(left_s)


def _next_cell(job: JobState, now: datetime) -> Cell:
    if job.in_flight:
        return Cell("running", Style.BUSY)
    if job.parked_reason:
        return Cell("parked", Style.BAD)
    if job.next_run_at is None:
        return Cell("-")
    left_s = (job.next_run_at - now).total_seconds()
    return Cell("due", Style.BUSY) if left_s <= 0 else Cell(duration(left_s))


def _why(job: JobState) -> Cell:
    text = job.parked_reason or (job.outcome.reason if job.outcome is not None else "")
    if job.waits_for and not waits_for_esi(job):
        text = f"waits for the limit {job.waits_for}" + (f"; {text}" if text else "")
    if job.failures > 1:
        text = f"{job.failures} times running: {text}"
    failed = job.outcome is not None and job.outcome.token is Token.FAILED
    bad = job.parked_reason or (failed and not waits_for_esi(job))
    return Cell(text, Style.BAD if bad else Style.DIM)


def _subject_lines(
    by_subject: dict[Subject, list[JobState]],
    now: datetime,
    names: Mapping[Subject, str],
    *,
    width: int,
    paint: Painter,
) -> list[str]:
    columns = (
        Column("subject"),
        Column("name", flexible=True),
        Column("kinds", right=True),
        Column("well", right=True),
        Column("blocked", right=True),
        Column("waiting", right=True),
        Column("failed", right=True),
        Column("parked", right=True),
        Column("next", right=True),
        Column("why", flexible=True),
    )
    rows = [
        _subject_row(subject, jobs, names.get(subject, ""), now)
        for subject, jobs in by_subject.items()
    ]
    lines = ["", *render_reasons(columns, rows, width=width, paint=paint)]
    return [*lines, "", "`esisyncd status SUBJECT` shows the jobs of one; --all shows every job."]


def _subject_row(
    subject: Subject, jobs: Sequence[JobState], name: str, now: datetime
) -> list[Cell]:
    tokens = [job.outcome.token for job in jobs if job.outcome is not None]
    waiting = sum(waits_for_esi(job) for job in jobs)
    failed = tokens.count(Token.FAILED) - waiting
    parked = sum(bool(job.parked_reason) for job in jobs)
    upcoming = [job.next_run_at for job in jobs if job.next_run_at and not job.parked_reason]
    worst = next((job for job in jobs if job.parked_reason), None) or next(
        (
            job
            # One that waits for ESI has something to tell, and less than one that fails.
            for job in sorted(jobs, key=waits_for_esi)
            if job.outcome is not None and job.outcome.token is Token.FAILED
        ),
        None,
    )
    return [
        Cell(str(subject)),
        Cell(name),
        Cell(str(len(jobs))),
        Cell(str(sum(token in (Token.SYNCED, Token.EMPTY) for token in tokens)), Style.GOOD),
        Cell(str(tokens.count(Token.BLOCKED))),
        Cell(str(waiting), Style.WARN if waiting else Style.PLAIN),
        Cell(str(failed), Style.BAD if failed else Style.PLAIN),
        Cell(str(parked), Style.BAD if parked else Style.PLAIN),
        Cell(until(min(upcoming), now).removeprefix("in ") if upcoming else "-"),
        _why(worst) if worst is not None else Cell(""),
    ]
