from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from cli.event_view import as_json, line
from cli.paint import Painter
from ipc import events
from ipc.control_messages import Missed
from ipc.outcome import Outcome, Token
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType

AT = datetime(2026, 6, 9, 12, 3, 4, tzinfo=UTC)
KEY = JobKey("global.server_status", GLOBAL)
PILOT = Subject(SubjectType.CHARACTER, 90000001)
WRITE: dict[str, Any] = {"at": AT, "outbox_id": 7, "kind": "mail.send", "subject": PILOT}
CASES: list[tuple[events.Event | Missed, str]] = [
    (events.Started(AT, KEY, 2, 1), "started    global global.server_status on worker 2"),
    (
        events.Started(AT, KEY, 2, 3),
        "started    global global.server_status on worker 2, attempt 3",
    ),
    (
        events.Finished(AT, KEY, Outcome(Token.SYNCED, 1), 0.25),
        "finished   global global.server_status synced, 1 row in 0.25s",
    ),
    (
        events.Finished(AT, KEY, Outcome(Token.BLOCKED, 0, "missing role Director"), 0.0),
        "finished   global global.server_status blocked: missing role Director in 0.00s",
    ),
    (
        events.Failed(AT, KEY, "no answer\x1b[2J", 3),
        "failed     global global.server_status: no answer [2J, 3 in a row",
    ),
    (events.Failed(AT, KEY, "bad", 3, parked=True),
     "failed     global global.server_status: bad, parked"),
    (events.Failed(AT, KEY, "A sentence.", 1),
     "failed     global global.server_status: A sentence, 1 in a row"),
    (events.BackingOff(AT, KEY, 60), "waits      global global.server_status, ESI asks for 60s"),
    (events.Scheduled(AT, KEY, 61.5), "scheduled  global global.server_status in 1m01s"),
    (
        events.Seeded(AT, KEY, Outcome(Token.EMPTY), 5.0),
        "known      global global.server_status last empty, 0 rows, next in 5s",
    ),
    (events.Enrolled(AT, PILOT), "enrolled   character:90000001"),
    (events.Withdrawn(AT, PILOT), "withdrawn  character:90000001"),
    (events.Heartbeat(AT, 1, 2, 3), "heartbeat  1 running, 2 due, 3 scheduled"),
    (events.Paused(AT, AT, "downtime"), "paused     until 12:03:04: downtime"),
    (events.OutboxInflight(**WRITE), "sending    write 7 mail.send of character:90000001"),
    (events.OutboxDone(**WRITE), "sent       write 7 mail.send of character:90000001"),
    (
        events.OutboxRetrying(**WRITE, reason="no answer", next_in_s=4.0),
        "retrying   write 7 mail.send of character:90000001: no answer, again in 4s",
    ),
    (
        events.OutboxFailed(**WRITE, reason="no"),
        "refused    write 7 mail.send of character:90000001: no",
    ),
    (
        events.OutboxUncertain(**WRITE, reason="?"),
        "uncertain  write 7 mail.send of character:90000001: ?",
    ),
    (events.WorkerUp(AT, 1, 99, 0.02), "worker     1 (pid 99) in 0.02s ready"),
    (events.WorkerDied(AT, 1, 99, "killed", 2), "worker     1 (pid 99) killed, 2 jobs cut off"),
    (events.SchedulerUp(AT, 99, 1, 7), "scheduler  (pid 99) ready, epoch 7"),
    (events.Restarted(AT, 2, "killed"), "restart    2: killed"),
    (events.GaveUp(AT, "five deaths"), "gave up    five deaths"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "text"), CASES, ids=lambda case: type(case).__name__)
def test_each_event_is_a_line(event: events.Event, text: str) -> None:
    assert line(event, Painter(colours=False)) == f"12:03:04 {text}"


def test_no_event_is_left_out() -> None:
    assert {type(event) for event, _ in CASES} == set(get_args(events.Event))


@pytest.mark.parametrize("event", [event for event, _ in CASES], ids=lambda one: type(one).__name__)
def test_each_event_is_json_with_its_schema_and_subject(event: events.Event) -> None:
    document = json.loads(json.dumps(as_json(event)))
    assert document["schema"] == 1
    assert document["at"] == "2026-06-09T12:03:04Z"
    assert document.get("subject") in (None, "global", "character:90000001")
    assert "key" not in document


def test_a_gap_is_told() -> None:
    assert as_json(Missed(4)) == {"schema": 1, "event": "missed", "events": 4}
    assert line(Missed(4), Painter(colours=False)).endswith(
        "4 events left out, this reader was too slow"
    )


def test_colours_are_for_terminals() -> None:
    assert "\x1b[" in line(CASES[0][0], Painter(colours=True))
