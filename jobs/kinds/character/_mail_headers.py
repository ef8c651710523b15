"""Headers of mail: back from the newest, by the smallest id seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from jobs.kinds.character._mail_store import (
    BELIEVED_AFTER,
    Walk,
    any_known,
    drop_links,
    load_walk,
    mark_deleted,
    save_walk,
    under_way,
    vanished,
)
from jobs.spec import Context, Params, PartResult, Route, Row, Target, Wire, Write
from jobs.store.schema.mail import mail, mail_label_link, mail_recipient

HEADERS = Route("GET", "/characters/{character_id}/mail", cache_age_s=30, rate_group="char-social")
# Requests of one run; a mailbox with more headers takes several runs.
MAX_PAGES = 20
# More than this gone at once is believed only when it is still so a while later.
MANY = 50


class Recipient(Wire, frozen=True):
    """One to whom a mail went."""

    recipient_id: int
    recipient_type: str


class Header(Wire, frozen=True, rename={"from_id": "from", "sent_at": "timestamp"}):
    """One mail without its body; the sender can be a mailing list."""

    mail_id: int
    from_id: int | None = None
    subject: str | None = None
    sent_at: datetime | None = None
    is_read: bool | None = None
    labels: tuple[int, ...] = ()
    recipients: tuple[Recipient, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """Headers below one id; not whole: one that could not be read may be any mail."""

    headers: Sequence[Header]
    whole: bool = True


def mail_rows(answer: Iterable[Header], params: Params) -> Iterator[Row]:
    """Yield a row for each mail: whatever is listed is not deleted."""
    for one in answer:
        yield {
            "mail_id": one.mail_id,
            "from_id": one.from_id,
            "subject": one.subject,
            "sent_at": one.sent_at,
            "is_read": one.is_read,
            "deleted_at": None,
        }


def recipient_rows(answer: Iterable[Header], params: Params) -> Iterator[Row]:
    """Yield a row for each recipient of each mail."""
    for one in answer:
        for to in one.recipients:
            yield {
                "mail_id": one.mail_id,
                "recipient_id": to.recipient_id,
                "recipient_type": to.recipient_type,
            }


def link_rows(answer: Iterable[Header], params: Params) -> Iterator[Row]:
    """Yield a row for each label on each mail; labels of the system have no row of their own."""
    for one in answer:
        for label_id in one.labels:
            yield {"mail_id": one.mail_id, "label_id": label_id}


MAILS = Target(mail, key=("character_id", "mail_id"), write=Write.UPSERT, rows=mail_rows)
RECIPIENTS = Target(
    mail_recipient,
    key=("character_id", "mail_id", "recipient_id"),
    write=Write.APPEND,
    rows=recipient_rows,
)
LINKS = Target(
    mail_label_link,
    key=("character_id", "mail_id", "label_id"),
    write=Write.UPSERT,
    rows=link_rows,
)


async def sync_headers(context: Context) -> PartResult:
    """Read new headers, and all of them when that is due or still unfinished."""
    me, now = context.subject.id, context.now()
    walk = await context.read(lambda connection: load_walk(connection, me))
    if walk is None or walk.is_due(now):
        doubted_at = None if walk is None else walk.doubted_at
        finished_at = None if walk is None else walk.finished_at
        rows, left = await _read_all(context, Walk(now, None, finished_at, doubted_at))
        return PartResult(rows=rows, left=left)
    rows, fresh_until, gap = await _read_new(context)
    if gap is not None:
        # So much is new that reading it is a walk of its own.
        walk = Walk(now, gap)
    if walk.cursor is None:
        return PartResult(rows=rows, fresh_until=fresh_until)
    more, left = await _read_all(context, walk)
    return PartResult(rows=rows + more, left=left)


async def _read_new(context: Context) -> tuple[int, datetime | None, int | None]:
    """Read back to the first known mail; return rows, freshness, and where a gap begins.

    All is stored at once: half of it would make the next run believe that the rest is known.
    """
    me, now = context.subject.id, context.now()
    params: dict[str, int | str] = {"character_id": me}
    fetched = await context.fetch(HEADERS, params, list[Header])
    if fetched.value is None:
        return 0, fetched.fresh_until, None
    headers: Sequence[Header] = list(fetched.value)
    pages: list[Sequence[Header]] = [headers]
    gap: int | None = None
    known = await context.read(partial(any_known, me, ids_of(headers)))
    while headers and not known:
        cursor = min(one.mail_id for one in headers)
        if len(pages) >= MAX_PAGES or context.budget_s <= 0:
            gap = cursor
            break
        headers = (await _older(context, cursor)).headers
        pages.append(headers)
        known = await context.read(partial(any_known, me, ids_of(headers)))

    def store(connection: Connection) -> int:
        rows = sum(store_page(context, connection, page) for page in pages)
        if gap is not None:
            save_walk(context, connection, Walk(now, gap))
        return rows

    return await context.write(store), fetched.fresh_until, gap


async def _read_all(context: Context, walk: Walk) -> tuple[int, int]:
    """Read on where the walk stands, a transaction a page; return rows and 1 if there is more."""
    rows = 0
    for _ in range(MAX_PAGES):
        if context.budget_s <= 0:
            break
        page = await _older(context, walk.cursor)
        walk, changed = await context.write(partial(step, context, walk, page))
        rows += changed
        if walk.cursor is None:
            return rows, 0
    return rows, 1


async def _older(context: Context, cursor: int | None) -> Page:
    params: dict[str, int | str] = {"character_id": context.subject.id}
    if cursor is not None:
        params["last_mail_id"] = cursor
    fetched = await context.fetch(HEADERS, params, list[Header], keep_state=False)
    headers = [one for one in fetched.value or [] if cursor is None or one.mail_id < cursor]
    return Page(headers, whole=not fetched.skipped)


def step(context: Context, walk: Walk, page: Page, connection: Connection) -> tuple[Walk, int]:
    """Store one page of a walk; return the walk as it now stands, and the rows changed."""
    me, now, headers = context.subject.id, context.now(), page.headers
    rows = store_page(context, connection, headers)
    lowest = min((one.mail_id for one in headers), default=None)
    gone = vanished(connection, me, lowest, walk.cursor, ids_of(headers)) if page.whole else []
    doubted_at = walk.doubted_at
    nothing_at_all = walk.cursor is None and lowest is None
    drastic = len(gone) > MANY or (nothing_at_all and bool(gone))
    if drastic and (doubted_at is None or now - doubted_at < BELIEVED_AFTER):
        doubted_at = doubted_at or now
    elif gone:
        rows += mark_deleted(connection, me, gone, now)
    if lowest is None:
        believed = doubted_at is not None and now - doubted_at >= BELIEVED_AFTER
        walk = Walk(walk.started_at, None, now, None if believed else doubted_at)
    else:
        walk = Walk(walk.started_at, lowest, walk.finished_at, doubted_at)
    save_walk(context, connection, walk)
    return walk, rows


def store_page(context: Context, connection: Connection, headers: Sequence[Header]) -> int:
    """Write headers with recipients and labels; mails with a local change under way wait."""
    me = context.subject.id
    params = {"character_id": me}
    waiting = under_way(connection, me, context.now())
    page = [one for one in headers if one.mail_id not in waiting]
    if len(page) < len(headers):
        context.ask_whole_next()
    if not page:
        return 0
    rows = context.apply(connection, MAILS, mail_rows(page, params), params)
    context.apply(connection, RECIPIENTS, recipient_rows(page, params), params)
    links = list(link_rows(page, params))
    drop_links(
        connection, me, ids_of(page), {(link["mail_id"], link["label_id"]) for link in links}
    )
    context.apply(connection, LINKS, links, params)
    return rows


def ids_of(headers: Iterable[Header]) -> set[int]:
    """Return the numbers of these mails."""
    return {one.mail_id for one in headers}
