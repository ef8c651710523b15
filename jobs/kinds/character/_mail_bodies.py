"""Bodies of mail: a body never changes, so each is fetched once, newest first."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, exists, func, or_, select, update

from jobs.errors import BadAnswer, Gone
from jobs.kinds._one_by_one import MAX_REFUSALS, goes_on_later
from jobs.kinds._unknown_ids import LONGEST_REFUSAL, refused_until
from jobs.spec import Context, PartResult, Route, Row, Target, Wire, Write
from jobs.store.moments import is_due
from jobs.store.schema.mail import mail, mail_body
from jobs.together import as_far_as

BODY = Route(
    "GET", "/characters/{character_id}/mail/{mail_id}", cache_age_s=30, rate_group="char-social"
)
BODIES = Target(mail_body, key=("character_id", "mail_id"), write=Write.APPEND)
# Three runs in a window of the rate group leave most of it to the other kinds that share it.
MAX_BODIES = 60
# Bodies in one transaction.
GROUP = 10


class Body(Wire, frozen=True):
    """What GET /characters/{character_id}/mail/{mail_id} tells beyond the header."""

    body: str | None = None


def missing(connection: Connection, character_id: int, now: datetime) -> tuple[list[int], int]:
    """Return the mails to fetch now, newest first, and how many lack a body in all."""
    have = exists().where(
        mail_body.c.character_id == mail.c.character_id, mail_body.c.mail_id == mail.c.mail_id
    )
    wanted = (
        mail.c.character_id == character_id,
        mail.c.deleted_at.is_(None),
        or_(mail.c.body_due_at.is_(None), is_due(mail.c.body_due_at, now, LONGEST_REFUSAL)),
        ~have,
    )
    ids = connection.scalars(
        select(mail.c.mail_id).where(*wanted).order_by(mail.c.mail_id.desc()).limit(MAX_BODIES)
    )
    total = connection.execute(select(func.count()).select_from(mail).where(*wanted)).scalar_one()
    return list(ids), total


class _Group:
    """What was fetched and is not stored yet."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._bodies: list[Row] = []
        self._gone: list[int] = []
        self._refused: list[int] = []
        self.rows = self.refused = 0

    async def add(self, mail_id: int) -> None:
        """Fetch one body; a mail that is gone is remembered, and never asked for again.

        One that is refused, or cannot be read, is asked for again after a growing while.
        """
        params = {"character_id": self._context.subject.id, "mail_id": mail_id}
        try:
            fetched = await self._context.fetch(BODY, params, Body, keep_state=False)
        except Gone:
            self._gone.append(mail_id)
        except BadAnswer:
            # This one is at fault, not those behind it.
            self._refused.append(mail_id)
            self.refused += 1
        else:
            self._bodies.append({"mail_id": mail_id, "body": fetched.value.body})
        if len(self._bodies) + len(self._gone) + len(self._refused) >= GROUP:
            await self.store()

    async def store(self) -> None:
        """Write what is waiting, in one transaction."""
        bodies, self._bodies = self._bodies, []
        gone, self._gone = self._gone, []
        refused, self._refused = self._refused, []
        if bodies or gone or refused:
            self.rows += await self._context.write(
                lambda connection: self._write(connection, bodies, gone, refused)
            )

    def _write(
        self, connection: Connection, bodies: list[Row], gone: list[int], refused: list[int]
    ) -> int:
        me = self._context.subject.id
        if refused:
            _put_off(connection, me, refused, self._context.now())
        if gone:
            connection.execute(
                update(mail)
                .where(mail.c.character_id == me, mail.c.mail_id.in_(gone))
                .values(deleted_at=self._context.now())
            )
        # The header of one that is gone may go on being listed; it is not asked for again.
        rows = [*bodies, *({"mail_id": mail_id, "body": None} for mail_id in gone)]
        return self._context.apply(connection, BODIES, rows, {"character_id": me})


def _put_off(connection: Connection, character_id: int, ids: list[int], now: datetime) -> None:
    """Ask for bodies again later, and later still each time."""
    m = mail.c
    before = connection.execute(
        select(m.mail_id, m.body_refusals).where(m.character_id == character_id, m.mail_id.in_(ids))
    ).all()
    for mail_id, refusals in before:
        connection.execute(
            update(mail)
            .where(m.character_id == character_id, m.mail_id == mail_id)
            .values(body_refusals=refusals + 1, body_due_at=refused_until(refusals + 1, now))
        )


async def sync_bodies(context: Context) -> PartResult:
    """Fetch the newest bodies that are missing, as many as one run may."""
    ids, total = await context.read(
        lambda connection: missing(connection, context.subject.id, context.now())
    )
    group = _Group(context)
    asked = 0

    async def one(mail_id: int) -> None:
        nonlocal asked
        await group.add(mail_id)
        asked += 1

    trouble = await as_far_as(
        ids,
        one,
        # Those under way may all be refused.
        lambda under_way: context.budget_s > 0 and group.refused + under_way < MAX_REFUSALS,
    )
    # What was paid for is kept, whatever ended the run.
    await group.store()
    if trouble is not None and not goes_on_later(trouble, asked):
        raise trouble
    note = f"{group.refused} of {asked} bodies could not be had" if group.refused else ""
    return PartResult(rows=group.rows, left=total - asked, note=note)
