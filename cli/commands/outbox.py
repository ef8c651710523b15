"""`esisyncd outbox`: list, show, retry, cancel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from cli.context import (
    SUBJECT,
    Command,
    Invocation,
    Whole,
    output_painter,
    output_width,
    pass_invocation,
    say,
    tell,
)
from cli.errors import BadInput, DaemonRefused
from cli.json_documents import json_text
from cli.table import Cell, Column, render_reasons
from cli.words import ago, count, until
from cli.writes.asking import document, drain_now, open_desk
from cli.writes.view import STYLES, as_json, line, payload_of
from ipc.clock import SystemClock
from ipc.subject import Subject
from jobs.store.write_status import Status

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.store.outbox_rows import OutboxRow

_LIST = "`esisyncd outbox list` shows all."


@click.group(short_help="List, show, retry or cancel writes to EVE.")
def command() -> None:
    """List, show, retry or cancel writes to EVE.

    Writes that are done are kept for an hour; those that failed, or that were cancelled, stay.
    """


@command.command("list", cls=Command)
@click.option(
    "--status", type=click.Choice([one.value for one in Status]), multiple=True, help="Only these."
)
@click.option("--subject", type=SUBJECT, help="Only those of this character.")
@click.option("--limit", type=Whole(min=1), default=1000, show_default=True)
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON document.")
@pass_invocation
def list_(
    invocation: Invocation,
    status: tuple[str, ...],
    subject: Subject | None,
    limit: int,
    as_json_: bool,
) -> None:
    """List writes, oldest first."""
    from jobs.store import outbox_rows

    with open_desk(invocation) as desk:
        rows, odd = desk.database.read_now(
            lambda conn: outbox_rows.list_all(conn, subject_=subject, statuses=status, limit=limit)
        )
    for one in odd:
        tell(f"write {one.id}: {one.reason}")
    if as_json_:
        say(document(rows))
        return
    if not rows:
        say("There is no such write." if not odd else "There is no such write that can be read.")
        return
    now = SystemClock().now()
    columns = (
        Column("id", right=True),
        Column("status"),
        Column("kind"),
        Column("subject"),
        Column("asked", right=True),
        Column("next", right=True),
        Column("failures", right=True),
        Column("reason", flexible=True),
    )
    table = [_cells(row, now) for row in rows]
    for text in render_reasons(columns, table, width=output_width(), paint=output_painter()):
        say(text)


def _cells(row: OutboxRow, now: datetime) -> list[Cell]:
    waits = row.status is Status.PENDING
    return [
        Cell(str(row.id)),
        Cell(str(row.status), STYLES[row.status]),
        Cell(row.kind),
        Cell(str(row.subject)),
        Cell(ago(row.created_at, now)),
        Cell(until(row.next_attempt_at, now) if waits else ""),
        Cell(str(row.attempts)),
        Cell(row.last_error or ""),
    ]


@command.command("show", cls=Command)
@click.argument("row_id", metavar="ID", type=Whole(min=1))
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON document.")
@pass_invocation
def show(invocation: Invocation, row_id: int, as_json_: bool) -> None:
    """Show one write with its payload and result."""
    from jobs.store import outbox_rows

    with open_desk(invocation) as desk:
        rows = desk.rows([row_id])
        odd = desk.database.read_now(lambda conn: outbox_rows.why_unreadable(conn, row_id))
    if odd is not None:
        raise DaemonRefused(f"write {row_id}: {odd}", "Whoever wrote it by SQL can mend it so.")
    if not rows:
        raise BadInput(f"there is no write {row_id}", _LIST)
    row = rows[0]
    if as_json_:
        say(json_text(write=as_json(row)))
        return
    now = SystemClock().now()
    say(line(row))
    failed = f", failed {count(row.attempts, 'time')}" if row.attempts else ""
    say(f"  asked     {ago(row.created_at, now)}{failed}")
    if row.status is Status.PENDING:
        say(f"  next      {until(row.next_attempt_at, now)}")
    say(f"  payload   {json.dumps(payload_of(row), ensure_ascii=False)}")
    if row.result:
        say(f"  result    {row.result}")


@command.command("retry", cls=Command, short_help="Have writes tried again now.")
@click.argument("row_ids", metavar="ID...", type=Whole(min=1), nargs=-1, required=True)
@pass_invocation
def retry(invocation: Invocation, row_ids: tuple[int, ...]) -> None:
    """Have writes tried again now: pending, failed, uncertain or cancelled ones.

    An uncertain one may have arrived, and then arrives twice: that is yours to decide.
    """
    from jobs.writes import change
    from jobs.writes.payloads import BadPayload

    now = SystemClock().now()
    with open_desk(invocation) as desk:
        try:
            desk.database.write_now(lambda conn: [change.retry(conn, one, now) for one in row_ids])
        except change.UnknownWrite as error:
            raise BadInput(str(error), _LIST) from None
        except (change.CannotChange, BadPayload) as error:
            raise DaemonRefused(str(error)) from None
        for row in desk.rows(row_ids):
            say(line(row))
        drain_now(desk.settings)


@command.command("cancel", cls=Command, short_help="Drop writes that were not sent.")
@click.argument("row_ids", metavar="ID...", type=Whole(min=1), nargs=-1, required=True)
@pass_invocation
def cancel(invocation: Invocation, row_ids: tuple[int, ...]) -> None:
    """Drop writes that were not sent, or of which nobody knows; the mirror is changed back."""
    from jobs.writes import change

    now = SystemClock().now()
    with open_desk(invocation) as desk:
        try:
            unread = desk.database.write_now(
                lambda conn: [(one, change.cancel(conn, one, now)) for one in row_ids]
            )
        except change.UnknownWrite as error:
            raise BadInput(str(error), _LIST) from None
        except change.CannotChange as error:
            raise DaemonRefused(str(error)) from None
        for row_id, reason in unread:
            if reason is not None:
                say(f"write {row_id} is cancelled as it is, and the mirror stays: {reason}")
        for row in desk.rows(row_ids):
            say(line(row))
