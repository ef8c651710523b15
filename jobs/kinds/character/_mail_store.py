"""What is stored of mail headers: which are known, which are gone, how far the reading got."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import Connection, and_, delete, or_, select, tuple_, update

from jobs.kinds.character._payloads import readable
from jobs.spec import Context, Target, Write
from jobs.store.schema.core import outbox
from jobs.store.schema.mail import mail, mail_label_link, mail_walk
from jobs.store.write_status import OPEN, Status

# Between two readings of all headers.
FULL_EVERY = timedelta(days=1)
# So long must much be gone before it is believed.
BELIEVED_AFTER = timedelta(minutes=10)
# ESI's lists are cached: so long after a write they may show what was before it.
SETTLED_AFTER = timedelta(minutes=2)
_LOCAL_WRITES = ("mail.set_read", "mail.set_labels", "mail.delete")


class _AboutMail(msgspec.Struct):
    """The part of an outbox payload that tells which mail it changes."""

    mail_id: int | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """How far the reading of all headers got."""

    started_at: datetime
    # Where it goes on; None: it reached the end.
    cursor: int | None = None
    finished_at: datetime | None = None
    doubted_at: datetime | None = None

    def is_due(self, now: datetime) -> bool:
        """Tell whether all headers are to be read again."""
        if self.finished_at is None:
            return False
        if self.doubted_at is not None:
            return now - self.doubted_at >= BELIEVED_AFTER
        # One begun in the future was begun by a clock that was ahead.
        return abs(now - self.started_at) >= FULL_EVERY


def under_way(connection: Connection, character_id: int, now: datetime) -> set[int]:
    """Return the mails that the user has changed here and ESI may not show yet."""
    done = outbox.c
    payloads = connection.scalars(
        select(done.payload).where(
            done.subject_type == "character",
            done.subject_id == character_id,
            done.kind.in_(_LOCAL_WRITES),
            or_(
                done.status.in_(OPEN),
                and_(done.status == Status.DONE, done.updated_at > now - SETTLED_AFTER),
            ),
        )
    )
    about = (one.mail_id for one in readable(payloads, _AboutMail))
    return {mail_id for mail_id in about if mail_id is not None}


def any_known(character_id: int, mail_ids: Collection[int], connection: Connection) -> bool:
    """Tell whether one of these mails is stored already."""
    return (
        connection.execute(
            select(mail.c.mail_id)
            .where(
                mail.c.character_id == character_id,
                mail.c.mail_id.in_(mail_ids),
            )
            .limit(1)
        ).first()
        is not None
    )


def vanished(
    connection: Connection, character_id: int, lowest: int | None, below: int | None, seen: set[int]
) -> list[int]:
    """Return the mails that a page should have shown between two ids, and did not."""
    query = select(mail.c.mail_id).where(
        mail.c.character_id == character_id, mail.c.deleted_at.is_(None)
    )
    if lowest is not None:
        query = query.where(mail.c.mail_id >= lowest)
    if below is not None:
        query = query.where(mail.c.mail_id < below)
    return [one for one in connection.scalars(query) if one not in seen]


def mark_deleted(
    connection: Connection, character_id: int, mail_ids: Sequence[int], now: datetime
) -> int:
    """Mark mails that are gone; their rows stay."""
    for at in range(0, len(mail_ids), 500):
        connection.execute(
            update(mail)
            .where(
                mail.c.character_id == character_id,
                mail.c.mail_id.in_(mail_ids[at : at + 500]),
            )
            .values(deleted_at=now)
        )
    return len(mail_ids)


def drop_links(
    connection: Connection,
    character_id: int,
    mail_ids: Collection[int],
    links: set[tuple[int, int]],
) -> None:
    """Remove labels that are no longer on the mails of a page."""
    stored = connection.execute(
        select(mail_label_link.c.mail_id, mail_label_link.c.label_id).where(
            mail_label_link.c.character_id == character_id,
            mail_label_link.c.mail_id.in_(mail_ids),
        )
    )
    stale = [
        (mail_id, label_id) for mail_id, label_id in stored if (mail_id, label_id) not in links
    ]
    if stale:
        connection.execute(
            delete(mail_label_link).where(
                mail_label_link.c.character_id == character_id,
                tuple_(mail_label_link.c.mail_id, mail_label_link.c.label_id).in_(stale),
            )
        )


def load_walk(connection: Connection, character_id: int) -> Walk | None:
    """Return how far the reading of all headers got; None: it never began."""
    row = connection.execute(
        select(mail_walk).where(mail_walk.c.character_id == character_id)
    ).first()
    if row is None:
        return None
    return Walk(row.started_at, row.next_last_mail_id, row.finished_at, row.doubted_at)


_WALKS = Target(mail_walk, key=("character_id",), write=Write.UPSERT)


def save_walk(context: Context, connection: Connection, walk: Walk) -> None:
    """Store how far the reading got, together with the rows that it read."""
    row = {
        "started_at": walk.started_at,
        "next_last_mail_id": walk.cursor,
        "finished_at": walk.finished_at,
        "doubted_at": walk.doubted_at,
    }
    context.apply(connection, _WALKS, [row], {"character_id": context.subject.id})
