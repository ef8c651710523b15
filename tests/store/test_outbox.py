from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, delete, update

from ipc.subject import Subject
from jobs.store import claims, credentials, odd_writes, outbox, outbox_rows, subjects, ways
from jobs.store.database import Database
from jobs.store.outbox_rows import OutboxRow
from jobs.store.schema.core import outbox as table
from jobs.store.write_status import Status

MINUTE = timedelta(minutes=1)
EPOCH = 5


@dataclass
class Box:
    """The outbox of one character that may write."""

    database: Database
    subject: Subject
    now: datetime

    def add(self, kind: str = "mail.send", key: str = "1", **changes: Any) -> int:
        values: dict[str, Any] = {"payload": '{"n":1}', "now": self.now, "expires_at": None}
        values |= changes
        return self.database.write_now(
            lambda conn: outbox.append(
                conn,
                changes.get("subject", self.subject),
                kind,
                values["payload"],
                key,
                values["now"],
                values["expires_at"],
                target=changes.get("target"),
            )
        )

    def claim(self, *, at: datetime | None = None, limit: int = 16) -> list[OutboxRow]:
        when = at or self.now
        return self.database.write_now(
            lambda conn: claims.claim(conn, claims.find_due(conn, when, limit), when, EPOCH)
        )

    def finish(self, id_: int, revision: int, status: Status, **changes: Any) -> str:
        epoch, now = changes.pop("epoch", EPOCH), changes.pop("now", self.now)
        end = claims.End(id=id_, revision=revision, status=status, **({"attempts": 1} | changes))
        return self.database.write_now(lambda conn: claims.finish(conn, end, epoch, now))

    def get(self, id_: int) -> OutboxRow:
        row = self.database.read_now(lambda conn: outbox_rows.get(conn, id_))
        assert row is not None
        return row


@pytest.fixture
def box(database: Database, character: Subject, now: datetime) -> Box:
    """Give the character a credential."""
    database.write_now(
        lambda conn: credentials.save_login(conn, character.id, "id", [], "a", "r", now, now)
    )
    return Box(database, character, now)


def test_a_write_is_claimed_and_done(box: Box) -> None:
    id_ = box.add()
    (row,) = box.claim()
    assert (row.id, row.status, row.revision, row.payload) == (id_, "inflight", 1, '{"n":1}')
    assert (row.claimed_by_epoch, row.claim_expires_at) == (EPOCH, box.now + 5 * MINUTE)
    assert box.claim() == []
    assert box.finish(id_, 1, Status.DONE, result="77") == "done"
    done = box.get(id_)
    assert (done.status, done.result, done.claimed_by_epoch) == ("done", "77", None)
    assert box.database.read_now(outbox_rows.counts) == {"done": 1}


def test_a_row_that_says_no_end_is_taken_when_its_day_is_over(box: Box) -> None:
    """Nobody can send it, and whoever runs it ends it."""
    id_ = box.add()
    box.database.write_now(lambda conn: conn.exec_driver_sql("DELETE FROM credential"))
    assert box.claim(at=box.now + timedelta(hours=23)) == []
    assert [row.id for row in box.claim(at=box.now + timedelta(hours=24))] == [id_]


def test_what_was_made_holds_up_nothing_while_it_is_looked_for(box: Box) -> None:
    first = box.add(key="1", target="t")
    box.add(key="2", target="t")
    assert [row.id for row in box.claim()] == [first]
    later = box.now + 60 * MINUTE
    box.finish(first, 1, Status.PENDING, next_attempt_at=later)
    assert box.claim() == []
    box.database.write_now(
        lambda conn: conn.exec_driver_sql("""UPDATE outbox SET result = '{"sent":{}}'""")
    )
    assert [row.dedupe_key for row in box.claim()] == ["2"]


def test_a_payload_that_was_asked_for_meanwhile_stays(box: Box) -> None:
    id_ = box.add()
    box.add(payload='{"n":2}')
    box.database.write_now(lambda conn: outbox.set_payload(conn, id_, 1, '{"n":1,"was":0}'))
    assert box.get(id_).payload == '{"n":2}'
    box.database.write_now(lambda conn: outbox.set_payload(conn, id_, 2, '{"n":2,"was":0}'))
    assert box.get(id_).payload == '{"n":2,"was":0}'


def test_asking_again_replaces_the_payload_and_re_arms(box: Box) -> None:
    id_ = box.add()
    box.claim()
    box.finish(
        id_, 1, Status.PENDING, error="down", attempts=3, next_attempt_at=box.now + 60 * MINUTE
    )
    assert box.claim() == []
    assert box.add(payload='{"n":2}') == id_
    row = box.get(id_)
    assert (row.revision, row.attempts, row.last_error) == (2, 0, None)
    assert (row.next_attempt_at, row.payload, row.status) == (box.now, '{"n":2}', "pending")
    assert box.add(kind="mail.delete") != id_
    assert box.add(key="2") != id_


def test_what_was_replaced_while_it_was_sent_is_sent_again(box: Box) -> None:
    id_ = box.add()
    (sent,) = box.claim()
    box.add(payload='{"n":2}')
    assert box.get(id_).status == "inflight"
    assert box.claim() == []
    assert box.finish(id_, sent.revision, Status.DONE) == "pending"
    (again,) = box.claim()
    assert (again.revision, again.payload, again.attempts) == (2, '{"n":2}', 0)
    assert box.finish(id_, again.revision, Status.DONE) == "done"


@pytest.mark.parametrize("status", [Status.FAILED, Status.UNCERTAIN, Status.CANCELLED])
def test_each_end_is_stored_with_its_reason(box: Box, status: Status) -> None:
    id_ = box.add()
    box.claim()
    assert box.finish(id_, 1, status, error="because") == status
    assert (box.get(id_).status, box.get(id_).last_error) == (status, "because")


def test_an_uncertain_row_is_still_the_only_one(box: Box) -> None:
    id_ = box.add()
    box.claim()
    box.finish(id_, 1, Status.UNCERTAIN)
    assert box.claim() == []
    assert box.add() == id_
    assert box.get(id_).status == "pending"


@pytest.mark.parametrize("status", [Status.DONE, Status.FAILED, Status.CANCELLED])
def test_what_has_ended_is_no_obstacle(box: Box, status: Status) -> None:
    first = box.add()
    box.claim()
    box.finish(first, 1, status)
    assert box.add() != first


def test_only_the_claimant_ends_a_claim(box: Box) -> None:
    id_ = box.add()
    assert box.finish(id_, 1, Status.DONE) == "pending"
    box.claim()
    assert box.finish(id_, 1, Status.DONE, epoch=EPOCH - 1) == "inflight"
    assert box.get(id_).status == "inflight"
    assert box.finish(id_ + 100, 1, Status.DONE) == "cancelled"


def test_what_a_dead_scheduler_had_claimed_is_found_and_adopted(box: Box) -> None:
    id_ = box.add()
    box.claim()
    find = partial(claims.found_inflight, now=box.now)
    assert box.database.read_now(lambda conn: find(conn, EPOCH)) == []
    (found,) = box.database.read_now(lambda conn: find(conn, EPOCH + 1))
    assert found.id == id_
    # A row in doubt is never simply claimed again.
    assert box.claim(at=box.now + 60 * MINUTE) == []
    adopted = box.database.write_now(
        lambda conn: claims.adopt(conn, [id_], EPOCH + 1, box.now + MINUTE)
    )
    assert adopted == 1
    assert box.database.read_now(lambda conn: find(conn, EPOCH + 1)) == []
    assert box.finish(id_, 1, Status.DONE) == "inflight"
    assert box.finish(id_, 1, Status.DONE, epoch=EPOCH + 1) == "done"


def test_the_oldest_goes_first_and_no_more_than_asked_for(box: Box) -> None:
    late = box.add(key="late", now=box.now)
    early = box.add(key="early", now=box.now - MINUTE)
    future = box.add(key="future", now=box.now + MINUTE)
    assert [row.id for row in box.claim(limit=1)] == [early]
    assert [row.id for row in box.claim(limit=5)] == [late]
    assert [row.id for row in box.claim(at=box.now + MINUTE)] == [future]


def test_writes_about_one_thing_keep_their_order(box: Box) -> None:
    read = box.add(kind="mail.set_read", key="mail:7")
    delete = box.add(kind="mail.delete", key="mail:7")
    other = box.add(kind="mail.delete", key="mail:8")
    assert [row.id for row in box.claim()] == [read, other]
    assert box.claim() == []
    box.finish(read, 1, Status.PENDING, next_attempt_at=box.now + MINUTE)
    assert box.claim() == []
    (again,) = box.claim(at=box.now + MINUTE)
    assert again.id == read
    box.finish(read, 1, Status.DONE)
    assert [row.id for row in box.claim()] == [delete]


def test_what_is_asked_for_again_comes_after_what_was_asked_for_meanwhile(box: Box) -> None:
    add = box.add(kind="contact.add", key="5", target="contacts")
    remove = box.add(kind="contact.remove", key="5", target="contacts", now=box.now + MINUTE)
    assert box.add(kind="contact.add", key="5", target="contacts", now=box.now + 2 * MINUTE) == add
    later = box.now + 3 * MINUTE
    assert [row.id for row in box.claim(at=later)] == [remove]
    assert box.claim(at=later) == []
    box.finish(remove, 1, Status.DONE)
    assert [row.id for row in box.claim(at=later)] == [add]


def test_while_one_is_inflight_nothing_else_goes_to_its_target(box: Box) -> None:
    add = box.add(kind="contact.add", key="5", target="contacts")
    box.claim()
    other = box.add(kind="contact.remove", key="6", target="contacts", now=box.now + MINUTE)
    # Asked for again, it is the younger one, and still being sent.
    box.add(kind="contact.add", key="5", target="contacts", now=box.now + 2 * MINUTE)
    later = box.now + 3 * MINUTE
    assert box.claim(at=later) == []
    assert box.finish(add, 1, Status.DONE) == "pending"
    assert [row.id for row in box.claim(at=later)] == [other]


def test_without_a_target_there_is_no_order(box: Box) -> None:
    rows = [box.add(key="a", target=""), box.add(key="b", target="")]
    assert [row.id for row in box.claim()] == rows


def test_targets_of_other_subjects_do_not_matter(box: Box, now: datetime) -> None:
    stranger = Subject(box.subject.type, 1234)
    box.database.write_now(lambda conn: subjects.enroll(conn, stranger, now))
    box.add(key="a", target="contacts", subject=stranger, now=now - MINUTE)
    mine = box.add(key="b", target="contacts")
    assert [row.id for row in box.claim()] == [mine]


def test_what_is_in_force_is_open_or_held(box: Box, now: datetime) -> None:
    pending, held, over, failed = (box.add(key=key) for key in ("1", "2", "3", "4"))
    box.claim()
    box.finish(pending, 1, Status.PENDING, next_attempt_at=now)
    box.finish(held, 1, Status.DONE, held_until=now + MINUTE)
    box.finish(over, 1, Status.DONE, held_until=now)
    box.finish(failed, 1, Status.FAILED)

    def in_force(*kinds: str, target: str | None = None) -> list[int]:
        return box.database.read_now(
            lambda conn: [row.id for row in outbox.in_force(conn, box.subject, kinds, now, target)]
        )

    assert in_force(box.get(held).kind) == [pending, held]
    assert in_force(box.get(held).kind, target="2") == [held]
    assert in_force("contact.add") == []
    box.database.write_now(lambda conn: outbox.let_go(conn, held))
    assert in_force(box.get(held).kind) == [pending]


def test_rows_are_ended_together_and_each_as_it_should_be(box: Box, now: datetime) -> None:
    done, replaced, foreign, gone = (box.add(key=str(number)) for number in range(4))
    box.claim()
    box.add(key="1", payload='{"n":2}')

    def spoil(connection: Connection) -> None:
        connection.execute(
            update(table).where(table.c.id == foreign).values(claimed_by_epoch=EPOCH + 1)
        )
        connection.execute(delete(table).where(table.c.id == gone))

    box.database.write_now(spoil)
    ends = [
        claims.End(id=id_, revision=1, status=Status.DONE, attempts=2, result="1", error="e")
        for id_ in (gone, foreign, replaced, done)
    ]
    later = now + MINUTE
    finals = box.database.write_now(lambda conn: claims.finish_all(conn, ends, EPOCH, later))
    assert finals == ["cancelled", "inflight", "pending", "done"]
    row = box.get(done)
    assert (row.status, row.attempts, row.result, row.last_error) == ("done", 2, "1", "e")
    assert (row.next_attempt_at, row.updated_at, row.claimed_by_epoch) == (now, later, None)
    row = box.get(replaced)
    assert (row.status, row.revision, row.attempts, row.result) == ("pending", 2, 0, None)
    assert (row.next_attempt_at, row.claimed_by_epoch, row.claim_expires_at) == (later, None, None)
    assert (box.get(foreign).status, box.get(foreign).claimed_by_epoch) == ("inflight", EPOCH + 1)


def test_a_row_is_followed_by_a_later_one_that_is_in_force(box: Box, now: datetime) -> None:
    def followed(*ids: int) -> set[int]:
        return box.database.read_now(lambda conn: outbox.find_followed(conn, ids, now))

    first, alone = box.add(key="1", target="t"), box.add(key="2", target="u")
    assert followed(first, alone) == set()
    second = box.add(key="3", target="t")
    assert followed(first, second, alone) == {first}
    assert followed(second, alone) == set()

    def end(connection: Connection, held_until: datetime) -> None:
        connection.execute(
            update(table).where(table.c.id == second).values(status="done", held_until=held_until)
        )

    box.database.write_now(lambda conn: end(conn, now + MINUTE))
    assert followed(first, second) == {first}
    box.database.write_now(lambda conn: end(conn, now))
    assert followed(first, second) == set()


def test_a_row_that_has_ended_can_be_armed_again(box: Box, now: datetime) -> None:
    id_ = box.add()
    box.claim()
    box.finish(id_, 1, Status.UNCERTAIN, error="lost", result='{"in_doubt":null}', attempts=3)
    later = now + MINUTE
    box.database.write_now(lambda conn: outbox.rearm(conn, id_, later, later + MINUTE))
    row = box.get(id_)
    assert (row.status, row.revision, row.attempts) == ("pending", 2, 0)
    assert (row.last_error, row.result, row.created_at) == (None, None, later)
    assert [one.id for one in box.claim(at=later)] == [id_]


def test_only_a_pending_row_is_made_due(box: Box, now: datetime) -> None:
    id_ = box.add()
    box.claim()
    make_due = outbox.make_due
    assert not box.database.write_now(lambda conn: make_due(conn, id_, now))
    box.finish(id_, 1, Status.PENDING, next_attempt_at=now + 60 * MINUTE)
    assert box.database.write_now(lambda conn: make_due(conn, id_, now))
    assert [row.id for row in box.claim()] == [id_]


def test_without_a_usable_credential_a_row_waits_until_it_expires(box: Box, now: datetime) -> None:
    stranger = Subject(box.subject.type, 1234)
    box.database.write_now(lambda conn: subjects.enroll(conn, stranger, now))
    id_ = box.add(subject=stranger, expires_at=now + MINUTE)
    assert box.claim() == []
    (expired,) = box.claim(at=now + MINUTE)
    assert (expired.id, expired.expires_at) == (id_, now + MINUTE)


def test_those_without_a_credential_block_nobody(box: Box, now: datetime) -> None:
    stranger = Subject(box.subject.type, 1234)
    box.database.write_now(lambda conn: subjects.enroll(conn, stranger, now))
    for number in range(20):
        box.add(subject=stranger, key=f"{number}", now=now - MINUTE)
    id_ = box.add()
    assert [row.id for row in box.claim(limit=16)] == [id_]


def test_those_whose_token_is_refreshed_are_passed_over_until_they_expire(
    box: Box, now: datetime
) -> None:
    waits = box.add(key="1")
    other = Subject(box.subject.type, 1234)

    def due(at: datetime, *without: int) -> list[int]:
        return box.database.read_now(lambda conn: claims.find_due(conn, at, 16, without))

    assert due(now) == due(now, other.id) == [waits]
    assert due(now, box.subject.id) == []
    ends = now + MINUTE
    late = box.database.write_now(
        lambda conn: outbox.append(conn, box.subject, "mail.send", "{}", "2", now, ends)
    )
    assert due(ends, box.subject.id) == [late]
    both = partial(claims.find_senders, ids=[waits, late])
    senders = {waits: box.subject.id, late: box.subject.id}
    assert box.database.read_now(partial(both, now=now)) == senders
    assert box.database.read_now(partial(both, now=ends)) == {waits: box.subject.id}


def test_a_row_that_was_taken_back_before_its_claim_is_left_alone(box: Box, now: datetime) -> None:
    id_ = box.add()
    due = box.database.read_now(lambda conn: claims.find_due(conn, now, 16))
    assert due == [id_]
    assert box.database.write_now(lambda conn: outbox.cancel(conn, id_, now))
    assert box.database.write_now(lambda conn: claims.claim(conn, due, now, EPOCH)) == []
    assert box.get(id_).status == "cancelled"


# PostgreSQL plans by what it knows of the table.
@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_the_search_follows_the_order_of_an_index(box: Box, now: datetime) -> None:
    asked: list[str] = []

    def explain(connection: Connection) -> str:
        driver: Any = connection.connection.dbapi_connection
        driver.set_trace_callback(asked.append)
        claims.find_due(connection, now, 16)
        driver.set_trace_callback(None)
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked[-1]}")
        return "\n".join(row[3] for row in plan)

    plan = box.database.read_now(explain)
    # Else it sorts all that waits, for each claim anew.
    assert "ix_outbox_status_created_at" in plan
    assert "TEMP B-TREE" not in plan


def test_a_flagged_credential_is_not_usable(box: Box, now: datetime) -> None:
    id_ = box.add()
    (found,) = box.database.read_now(credentials.list_all)
    for at in (now, now + 2 * MINUTE):
        box.database.write_now(
            partial(
                credentials.note_refused,
                credential_id=found.id,
                generation=found.generation,
                now=at,
            )
        )
    assert box.claim() == []
    box.database.write_now(
        lambda conn: credentials.store_refreshed(
            conn, found.id, found.generation + 1, "a", "r", now + MINUTE, None, now
        )
    )
    assert [row.id for row in box.claim()] == [id_]


def test_a_corporations_write_goes_through_whoever_has_access(
    box: Box, corporation: Subject, now: datetime
) -> None:
    (found,) = box.database.read_now(credentials.list_all)
    box.database.write_now(lambda conn: subjects.enroll(conn, corporation, now))
    id_ = box.add(subject=corporation)
    assert box.claim() == []
    box.database.write_now(lambda conn: ways.link(conn, corporation, found.id, now))
    assert [row.id for row in box.claim()] == [id_]


def test_nothing_is_sent_for_a_withdrawn_subject(box: Box, now: datetime) -> None:
    box.add()
    box.database.write_now(lambda conn: subjects.withdraw(conn, box.subject, now))
    assert box.claim() == []


def test_only_old_done_rows_are_pruned(box: Box, now: datetime) -> None:
    old, new, failed = box.add(key="old"), box.add(key="new"), box.add(key="failed")
    box.claim()
    box.finish(old, 1, Status.DONE, now=now - 60 * MINUTE)
    box.finish(new, 1, Status.DONE)
    box.finish(failed, 1, Status.FAILED, now=now - 60 * MINUTE)
    assert box.database.write_now(lambda conn: outbox.prune_done(conn, now)) == 1
    left = box.database.read_now(outbox_rows.list_rows)
    assert sorted(row.id for row in left) == [new, failed]


def test_rows_are_listed_and_taken_back(box: Box, now: datetime) -> None:
    id_ = box.add()
    inflight = box.add(key="2", now=now - MINUTE)
    box.claim(limit=1)
    pending = box.database.read_now(
        lambda conn: outbox_rows.list_rows(conn, subject_=box.subject, statuses=["pending"])
    )
    assert [row.id for row in pending] == [id_]
    assert box.database.write_now(lambda conn: outbox.cancel(conn, id_, now))
    assert not box.database.write_now(lambda conn: outbox.cancel(conn, inflight, now))
    assert box.database.read_now(outbox_rows.counts) == {"cancelled": 1, "inflight": 1}


# --- rows of other programs --------------------------------------------------------------------

ODD_ON_SQLITE = [
    {"created_at": "'1764526339'"},
    {"created_at": "x'3031'"},
    {"attempts": "'many'"},
    {"revision": "1.5"},
    {"last_error": "CAST(x'ff' AS TEXT)"},
]
ODD_ON_BOTH = [
    {"subject_type": "'pilot'", "expires_at": "'2020-01-01T00:00:00.000Z'"},
    {"subject_id": "-1", "expires_at": "'2020-01-01T00:00:00.000Z'"},
]
ODD_ON_POSTGRES = [{"expires_at": "'infinity'"}, {"created_at": "'-infinity'"}]


def spoil(box: Box, id_: int, changes: dict[str, str]) -> None:
    """Change a row as a program does that knows no better."""
    values = ", ".join(f"{column} = {value}" for column, value in changes.items())
    box.database.write_now(
        lambda conn: conn.exec_driver_sql(f"UPDATE outbox SET {values} WHERE id = {id_}")
    )


def raw(box: Box, id_: int) -> tuple[str, str | None]:
    """Return status and reason of a row that may not be readable."""
    row = box.database.read_now(
        lambda conn: conn.exec_driver_sql(
            f"SELECT status, claimed_by_epoch FROM outbox WHERE id = {id_}"
        ).one()
    )
    return tuple(row)


def test_rows_that_cannot_be_read_fail_alone(box: Box) -> None:
    own = ODD_ON_SQLITE if box.database.dialect == "sqlite" else ODD_ON_POSTGRES
    odd = []
    for number, changes in enumerate([*ODD_ON_BOTH, *own]):
        odd.append(box.add(key=f"odd {number}"))
        spoil(box, odd[-1], changes)
    good = box.add()

    assert [row.id for row in box.claim()] == [good]

    assert {raw(box, one) for one in odd} == {("failed", None)}
    rows, unread = box.database.read_now(outbox_rows.list_all)
    # The reason is written where the one that could not be read was.
    mended = {row.id for row in rows} - {good}
    assert mended | {row.id for row in unread} == set(odd)
    assert len(mended) == (box.database.dialect == "sqlite")
    assert all("cannot be read" in (row.last_error or "") for row in rows if row.id in mended)
    assert all("cannot be read" in row.reason for row in unread)
    one = unread[0].id
    assert box.database.read_now(lambda conn: outbox_rows.get(conn, one)) is None
    assert box.database.read_now(lambda conn: outbox_rows.why_unreadable(conn, one)) is not None
    assert box.database.read_now(lambda conn: outbox_rows.why_unreadable(conn, good)) is None
    # No later pass meets them again.
    assert box.claim() == []


# What sorts after any moment, or is of nobody: no look for due rows comes to it.
NEVER_DUE_ON_SQLITE = [
    {"next_attempt_at": "'soon'"},
    {"next_attempt_at": "x'3939'"},
    {"next_attempt_at": "'2099-13-45T99:00:00.000Z'"},
    {"next_attempt_at": "'2099-02-30T00:00:00.000Z'"},
    {"subject_id": "'somebody'"},
    {"subject_id": "77", "expires_at": "'never'"},
    {"subject_id": "77", "created_at": "'yesterday'"},
    {"subject_id": "77", "held_until": "'always'"},
    {"subject_id": "77", "claim_expires_at": "7"},
    {"subject_id": "77", "updated_at": "'lately'"},
]
NEVER_DUE_ON_BOTH = [{"subject_type": "'pilot'"}, {"subject_id": "-1"}]
NEVER_DUE_ON_POSTGRES = [
    {"next_attempt_at": "'infinity'"},
    {"subject_id": "77", "expires_at": "'infinity'"},
    {"subject_id": "77", "held_until": "'20000-01-01T00:00:00Z'"},
]


def end_odd(box: Box) -> list[int]:
    """Do what the drain does now and then."""
    found = box.database.read_now(lambda conn: odd_writes.find(conn, box.now))
    box.database.write_now(lambda conn: odd_writes.end(conn, found, box.now))
    return found


def test_a_pending_row_that_no_look_would_come_to_fails_with_the_reason(box: Box) -> None:
    sqlite = box.database.dialect == "sqlite"
    own = NEVER_DUE_ON_SQLITE if sqlite else NEVER_DUE_ON_POSTGRES
    odd = []
    for number, changes in enumerate([*NEVER_DUE_ON_BOTH, *own]):
        odd.append(box.add(key=f"odd {number}"))
        spoil(box, odd[-1], changes)
    good, later, of_sql = box.add(), box.add(key="later"), box.add(key="sql")
    spoil(box, later, {"next_attempt_at": f"'{box.now + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}'"})
    spoil(box, of_sql, {"next_attempt_at": f"'{box.now + timedelta(days=2):%Y-%m-%d %H:%M:%S}Z'"})

    assert [row.id for row in box.claim()] == [good]
    # Those that sort behind all times have been met already.
    left = [one for one in odd if raw(box, one)[0] == "pending"]
    assert len(left) >= len(odd) - 3
    assert end_odd(box) == left

    assert {raw(box, one) for one in odd} == {("failed", None)}
    assert {raw(box, one) for one in (later, of_sql)} == {("pending", None)}
    errors = box.database.read_now(
        lambda conn: list(conn.exec_driver_sql("SELECT last_error FROM outbox ORDER BY id"))
    )
    assert all("cannot be read" in str(text) for (text,) in errors[: len(odd)])
    assert end_odd(box) == []


def test_a_time_far_ahead_does_not_outlast_the_time_for_which_a_row_is_wanted(box: Box) -> None:
    id_ = box.add()
    ahead, over = box.now + timedelta(days=5000), box.now - timedelta(seconds=1)
    spoil(box, id_, {"next_attempt_at": f"'{ahead:%Y-%m-%dT%H:%M:%S.000Z}'"})
    assert end_odd(box) == []
    spoil(box, id_, {"expires_at": f"'{over:%Y-%m-%dT%H:%M:%S.000Z}'"})
    assert end_odd(box) == [id_]
    # Whoever claims it sees that it is over.
    assert [row.id for row in box.claim()] == [id_]


def test_a_row_found_inflight_that_cannot_be_read_is_uncertain(box: Box) -> None:
    odd, good = box.add(), box.add(key="2")
    box.claim()
    spoil(box, odd, {"attempts": "-1", "subject_type": "'pilot'"})

    rows = box.database.write_now(lambda conn: claims.found_inflight(conn, EPOCH + 1, box.now))

    assert [row.id for row in rows] == [good]
    assert raw(box, odd) == ("uncertain", None)


def test_a_time_without_a_zone_is_utc(box: Box) -> None:
    id_ = box.add()
    text = f"{box.now:%Y-%m-%d %H:%M:%S}"
    if box.database.dialect == "postgresql":
        text += "+00"
    spoil(box, id_, dict.fromkeys(("created_at", "next_attempt_at", "expires_at"), f"'{text}'"))
    (row,) = box.claim()
    second = box.now.replace(microsecond=0)
    assert row.created_at == row.next_attempt_at == row.expires_at == second
    assert row.created_at.tzinfo is UTC


# PostgreSQL stores a time, and not how it was told.
@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_times_that_another_program_told_in_its_own_way_are_read_in_utc(box: Box) -> None:
    told = {
        "2026-11-30T14:00:00.000+02:00": datetime(2026, 11, 30, 12, tzinfo=UTC),
        "2026-11-30 12:00:00": datetime(2026, 11, 30, 12, tzinfo=UTC),
        # In UTC it is before the first day.
        "0001-01-01T00:00:00.000+02:00": None,
    }
    ids = {text: box.add(key=text) for text in told}

    def tell(connection: Connection) -> None:
        for text, id_ in ids.items():
            connection.exec_driver_sql("UPDATE outbox SET updated_at = ? WHERE id = ?", (text, id_))

    box.database.write_now(tell)
    rows = box.database.read_now(lambda conn: outbox_rows.get_all(conn, ids.values()))
    read = {text: rows[id_].updated_at if id_ in rows else None for text, id_ in ids.items()}
    assert read == told
    assert all(row.updated_at.tzinfo is UTC for row in rows.values())
