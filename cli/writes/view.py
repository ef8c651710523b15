"""Rows of the outbox, as people and programs are shown them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cli.paint import Style
from cli.words import instant, instant_or_none
from jobs.store.write_status import Status

if TYPE_CHECKING:
    from jobs.store.outbox_rows import OutboxRow

# Another program can write anything, nested without end too.
_NO_JSON = (ValueError, RecursionError)

STYLES = {
    Status.PENDING: Style.WARN,
    Status.INFLIGHT: Style.BUSY,
    Status.DONE: Style.GOOD,
    Status.FAILED: Style.BAD,
    Status.UNCERTAIN: Style.BAD,
    Status.CANCELLED: Style.DIM,
}


def line(row: OutboxRow) -> str:
    """Return a row in one line."""
    text = f"write {row.id} ({row.kind} of {row.subject}): {row.status}"
    made = made_of(row)
    if made:
        text += f", {made}"
    return f"{text}: {row.last_error}" if row.last_error else text


def made_of(row: OutboxRow) -> str:
    """Return what a done row made, in words; empty where there is nothing to say."""
    if row.status is not Status.DONE:
        return ""
    result = result_of(row)
    names = {"mail_id": "mail", "label_id": "label", "fitting_id": "fitting"}
    words = [f"{word} {result[name]}" for name, word in names.items() if name in result]
    if "cost" in result:
        words.append(f"for {result['cost']:,.2f} ISK")
    return " ".join(words)


def result_of(row: OutboxRow) -> dict[str, Any]:
    """Return what a row's result says; empty if there is none."""
    try:
        found = json.loads(row.result or "{}")
    except _NO_JSON:
        return {}
    return found if isinstance(found, dict) else {}


def payload_of(row: OutboxRow) -> Any:
    """Return a row's payload without what it notes of the state before."""
    try:
        found = json.loads(row.payload)
    except _NO_JSON:
        return row.payload
    if isinstance(found, dict):
        found.pop("was", None)
    return found


def as_json(row: OutboxRow) -> dict[str, Any]:
    """Return a row for a program."""
    return {
        "id": row.id,
        "subject": str(row.subject),
        "kind": row.kind,
        "status": str(row.status),
        "attempts": row.attempts,
        "reason": row.last_error,
        "payload": payload_of(row),
        "result": result_of(row) or None,
        "created_at": instant(row.created_at),
        "updated_at": instant(row.updated_at),
        "next_attempt_at": instant_or_none(
            row.next_attempt_at if row.status is Status.PENDING else None
        ),
        "expires_at": instant_or_none(row.expires_at),
    }
