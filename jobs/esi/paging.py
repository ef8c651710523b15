"""Reading a whole set, however ESI pages it; knows neither HTTP nor the database.

A set is one snapshot: all its pages have the same Last-Modified and number of pages, or it is
read again from the start.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from ipc.subject import MAX_ID
from ipc.unreadable import UNREADABLE
from jobs.errors import BadAnswer, Gone, Transient
from jobs.esi.client import EsiAnswer, Validators
from jobs.esi.decoding import decode_text
from jobs.spec import Pages
from jobs.together import all_of

_log = logging.getLogger("jobs.esi.paging")

# A set that changes while it is read is begun again so often.
RESTARTS = 3
# More pages than any set of ESI has; a header that claims more is wrong.
MAX_PAGES = 2000
MAX_SET_BYTES = 256 << 20
# ESI's smallest full page: a longer one without X-Pages may have others behind it.
FULL_PAGE_ROWS = 1000
_EMPTY = b"[]"
# Steps back through history in one walk.
MAX_STEPS = 500


class Ask(Protocol):
    """Asks for one page: extra query parameters, and what to compare with."""

    def __call__(
        self, extra: Mapping[str, int], validators: Validators | None
    ) -> Awaitable[EsiAnswer]:
        """Return the answer; an error of jobs.errors otherwise."""


@dataclass(frozen=True, slots=True)
class PageMark:
    """What is remembered of one page."""

    page: int
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """What is remembered of a whole set: marks of all pages, in order."""

    marks: tuple[PageMark, ...] = ()
    # Of a walk through history: it once reached the end, and the newest id it had then.
    complete_walk: bool = False
    cursor: str | None = None

    @property
    def first(self) -> Validators | None:
        """Return what to compare the first page with, if all pages are known."""
        if not self.marks or any(not (m.etag or m.last_modified) for m in self.marks):
            return None
        return _validators(self.marks[0])


@dataclass(frozen=True, slots=True)
class Read:
    """A set that was read, or found unchanged; answers hold the headers of its pages."""

    unchanged: bool
    answers: tuple[EsiAnswer, ...]
    bodies: tuple[bytes, ...] = ()
    complete_walk: bool = False
    cursor: str | None = None


class _Moved(Exception):
    """The set changed while it was read."""


@dataclass(frozen=True, slots=True)
class BackWalk:
    """How a history is walked back: the query parameter, and the rows' id that goes into it."""

    param: str
    row_id: str


@dataclass(frozen=True, slots=True)
class ForwardWalk:
    """How a list is read on: the query parameter, and the rows' id that goes into it."""

    param: str
    row_id: str


BACK_WALKS: Mapping[Pages, BackWalk] = {
    Pages.FROM_ID: BackWalk("from_id", "transaction_id"),
    Pages.LAST_MAIL_ID: BackWalk("last_mail_id", "mail_id"),
}
FORWARD_WALKS: Mapping[Pages, ForwardWalk] = {
    Pages.FROM_EVENT: ForwardWalk("from_event", "event_id"),
}


async def read_single(ask: Ask, known: Known) -> Read:
    """Read a set of one page."""
    answer = await ask({}, known.first)
    if answer.unchanged:
        return Read(unchanged=True, answers=(answer,))
    return Read(unchanged=False, answers=(answer,), bodies=(answer.body,))


# --- numbered pages ----------------------------------------------------------------------------


async def read_pages(ask: Ask, known: Known) -> Read:
    """Read a set of numbered pages whole, or find that none of them changed."""
    first = await ask({"page": 1}, known.first)
    if first.unchanged:
        answers = await _rest_unchanged(ask, known, first)
        if answers is not None:
            return Read(unchanged=True, answers=answers)
    for attempt in range(RESTARTS + 1):
        try:
            if attempt or first.unchanged:
                first = await ask({"page": 1}, None)
            return await _read_rest(ask, first)
        except _Moved as moved:
            _log.info("read again from page 1: %s", moved)
    raise Transient(f"the set changed {RESTARTS + 1} times while it was read")


async def _rest_unchanged(ask: Ask, known: Known, first: EsiAnswer) -> tuple[EsiAnswer, ...] | None:
    """Return the answers of all pages if none changed since they were stored, else None."""
    pages = len(known.marks)
    if first.pages is not None and first.pages != pages:
        return None
    if first.last_modified is not None and first.last_modified == known.marks[0].last_modified:
        # One snapshot has one Last-Modified: that of page 1 speaks for all.
        return (first,) * pages
    if pages == 1:
        return (first,)

    async def check(mark: PageMark) -> EsiAnswer:
        return await ask({"page": mark.page}, _validators(mark))

    try:
        others = await all_of(known.marks[1:], check)
    except Gone:
        return None
    if not all(answer.unchanged for answer in others):
        return None
    if len({answer.last_modified for answer in (first, *others)}) > 1:
        return None
    return (first, *others)


async def _read_rest(ask: Ask, first: EsiAnswer) -> Read:
    pages = _page_count(first)
    size = _Size()
    size.add(first)

    async def load(page: int) -> EsiAnswer:
        try:
            answer = await ask({"page": page}, None)
        except Gone as gone:
            raise _Moved(f"page {page} of {pages} is not there any more") from gone
        if answer.last_modified != first.last_modified:
            raise _Moved(f"page {page} is of {answer.last_modified}, not {first.last_modified}")
        if answer.pages != first.pages:
            raise _Moved(f"page {page} says {answer.pages} pages, not {first.pages}")
        size.add(answer)
        return answer

    answers = (first, *await all_of(range(2, pages + 1), load))
    bodies = tuple(answer.body for answer in answers)
    full = [body for body in bodies if body.strip() != _EMPTY]
    if len(set(full)) < len(full):
        # A cache on the way that knows no pages; what is on the others nobody has seen.
        raise Transient(f"of {pages} pages some are the same")
    return Read(unchanged=False, answers=answers, bodies=bodies)


@dataclass(slots=True)
class _Size:
    """How large a set is so far; one that swells is given up before it is all in memory."""

    size_bytes: int = 0

    def add(self, answer: EsiAnswer) -> None:
        """Count one more page; BadAnswer when it is too much."""
        self.size_bytes += len(answer.body)
        if self.size_bytes > MAX_SET_BYTES:
            raise BadAnswer(f"the set is larger than {MAX_SET_BYTES} bytes")


def _page_count(first: EsiAnswer) -> int:
    """Return how many pages the first page's answer says there are."""
    pages = first.pages
    if pages is None:
        rows = len(rows_of(first.body))
        if rows >= FULL_PAGE_ROWS:
            raise Transient(f"X-Pages is {first.pages_text!r} on a page of {rows} rows")
        _log.warning("X-Pages is %r; the page has %d rows, so it is one", first.pages_text, rows)
        return 1
    if pages > MAX_PAGES:
        raise BadAnswer(f"X-Pages is {pages}; no set has more than {MAX_PAGES}")
    # An empty set may say 0.
    return max(pages, 1)


# --- history -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _History:
    """The rows of a walk so far, by id; of one id the one read first is the newest."""

    row_id: str
    rows: dict[int, msgspec.Raw] = field(default_factory=dict)
    # Rows without an id: whoever decodes the set finds and counts them.
    odd: list[msgspec.Raw] = field(default_factory=list)

    def add(self, body: bytes) -> int:
        """Take over a page's rows; return how many were new."""
        before = len(self.rows)
        for row in rows_of(body):
            number = _id_of(row, self.row_id)
            if number is None:
                self.odd.append(row)
            else:
                self.rows.setdefault(number, row)
        return len(self.rows) - before

    def body(self) -> bytes:
        """Return all rows as one list, newest first."""
        ordered = [self.rows[key] for key in sorted(self.rows, reverse=True)]
        return msgspec.json.encode([*ordered, *self.odd])


async def read_history(ask: Ask, known: Known, walk: BackWalk) -> Read:
    """Read back from the newest row to the newest of an earlier complete walk, or to the end.

    Only a walk that reached one of the two is complete; a later one must not stop short of what
    an incomplete one never saw.
    """
    stop_at = _number(known.cursor) if known.complete_walk else None
    first = await ask({}, known.first if stop_at is not None else None)
    if first.unchanged:
        return Read(True, (first,), complete_walk=True, cursor=known.cursor)
    history, size = _History(walk.row_id), _Size()
    size.add(first)
    new = history.add(first.body)
    complete = False
    for _ in range(MAX_STEPS):
        oldest = min(history.rows, default=None)
        if not new or oldest is None or (stop_at is not None and oldest <= stop_at):
            complete = True
            break
        answer = await ask({walk.param: oldest}, None)
        size.add(answer)
        new = history.add(answer.body)
    newest = max(history.rows, default=stop_at)
    return Read(
        unchanged=False,
        answers=(first,),
        bodies=(history.body(),),
        complete_walk=complete,
        cursor=None if newest is None else str(max(newest, stop_at or newest)),
    )


async def read_ahead(ask: Ask, walk: ForwardWalk) -> Read:
    """Read on by the id of each page's last row, until a page brings nothing new.

    Each page has its own moment, and the first can stay as it was while a later one changes: so
    all are read, and none is compared.
    """
    answers: list[EsiAnswer] = []
    seen: set[int] = set()
    size = _Size()
    extra: dict[str, int] = {}
    while len(answers) < MAX_STEPS:
        answer = await ask(extra, None)
        answers.append(answer)
        size.add(answer)
        ids = _ids_of(answer.body, walk.row_id)
        if seen.issuperset(ids):
            return Read(False, tuple(answers), tuple(one.body for one in answers))
        seen.update(ids)
        extra = {walk.param: ids[-1]}
    raise BadAnswer(f"the list does not end within {MAX_STEPS} pages")


async def read_set(pages: Pages, ask: Ask, known: Known) -> Read:
    """Read a set the way its route is paged."""
    walk = BACK_WALKS.get(pages)
    if walk is not None:
        return await read_history(ask, known, walk)
    ahead = FORWARD_WALKS.get(pages)
    if ahead is not None:
        return await read_ahead(ask, ahead)
    if pages is Pages.X_PAGES:
        return await read_pages(ask, known)
    return await read_single(ask, known)


# --- bodies ------------------------------------------------------------------------------------


def rows_of(body: bytes) -> Sequence[msgspec.Raw]:
    """Return the rows of a page, each as it came."""
    try:
        rows: list[msgspec.Raw] = decode_text(body, list[msgspec.Raw])
    except msgspec.ValidationError as error:
        raise BadAnswer(f"a page is no list: {error}") from None
    return rows


def _id_of(row: msgspec.Raw, name: str) -> int | None:
    try:
        number: Any = msgspec.json.decode(row, type=dict[str, Any]).get(name)
    except UNREADABLE:
        return None
    # One beyond what a column holds would be taken for the newest for ever.
    is_id = isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= MAX_ID
    return number if is_id else None


def _ids_of(body: bytes, name: str) -> list[int]:
    """Return the ids of a page's rows in their order; a row without one is no place to go on."""
    ids = (_id_of(row, name) for row in rows_of(body))
    return [one for one in ids if one is not None]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) <= len(str(MAX_ID)) else None


def _validators(mark: PageMark) -> Validators:
    return Validators(mark.etag, mark.last_modified)
