"""Choosing the part of a set that a request asks for."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping

import msgspec

from simulator.answers import Question
from simulator.contract import RouteFacts
from simulator.errors import bad_request, not_found
from simulator.snapshots import Line, Page, Snapshot, joined
from simulator.universe.draw import ORDER

PAST_ALL = 2**63
EVENTS_PAGE = 50
ID_FIELDS = {
    "from_id": "transaction_id",
    "last_mail_id": "mail_id",
    "from_event": "event_id",
    "cursor": ORDER,
}
LIMITS = range(10, 101)


class Pager:
    """Finds the page of a set, in each of ESI's ways of paging that is served."""

    def __init__(self, mail_page: int, transaction_page: int) -> None:
        self._mail_page = mail_page
        self._transaction_page = transaction_page

    def page(self, question: Question, facts: RouteFacts, snapshot: Snapshot) -> Page:
        """Return the page that the query asks for."""
        match facts.paging:
            case "x-pages":
                return _numbered(question.query, snapshot)
            case "from_id":
                return self._from_id(question.query, snapshot)
            case "last_mail_id":
                return self._before_mail(question.query, snapshot)
            case "from_event":
                return self._after_event(question.query, snapshot)
            case "cursor":
                return _by_cursor(question.query, facts, snapshot)
            case _:
                return snapshot.pages[0]

    def _from_id(self, query: Mapping[str, str], snapshot: Snapshot) -> Page:
        newest = _number(query, "from_id", PAST_ALL)

        def choose() -> list[Line]:
            lines = [line for line in snapshot.lines if line.row_id <= newest]
            return lines[: self._transaction_page]

        return snapshot.variant((newest, ""), choose)

    def _after_event(self, query: Mapping[str, str], snapshot: Snapshot) -> Page:
        event_id = _number(query, "from_event", 0)

        def choose() -> list[Line]:
            ids = [line.row_id for line in snapshot.lines]
            first = ids.index(event_id) + 1 if event_id in ids else 0
            # An event that is over by now has nothing after it that is known.
            lines = [] if event_id and not first else snapshot.lines[first:]
            return lines[:EVENTS_PAGE]

        return snapshot.variant((event_id, "events"), choose)

    def _before_mail(self, query: Mapping[str, str], snapshot: Snapshot) -> Page:
        before = _number(query, "last_mail_id", PAST_ALL)
        wanted = query.get("labels", "")
        labels = _label_ids(wanted) if wanted else set()

        def choose() -> list[Line]:
            lines = [line for line in snapshot.lines if line.row_id < before]
            if labels:
                lines = [line for line in lines if labels & line.labels]
            return lines[: self._mail_page]

        return snapshot.variant((before, wanted), choose)


def _by_cursor(query: Mapping[str, str], facts: RouteFacts, snapshot: Snapshot) -> Page:
    """Return the rows around a token, or the last ones; a page without rows has no tokens."""
    limit = _number(query, "limit", LIMITS[0])
    if limit not in LIMITS:
        raise bad_request("limit must be from 10 to 100")
    before, after = _place(query, "before"), _place(query, "after")
    state = query.get("state", "Active") if "state" in facts.query else "All"
    if state not in ("All", "Active"):
        raise bad_request("state must be All or Active")

    def make() -> bytes:
        lines = snapshot.lines
        if state == "Active":
            lines = [line for line in lines if msgspec.json.decode(line.body)["state"] == state]
        if after is not None:
            lines = [line for line in lines if line.row_id > after][:limit]
        elif before is not None:
            lines = [line for line in lines if line.row_id < before][-limit:]
        else:
            lines = lines[-limit:]
        name = facts.path.rpartition("/")[2].replace("-", "_")
        told: dict[str, object] = {}
        if lines:
            told["cursor"] = {"before": _token(lines[0].row_id), "after": _token(lines[-1].row_id)}
        return msgspec.json.encode({**told, name: msgspec.Raw(joined(lines))})

    return snapshot.made((limit, f"{before} {after} {state}"), make)


def _token(place: int) -> str:
    return urlsafe_b64encode(str(place).encode()).decode()


def _place(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name)
    if text is None:
        return None
    try:
        return int(urlsafe_b64decode(text))
    except ValueError:
        raise bad_request(f"{name} is no token") from None


def _numbered(query: Mapping[str, str], snapshot: Snapshot) -> Page:
    number = _number(query, "page", 1)
    if number < 1:
        raise bad_request("page must be 1 or more")
    if number > len(snapshot.pages):
        raise not_found("Requested page does not exist!")
    return snapshot.pages[number - 1]


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    text = query.get(name)
    if text is None:
        return default
    try:
        return int(text)
    except ValueError:
        raise bad_request(f"{name} must be a number") from None


def _label_ids(text: str) -> set[int]:
    try:
        return {int(one) for one in text.split(",")}
    except ValueError:
        raise bad_request("labels must be numbers") from None
