"""Mail: the walk back through headers, what it finds gone, and each body once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.errors import Gone, PauseBucket, Refused
from jobs.kinds.character import _mail_bodies, _mail_headers, mail
from tests.kinds.fake_context import START, FakeContext, Unchanged, put, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
HEADERS = "GET /characters/{character_id}/mail"
BODY = "GET /characters/{character_id}/mail/{mail_id}"
DAY_S = 86_400
PAGE = 50


class Mailbox:
    """ESI's side: mails by id, listed newest first, a page at a time."""

    def __init__(self, *ids: int) -> None:
        self.mails: dict[int, dict[str, Any]] = {}
        self.same = False
        self.add(*ids)

    def add(self, *ids: int) -> None:
        for one in ids:
            self.mails[one] = {
                "mail_id": one,
                "from": 90000002,
                "subject": f"mail {one}",
                "timestamp": "2026-11-01T00:00:00Z",
                "is_read": False,
                "labels": [1],
                "recipients": [{"recipient_id": ME.id, "recipient_type": "character"}],
            }

    def headers(self, params: Mapping[str, int | str], _body: Any) -> list[dict[str, Any]]:
        if "last_mail_id" not in params and self.same:
            raise Unchanged
        below = int(params.get("last_mail_id", 2**62))
        return [self.mails[i] for i in sorted(self.mails, reverse=True) if i < below][:PAGE]

    def body(self, params: Mapping[str, int | str], _body: Any) -> dict[str, Any]:
        if int(params["mail_id"]) not in self.mails:
            raise Gone("404")
        return {"body": f"text {params['mail_id']}"}


def context_of(database: Connection, box: Mailbox) -> FakeContext:
    return FakeContext(database, mail.KIND, ME, {HEADERS: box.headers, BODY: box.body})


def ids_of(database: Connection, *, deleted: bool = False) -> list[int]:
    return [
        one
        for one, deleted_at in rows(database, "mail", "mail_id", "deleted_at")
        if (deleted_at is not None) == deleted
    ]


async def test_the_first_run_reads_to_the_end(database: Connection) -> None:
    box = Mailbox(*range(1, 121))
    context = context_of(database, box)
    result = await context.run("headers")
    assert (result.rows, result.left) == (120, 0)
    assert ids_of(database) == list(range(1, 121))
    assert len(rows(database, "mail_recipient")) == len(rows(database, "mail_label_link")) == 120
    # Three pages, and the empty one that is the end.
    assert len(context.asked) == 4


async def test_an_unfinished_walk_goes_on_where_it_stopped(database: Connection) -> None:
    box = Mailbox(*range(1, 200 + 1))
    context = context_of(database, box)
    context.budget = 2
    assert (await context.run("headers")).left == 1
    assert min(ids_of(database)) == 101
    # A new mail comes in: it is read first, and known mails do not end the older walk.
    box.add(201)
    context.budget = 1000
    context.asked.clear()
    assert (await context.run("headers")).left == 0
    assert ids_of(database) == list(range(1, 202))
    assert [one.params.get("last_mail_id") for one in context.asked] == [None, 101, 51, 1]


async def test_later_runs_stop_at_a_known_mail(database: Connection) -> None:
    box = Mailbox(*range(1, 121))
    context = context_of(database, box)
    await context.run("headers")
    context.asked.clear()
    box.add(*range(121, 181))
    assert (await context.run("headers")).rows == 60
    assert len(context.asked) == 2
    box.same = True
    context.writes = 0
    assert (await context.run("headers")).rows == 0
    assert context.writes == 0


async def test_more_new_mail_than_a_run_may_read_leaves_no_gap(
    database: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_mail_headers, "MAX_PAGES", 2)
    box = Mailbox(1)
    context = context_of(database, box)
    await context.run("headers")
    box.add(*range(2, 400))
    left = 1
    while left:
        context.asked.clear()
        left = (await context.run("headers")).left
        assert len(context.asked) <= 4
    assert ids_of(database) == list(range(1, 400))


async def test_a_gap_is_remembered_when_the_run_breaks_off(
    database: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_mail_headers, "MAX_PAGES", 2)
    box = Mailbox(1)
    context = context_of(database, box)
    await context.run("headers")
    box.add(*range(2, 400))
    context.asked.clear()

    def breaking(params: Mapping[str, int | str], body: Any) -> Any:
        if len(context.asked) > 2:
            raise PauseBucket("char-social:1", START, 60)
        return box.headers(params, body)

    context.answers[HEADERS] = breaking
    with pytest.raises(PauseBucket):
        await context.run("headers")
    assert len(ids_of(database)) == 101
    context.answers[HEADERS] = box.headers
    while (await context.run("headers")).left:
        pass
    assert ids_of(database) == list(range(1, 400))


async def test_a_crash_in_the_middle_of_new_mail_leaves_no_gap(database: Connection) -> None:
    box = Mailbox(*range(1, 11))
    context = context_of(database, box)
    await context.run("headers")
    box.add(*range(11, 121))
    first = box.headers

    def failing(params: Mapping[str, int | str], body: Any) -> Any:
        if "last_mail_id" in params:
            raise PauseBucket("char-social:1", START, 60)
        return first(params, body)

    context.answers[HEADERS] = failing
    with pytest.raises(PauseBucket):
        await context.run("headers")
    context.answers[HEADERS] = first
    await context.run("headers")
    assert ids_of(database) == list(range(1, 121))


async def test_read_marks_and_labels_follow_the_daily_walk(database: Connection) -> None:
    box = Mailbox(*range(1, 121))
    context = context_of(database, box)
    await context.run("headers")
    box.mails[3] |= {"is_read": True, "labels": [2, 16]}
    await context.run("headers")
    assert rows(database, "mail", "mail_id", "is_read")[2] == (3, False)
    context.clock.advance(DAY_S)
    assert (await context.run("headers")).rows == 1
    assert rows(database, "mail", "mail_id", "is_read")[2] == (3, True)
    links = rows(database, "mail_label_link", "mail_id", "label_id")
    assert [label for one, label in links if one == 3] == [2, 16]


async def test_a_walk_begun_by_a_clock_that_was_ahead_puts_off_no_other(
    database: Connection,
) -> None:
    box = Mailbox(*range(1, 121))
    context = context_of(database, box)
    context.clock.step_wall(30 * DAY_S)
    await context.run("headers")
    box.mails[3] |= {"is_read": True}
    context.clock.step_wall(-30 * DAY_S)
    await context.run("headers")
    assert rows(database, "mail", "mail_id", "is_read")[2] == (3, True)


async def test_a_header_that_cannot_be_read_is_not_a_mail_that_is_gone(
    database: Connection,
) -> None:
    box = Mailbox(*range(1, 11))
    context = context_of(database, box)
    await context.run("headers")
    box.mails[3] |= {"timestamp": "some day"}
    context.clock.advance(DAY_S)
    await context.run("headers")
    assert ids_of(database, deleted=True) == []
    del box.mails[3]
    context.clock.advance(DAY_S)
    await context.run("headers")
    assert ids_of(database, deleted=True) == [3]


async def test_a_deleted_mail_is_marked_by_the_daily_walk(database: Connection) -> None:
    box = Mailbox(*range(1, 121))
    context = context_of(database, box)
    await context.run("headers")
    # The newest, one in the middle, the last of a page, the oldest.
    for one in (120, 100, 71, 1):
        del box.mails[one]
    context.clock.advance(DAY_S)
    await context.run("headers")
    assert ids_of(database, deleted=True) == [1, 71, 100, 120]
    box.add(100)
    context.clock.advance(DAY_S)
    await context.run("headers")
    assert ids_of(database, deleted=True) == [1, 71, 120]


@pytest.mark.parametrize("left", [[], [1, 2, 3]])
async def test_much_gone_at_once_is_believed_the_second_time(
    database: Connection, left: list[int]
) -> None:
    box = Mailbox(*range(1, 121))
    context = context_of(database, box)
    await context.run("headers")
    kept = dict(box.mails)
    box.mails = {one: kept[one] for one in left}
    context.clock.advance(DAY_S)
    await context.run("headers")
    assert ids_of(database, deleted=True) == []
    context.clock.advance(1200)
    await context.run("headers")
    assert ids_of(database, deleted=True) == [one for one in range(1, 121) if one not in left]
    # What was no deletion after all comes back.
    box.mails = kept
    context.clock.advance(DAY_S)
    await context.run("headers")
    assert ids_of(database, deleted=True) == []


async def test_an_empty_list_after_downtime_changes_nothing(database: Connection) -> None:
    box = Mailbox(1, 2, 3)
    context = context_of(database, box)
    await context.run("headers")
    kept, box.mails = box.mails, {}
    context.clock.advance(DAY_S)
    await context.run("headers")
    box.mails = kept
    context.clock.advance(1200)
    await context.run("headers")
    assert ids_of(database, deleted=True) == []
    assert rows(database, "mail_walk", "doubted_at") == [(None,)]


@pytest.mark.parametrize(
    ("status", "age_s", "kept"),
    [("pending", 900, True), ("uncertain", 900, True), ("done", 60, True), ("done", 900, False)],
)
async def test_a_local_change_under_way_is_not_undone(
    database: Connection, status: str, age_s: int, *, kept: bool
) -> None:
    box = Mailbox(1, 2)
    context = context_of(database, box)
    await context.run("headers")
    put(
        database,
        "outbox",
        {
            "subject_type": "character",
            "subject_id": ME.id,
            "kind": "mail.set_read",
            "payload": '{"mail_id":1,"read":true}',
            "status": status,
            "updated_at": START - timedelta(seconds=age_s),
        },
    )
    box.mails[1]["labels"] = box.mails[2]["labels"] = [4]
    box.add(3)
    await context.run("headers")
    # What was left out is to be seen again, though nothing changes until then.
    assert context.asks_whole_next == kept
    links = rows(database, "mail_label_link", "mail_id", "label_id")
    assert links == [(1, 1 if kept else 4), (2, 4), (3, 1)]


@pytest.mark.parametrize("payload", ["", "Hello", '{"mail_id":"one"}', "[]"])
async def test_a_write_that_nobody_can_read_does_not_keep_mail_from_being_read(
    database: Connection, payload: str
) -> None:
    spoilt = {"subject_type": "character", "subject_id": ME.id, "kind": "mail.delete"}
    put(database, "outbox", {**spoilt, "payload": payload, "status": "pending"})
    context = context_of(database, Mailbox(1, 2))
    assert (await context.run("headers")).rows == 2


async def test_bodies_come_once_newest_first_and_bounded(
    database: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_mail_bodies, "MAX_BODIES", 4)
    box = Mailbox(*range(1, 8))
    context = context_of(database, box)
    await context.run("headers")
    context.asked.clear()
    del box.mails[6]
    result = await context.run("bodies")
    assert (result.rows, result.left) == (4, 3)
    assert [one.params["mail_id"] for one in context.asked] == [7, 6, 5, 4]
    # The one that is gone has no body, is marked, and is never asked for again.
    assert ids_of(database, deleted=True) == [6]
    context.asked.clear()
    assert (await context.run("bodies")).left == 0
    assert [one.params["mail_id"] for one in context.asked] == [3, 2, 1]
    context.asked.clear()
    assert (await context.run("bodies")).rows == 0
    assert context.asked == []
    assert rows(database, "mail_body", "body")[0] == ("text 1",)


async def test_a_body_that_is_gone_is_not_asked_for_again_while_its_header_is_listed(
    database: Connection,
) -> None:
    box = Mailbox(1, 2)
    context = context_of(database, box)
    await context.run("headers")
    bodies = context.answers[BODY]

    def gone(params: Mapping[str, int | str], body: Any) -> Any:
        if params["mail_id"] == 1:
            raise Gone("404")
        return bodies(params, body)

    context.answers[BODY] = gone
    assert (await context.run("bodies")).rows == 2
    # The list is cached at ESI, and may never follow.
    context.clock.advance(DAY_S)
    await context.run("headers")
    assert rows(database, "mail", "mail_id", "deleted_at")[0] == (1, None)
    context.asked.clear()
    await context.run("bodies")
    assert context.asked == []


@pytest.mark.parametrize("odd", [Refused("400"), {"body": 7}, {"error": "no"}])
async def test_a_body_that_cannot_be_read_waits_and_keeps_none_behind_it(
    database: Connection, odd: Any
) -> None:
    box = Mailbox(1, 2, 3)
    context = context_of(database, box)
    await context.run("headers")
    asked_for: list[int] = []

    def answer(params: Mapping[str, int | str], body: Any) -> Any:
        asked_for.append(int(params["mail_id"]))
        if params["mail_id"] != 2 or odd is None:
            return box.body(params, body)
        if isinstance(odd, Exception):
            raise odd
        return odd

    context.answers[BODY] = answer
    result = await context.run("bodies")
    assert (result.rows, result.left) == (2, 0)
    assert result.note == "1 of 3 bodies could not be had"
    assert rows(database, "mail_body", "mail_id") == [(1,), (3,)]
    assert ids_of(database, deleted=True) == []
    for wait_s, asks in ((0, []), (3600, [2]), (3600, []), (3600, [2])):
        context.clock.advance(wait_s)
        asked_for.clear()
        assert (await context.run("bodies")).left == 0
        assert asked_for == asks
    odd = None
    context.clock.advance(DAY_S)
    assert (await context.run("bodies")).rows == 1
    assert rows(database, "mail_body", "body")[1] == ("text 2",)


async def test_many_refused_bodies_end_a_run(database: Connection) -> None:
    context = context_of(database, Mailbox(*range(1, 13)))
    await context.run("headers")
    context.answers[BODY] = lambda _params, _body: []
    context.asked.clear()
    assert (await context.run("bodies")).left == 2
    assert len(context.asked) == 10
    assert (await context.run("bodies")).left == 0


async def test_bodies_that_were_paid_for_are_kept(database: Connection) -> None:
    box = Mailbox(1, 2, 3)
    context = context_of(database, box)
    await context.run("headers")

    def failing(params: Mapping[str, int | str], body: Any) -> Any:
        if params["mail_id"] == 2:
            raise PauseBucket("char-social:1", START, 60)
        return box.body(params, body)

    context.answers[BODY] = failing
    with pytest.raises(PauseBucket):
        await context.run("bodies")
    assert rows(database, "mail_body", "mail_id") == [(3,)]


async def test_bodies_stop_where_the_limit_is_kept_and_go_on_later(database: Connection) -> None:
    box = Mailbox(1, 2, 3)
    context = context_of(database, box)
    await context.run("headers")

    def short(params: Mapping[str, int | str], body: Any) -> Any:
        if params["mail_id"] == 2:
            raise PauseBucket("char-social:1", START, 60, refused=False)
        return box.body(params, body)

    context.answers[BODY] = short
    result = await context.run("bodies")
    assert (result.rows, result.left) == (1, 2)
    # Where nothing could be done, the job waits as told.
    with pytest.raises(PauseBucket):
        await context.run("bodies")
