"""Events as lines for people, and as JSON for programs."""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from cli.json_documents import json_document
from cli.paint import Painter, Style
from cli.table import cut, printable
from cli.words import count, duration
from ipc.control_messages import Missed
from ipc.events import (
    BackingOff,
    Enrolled,
    Event,
    Failed,
    Finished,
    GaveUp,
    Heartbeat,
    OutboxDone,
    OutboxFailed,
    OutboxInflight,
    OutboxRetrying,
    OutboxUncertain,
    Paused,
    Restarted,
    Scheduled,
    SchedulerUp,
    Seeded,
    Started,
    Withdrawn,
    WorkerDied,
    WorkerUp,
)
from ipc.outcome import Outcome

# A reason can be long; JSON has all of it.
_TEXT_CHARS = 240


def line(event: Event | Missed, paint: Painter) -> str:
    """Return an event as one line: time, word, whom it is about, and the rest."""
    word, text, style = _words(event)
    moment = "--:--:--" if isinstance(event, Missed) else event.at.strftime("%H:%M:%S")
    said = cut(printable(text), _TEXT_CHARS)
    return f"{paint(moment, Style.DIM)} {paint(f'{word:<10}', style)} {said}".rstrip()


def as_json(event: Event | Missed) -> dict[str, Any]:
    """Return an event as programs read it."""
    if isinstance(event, Missed):
        return json_document(event="missed", events=event.events)
    document = json_document(**msgspec.to_builtins(event))
    key = getattr(event, "key", None)
    if key is not None:
        del document["key"]
        document["kind"], document["subject"] = key.kind, str(key.subject)
    subject = getattr(event, "subject", None)
    if subject is not None:
        document["subject"] = str(subject)
    return document


def outcome_words(outcome: Outcome) -> str:
    """Return an outcome with its rows or its reason."""
    if outcome.is_success:
        text = f"{outcome.token}, {count(outcome.rows_touched, 'row')}"
        return f"{text}, {outcome.reason}" if outcome.reason else text
    return f"{outcome.token}: {outcome.reason}" if outcome.reason else str(outcome.token)


def _words(event: Event | Missed) -> tuple[str, str, Style]:
    match event:
        case Missed():
            text = f"{count(event.events, 'event')} left out, this reader was too slow"
            return "missed", text, Style.WARN
        case Started() | Finished() | Failed() | BackingOff() | Scheduled() | Seeded():
            return _job_words(event)
        case (
            OutboxInflight() | OutboxDone() | OutboxRetrying() | OutboxFailed() | OutboxUncertain()
        ):
            return _outbox_words(event)
        case Enrolled():
            return "enrolled", str(event.subject), Style.GOOD
        case Withdrawn():
            return "withdrawn", str(event.subject), Style.WARN
        case Heartbeat():
            text = f"{event.in_flight} running, {event.due} due, {event.entries} scheduled"
            return "heartbeat", text, Style.DIM
        case Paused():
            return "paused", f"until {event.until:%H:%M:%S}: {event.reason}", Style.WARN
        case WorkerUp() | WorkerDied() | SchedulerUp() | Restarted() | GaveUp():
            return _process_words(event)
    assert_never(event)


def _job_words(
    event: Started | Finished | Failed | BackingOff | Scheduled | Seeded,
) -> tuple[str, str, Style]:
    name = f"{event.key.subject} {event.key.kind}"
    match event:
        case Started():
            again = f", attempt {event.attempt}" if event.attempt > 1 else ""
            return "started", f"{name} on worker {event.worker}{again}", Style.BUSY
        case Finished():
            style = Style.GOOD if event.outcome.is_success else Style.WARN
            text = f"{name} {outcome_words(event.outcome)} in {event.duration_s:.2f}s"
            return "finished", text, style
        case Failed():
            tail = ", parked" if event.parked else f", {event.failures} in a row"
            return "failed", f"{name}: {event.reason.rstrip('.')}{tail}", Style.BAD
        case BackingOff():
            return "waits", f"{name}, ESI asks for {event.retry_s}s", Style.WARN
        case Scheduled():
            return "scheduled", f"{name} in {duration(event.next_in_s)}", Style.DIM
        case Seeded():
            due = "" if event.next_in_s is None else f", next in {duration(event.next_in_s)}"
            return "known", f"{name} last {outcome_words(event.outcome)}{due}", Style.DIM


def _outbox_words(
    event: OutboxInflight | OutboxDone | OutboxRetrying | OutboxFailed | OutboxUncertain,
) -> tuple[str, str, Style]:
    name = f"write {event.outbox_id} {event.kind} of {event.subject}"
    match event:
        case OutboxInflight():
            return "sending", name, Style.BUSY
        case OutboxDone():
            return "sent", name, Style.GOOD
        case OutboxRetrying():
            text = f"{name}: {event.reason}, again in {duration(event.next_in_s)}"
            return "retrying", text, Style.WARN
        case OutboxFailed():
            return "refused", f"{name}: {event.reason}", Style.BAD
        case OutboxUncertain():
            return "uncertain", f"{name}: {event.reason}", Style.BAD


def _process_words(
    event: WorkerUp | WorkerDied | SchedulerUp | Restarted | GaveUp,
) -> tuple[str, str, Style]:
    match event:
        case WorkerUp():
            text = f"{event.worker} (pid {event.pid}) in {event.boot_s:.2f}s"
            return "worker", f"{text} ready", Style.GOOD
        case WorkerDied():
            text = f"{event.worker} (pid {event.pid}) {event.cause}"
            return "worker", f"{text}, {count(event.jobs, 'job')} cut off", Style.BAD
        case SchedulerUp():
            text = f"(pid {event.pid}) ready, epoch {event.epoch}"
            return "scheduler", text, Style.GOOD
        case Restarted():
            return "restart", f"{event.attempt}: {event.reason}", Style.WARN
        case GaveUp():
            return "gave up", event.reason, Style.BAD
