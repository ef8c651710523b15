"""What killmails are worth: at average prices at once, as zKillboard says when it has said so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec.structs import asdict
from sqlalchemy import Connection, select

from ipc.subject import SubjectType
from jobs.errors import BadAnswer
from jobs.kinds.global_._local_values import VALUES, value_locally, without_value
from jobs.spec import Context, KillmailValue, Kind, Part, PartResult, Row, Target, Write
from jobs.store.schema.killmails import killmail_value

# zKillboard serves everybody for nothing: a run asks for no more.
MAX_ASKED = 25
MAX_TRIES = 10
# What it has not said by then it will not say.
GIVE_UP_AFTER = timedelta(days=7)
# One that it does not know is asked about again no sooner.
ASK_AGAIN_AFTER = timedelta(hours=1)

# When it was valued first is what counts.
ANSWERS = Target(killmail_value, key=("killmail_id",), write=Write.UPSERT, keep=("valued_at",))


def to_ask(connection: Connection, now: datetime) -> list[tuple[int, int]]:
    """Return number and tries of the killmails that are valued locally only.

    Those tried least come first, of them the newest.
    """
    v = killmail_value.c
    rows = connection.execute(
        select(v.killmail_id, v.tries)
        .where(
            v.value.is_(None),
            v.tries < MAX_TRIES,
            v.valued_at > now - GIVE_UP_AFTER,
            (v.asked_at.is_(None)) | (v.asked_at <= now - ASK_AGAIN_AFTER),
        )
        .order_by(v.tries, v.killmail_id.desc())
    )
    return [(row.killmail_id, row.tries) for row in rows]


async def estimate(context: Context) -> PartResult:
    """Value what has no value yet."""
    before = len(await context.read(without_value))
    if not before:
        return PartResult(empty=True)
    now = context.now()
    left = await context.write(partial(value_locally, context, now=now))
    return PartResult(rows=before - left, left=left)


async def ask_zkillboard(context: Context) -> PartResult:
    """Ask for the values that are due, a few a run, and write each at once."""
    due = await context.read(partial(to_ask, now=context.now()))
    rows = 0
    for killmail_id, tries in due[:MAX_ASKED]:
        if context.budget_s <= 0:
            break
        try:
            value = await context.killmail_value(killmail_id)
        except BadAnswer:
            # This one's answer is odd, and costs a try as no answer does.
            value = None
        line = _line(killmail_id, tries + 1, value, context.now())
        await context.write(partial(_store, context, lines=[line]))
        rows += value is not None
    waiting = len(due) - MAX_ASKED
    note = f"{waiting} more wait for the next run" if waiting > 0 else ""
    return PartResult(rows=rows, empty=not due, note=note)


def _line(killmail_id: int, tries: int, value: KillmailValue | None, now: datetime) -> Row:
    told = asdict(value) if value is not None else {}
    return {"killmail_id": killmail_id, "tries": tries, "asked_at": now, "valued_at": now, **told}


def _store(context: Context, connection: Connection, lines: Sequence[Row]) -> int:
    return context.apply(connection, ANSWERS, lines, {})


KIND = Kind(
    name="global.killmail_values",
    subject=SubjectType.GLOBAL,
    feature="zkillboard",
    every=timedelta(hours=6),
    off_by_default=True,
    summary="What killmails are worth, at average prices and as zKillboard says.",
    parts=(
        Part(name="estimates", targets=(VALUES,), run=estimate),
        Part(name="zkillboard", targets=(ANSWERS,), run=ask_zkillboard),
    ),
)
