"""The head of what `status` prints: processes, figures, and what needs a look."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from cli.health import Health
from cli.paint import Painter, Style
from cli.table import Cell, Column, cut, printable, render_reasons
from cli.words import count, duration, until
from ipc.control_messages import DaemonState
from ipc.scheduler_messages import Summary

_LABEL_WIDTH = 10
# A loop that comes so late has more to do than it can.
_LATE_S = 0.5

_STATE_STYLES = {
    "running": Style.GOOD,
    "ready": Style.GOOD,
    "starting": Style.BUSY,
    "stopping": Style.BUSY,
    "waiting": Style.WARN,
    "backoff": Style.WARN,
    "parked": Style.BAD,
}


def summary_lines(
    state: DaemonState, health: Health, now: datetime, *, width: int, paint: Painter
) -> list[str]:
    """Return the head of the status: processes, figures, and what needs a look."""
    word = paint(health.word, Style.GOOD if health.word == "well" else Style.BAD)
    lines = [f"esisyncd {state.version}: {word}, up {duration(state.uptime_s)}"]
    lines += [
        paint("  ! " + cut(printable(text), width - 4), Style.BAD) for text in health.findings
    ]
    lines.append("")
    lines += _process_lines(state, width=width, paint=paint)
    lines.append("")
    for label, text in _figures(state, now):
        lines.append(f"{label:<{_LABEL_WIDTH}}{cut(printable(text), width - _LABEL_WIDTH)}")
    return lines


def _process_lines(state: DaemonState, *, width: int, paint: Painter) -> list[str]:
    rows = [_process("supervisor", state.supervisor_pid, "running", "")]
    rows.append(
        _process("scheduler", state.scheduler_pid, state.scheduler_state, _scheduler_detail(state))
    )
    workers = state.summary.workers if state.summary is not None else ()
    for worker in workers:
        detail = count(worker.jobs, "job")
        if worker.deaths:
            detail += f", {count(worker.deaths, 'death')}"
        if worker.lag_s >= _LATE_S:
            detail += f", {worker.lag_s:.1f} s late"
        rows.append(_process(f"worker {worker.worker}", worker.pid, worker.state, detail))
    columns = (
        Column("process"),
        Column("pid", right=True),
        Column("state"),
        Column("detail", flexible=True),
    )
    return render_reasons(columns, rows, width=width, paint=paint)


def _process(name: str, pid: int, state: str, detail: str) -> list[Cell]:
    return [
        Cell(name),
        Cell(str(pid) if pid else "-"),
        Cell(state, _STATE_STYLES.get(state, Style.PLAIN)),
        Cell(detail),
    ]


def _scheduler_detail(state: DaemonState) -> str:
    parts = []
    if state.heartbeat_age_s is not None:
        parts.append(f"heartbeat {state.heartbeat_age_s:.1f}s ago")
    if state.restarts:
        parts.append(count(state.restarts, "restart"))
    if state.next_start_s is not None:
        parts.append(f"next start in {duration(state.next_start_s)}")
    return ", ".join(parts)


def _figures(state: DaemonState, now: datetime) -> Iterable[tuple[str, str]]:
    summary = state.summary
    if summary is not None:
        yield "jobs", _jobs_figure(summary)
        if summary.paused_until is not None and summary.paused_until > now:
            moment = summary.paused_until.strftime("%H:%M:%S UTC")
            yield (
                "paused",
                f"{until(summary.paused_until, now)} ({moment}): {summary.pause_reason}",
            )
        if summary.down_since is not None:
            since = summary.down_since.strftime("%H:%M:%S UTC")
            yield "downtime", f"ESI is down since {since}: jobs wait, and it is asked now and then"
        if summary.limits:
            yield "limits", f"jobs wait for {', '.join(summary.limits)}"
        if summary.errors_left is not None:
            yield "errors", f"{count(summary.errors_left, 'error')} left before ESI answers no more"
        if summary.rows_skipped:
            yield "skipped", f"{count(summary.rows_skipped, 'row')} that could not be read"
        if summary.words_unknown:
            yield (
                "words",
                f"{count(summary.words_unknown, 'word')} that ESI does not list; all kept",
            )
        yield "outbox", _outbox_figure(summary.outbox)
    yield from _standing(state)


def _standing(state: DaemonState) -> Iterable[tuple[str, str]]:
    if state.pending_commands:
        yield "waiting", f"{count(state.pending_commands, 'command')} for the next scheduler"
    if state.waits_for_restart:
        yield "restart", f"{', '.join(state.waits_for_restart)} changes with `esisyncd restart`"
    if state.database:
        yield "database", state.database


def _jobs_figure(summary: Summary) -> str:
    parts = [f"{summary.entries:,} scheduled", f"{summary.due:,} due"]
    parts.append(f"{summary.in_flight:,} running")
    for number, word in ((summary.parked, "parked"), (summary.failing, "failing")):
        if number:
            parts.append(f"{number:,} {word}")
    return f"{', '.join(parts)}; {summary.done:,} done and {summary.failed:,} failed since boot"


def _outbox_figure(outbox: dict[str, int]) -> str:
    parts = [f"{number:,} {word}" for word, number in sorted(outbox.items()) if number]
    return ", ".join(parts) or "empty"
