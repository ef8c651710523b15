"""A real worker against a simulated EVE: every kind, tokens, pauses, and mail that is sent once."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, select, update

from ipc import outcome as reactions
from ipc.child import ForkServer
from ipc.clock import SystemClock
from ipc.messages import (
    Acquire,
    CancelJob,
    Grant,
    Holding,
    JobDone,
    PartGrant,
    PauseRequests,
    RefreshDone,
    Release,
    RunJob,
    RunRefresh,
    RunWrite,
    StopChild,
    WriteDone,
)
from ipc.outcome import Token
from ipc.settings import Esi, Images, Settings, Sso, Zkillboard
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.catalog import Catalog, load
from jobs.store import claims, credentials, outbox_rows
from jobs.store.database import Database
from jobs.store.schema.core import outbox as outbox_table
from jobs.store.schema.mail import mail
from jobs.store.write_status import Status
from jobs.writes.mail import Recipient, Send
from jobs.writes.mail_changes import SetRead
from jobs.writes.want import want
from simulator.process import SimulatedEve

pytestmark = pytest.mark.process
LETTER = Send((Recipient(90000002, "character"),), "Hello", "Is it there?")


@dataclass
class Play:
    """A worker that mirrors character 90000001 of a simulated EVE, and who tells it what to do."""

    scheduler: Any
    eve: SimulatedEve
    database: Database
    catalog: Catalog
    credential_id: int
    character: Subject
    corporation: Subject
    alliance: Subject
    _ids: Iterator[int] = itertools.count(100)  # noqa: RUF009 - one count for all

    async def run(self, name: str, subject: Subject) -> JobDone:
        kind = self.catalog[name]
        grants = tuple(
            PartGrant(part.name, self.credential_id if part.scopes else 0) for part in kind.parts
        )
        order = RunJob(
            next(self._ids), 1, self.scheduler.epoch, JobKey(name, subject), 90.0, grants
        )
        self.scheduler.send(order)
        done: JobDone = await self.scheduler.done(order)
        return done

    async def refresh(self) -> RefreshDone:
        stored = await self.tokens()
        order = RunRefresh(
            next(self._ids), self.scheduler.epoch, self.credential_id, stored.generation, 30.0
        )
        self.scheduler.send(order)
        done: RefreshDone = await self.scheduler.one(
            lambda m: isinstance(m, RefreshDone) and m.job_id == order.job_id
        )
        return done

    async def tokens(self) -> credentials.Tokens:
        found = await self.database.read(lambda c: credentials.tokens(c, self.credential_id))
        assert found is not None
        return found

    async def want(self, kind: str, payload: Any) -> int:
        now = SystemClock().now()
        found: int = await self.database.write(
            lambda c: want(c, self.character, kind, payload, now), epoch=None
        )
        return found

    async def send(self, *, in_doubt: bool = False, deadline_s: float = 30.0) -> WriteDone:
        """Claim the one row that waits, whenever it is due, and have it carried out."""

        def claim(connection: Connection) -> list[outbox_rows.OutboxRow]:
            connection.execute(
                update(outbox_table)
                .where(outbox_table.c.status == "pending")
                .values(next_attempt_at=SystemClock().now())
            )
            now = SystemClock().now()
            due = claims.find_due(connection, now, 16)
            return claims.claim(connection, due, now, self.scheduler.epoch)

        (row,) = await self.database.write(claim, epoch=None)
        order = RunWrite(
            next(self._ids), self.scheduler.epoch, row.id, row.revision, deadline_s, in_doubt
        )
        self.scheduler.send(order)
        done: WriteDone = await self.scheduler.one(
            lambda m: isinstance(m, WriteDone) and m.job_id == order.job_id
        )
        return done

    def written(self, route: str) -> int:
        """Return how often a write took effect in the game."""
        effects: Any = self.eve.ask("/writes")
        return sum(each["route"] == route for each in effects)

    def asked(self) -> int:
        """Return how many requests the simulated EVE had."""
        counts: Any = self.eve.ask("/requests")
        return int(counts["total"])


@pytest.fixture(scope="module")
def eve() -> Iterator[SimulatedEve]:
    with SimulatedEve("--characters", "3") as running:
        yield running


@pytest.fixture
async def acting(
    eve: SimulatedEve,
    settings: Settings,
    database: Database,
    play: Callable[[Settings], Any],
    forkserver: ForkServer,
) -> AsyncIterator[Play]:
    eve.order("/reset")
    known: Any = eve.ask("/tokens", character_id=90000001)
    own = msgspec.structs.replace(
        settings,
        kind_packages=("jobs.kinds",),
        esi=Esi(base_url=eve.urls.esi, contact="tests@example.com"),
        sso=Sso(base_url=eve.urls.sso, client_id=known["client_id"]),
        images=Images(base_url=eve.urls.images),
        zkillboard=Zkillboard(base_url=eve.urls.zkillboard),
        timings=msgspec.structs.replace(settings.timings, zkillboard_pace_s=0.0),
    )
    now, refresh_token = SystemClock().now(), known["refresh_token"]
    credential_id = await database.write(
        lambda c: credentials.save_login(
            c,
            90000001,
            known["client_id"],
            known["scopes"],
            None,
            refresh_token,
            None,
            now,
        ),
        epoch=None,
    )
    scheduler = play(own)
    await scheduler.start(forkserver)
    try:
        yield await _act(scheduler, eve, database, own, credential_id, known)
    finally:
        scheduler.hang_up()
        scheduler.child.close()


async def _act(
    scheduler: Any,
    eve: SimulatedEve,
    database: Database,
    own: Settings,
    credential_id: int,
    known: Any,
) -> Play:
    """Return the play once its worker has a token."""
    await scheduler.ready()
    acting = Play(
        scheduler, eve, database, load(own.kind_packages), credential_id,
        Subject(SubjectType.CHARACTER, 90000001),
        Subject(SubjectType.CORPORATION, known["corporation_id"]),
        Subject(SubjectType.ALLIANCE, 99000001),
    )  # fmt: skip
    assert (await acting.refresh()).status == "fresh"
    return acting


async def test_every_kind_is_mirrored_and_then_left_in_peace(acting: Play) -> None:
    subjects = {
        SubjectType.CHARACTER: acting.character,
        SubjectType.CORPORATION: acting.corporation,
        SubjectType.ALLIANCE: acting.alliance,
        SubjectType.GLOBAL: GLOBAL,
    }
    names = [
        (kind.name, subject)
        for type_, subject in subjects.items()
        for kind in sorted(acting.catalog.of(type_), key=lambda kind: kind.parent is None)
    ]

    for name, subject in names:
        done = await acting.run(name, subject)
        assert done.outcome.is_success, (name, done.outcome)
        assert done.reaction is None, (name, done.reaction)
        assert "portrait" not in done.outcome.reason
    before = acting.asked()
    again = await acting.run("character.assets", acting.character)

    assert acting.asked() == before
    assert again.outcome.token is Token.SYNCED
    assert not again.changed
    assert (acting.scheduler.settings.image_dir / "character_90000001.jpg").is_file()


async def test_two_refreshes_of_one_generation_ask_sso_once(acting: Play) -> None:
    stored = await acting.tokens()
    orders = [
        RunRefresh(number, acting.scheduler.epoch, acting.credential_id, stored.generation, 30.0)
        for number in (1, 2)
    ]
    acting.scheduler.send(orders[0])
    await acting.scheduler.one(lambda m: isinstance(m, RefreshDone) and m.job_id == 1)
    acting.scheduler.send(orders[1])
    second = await acting.scheduler.one(lambda m: isinstance(m, RefreshDone) and m.job_id == 2)

    assert second.status == "unchanged"
    assert second.generation == stored.generation + 1


async def _holding(acting: Play, deadline_s: float) -> RunRefresh:
    """Return a refresh for whose new tokens there is no turn to write."""
    acting.eve.order("/sso", single_use=True)
    stored = await acting.tokens()
    acting.scheduler.grants_writes = False
    order = RunRefresh(
        7, acting.scheduler.epoch, acting.credential_id, stored.generation, deadline_s
    )
    acting.scheduler.send(order)
    await acting.scheduler.one(lambda m: isinstance(m, Holding) and 7 in m.job_ids)
    return order


def _let_write(acting: Play) -> None:
    scheduler = acting.scheduler
    scheduler.grants_writes = True
    released = {each.lease_id for each in scheduler.all(Release)}
    for each in scheduler.all(Acquire):
        if each.lease_id not in released:
            scheduler.send(Grant(each.lease_id, each.amount))


async def test_new_tokens_outlive_the_deadline_until_they_can_be_stored(acting: Play) -> None:
    order = await _holding(acting, 0.5)
    beats = len(acting.scheduler.all(Holding))
    acting.scheduler.send(CancelJob(order.job_id, "deadline"))
    async with asyncio.timeout(20):
        while len(acting.scheduler.all(Holding)) < beats + 10:
            await asyncio.sleep(0.05)
    assert acting.scheduler.all(Holding)[-1].job_ids == (order.job_id,)
    _let_write(acting)
    done = await acting.scheduler.one(
        lambda m: isinstance(m, RefreshDone) and m.job_id == order.job_id
    )

    assert (done.status, done.generation) == ("fresh", order.generation + 1)
    # What was stored is what works.
    assert (await acting.refresh()).status == "fresh"


async def test_new_tokens_that_can_be_stored_while_the_worker_stops_are(acting: Play) -> None:
    order = await _holding(acting, 30.0)
    acting.scheduler.send(StopChild(0.2))
    await asyncio.sleep(0.5)
    _let_write(acting)
    await acting.scheduler.one(lambda m: isinstance(m, RefreshDone) and m.job_id == order.job_id)

    assert (await acting.scheduler.exit()).exit_code == 0
    assert (await acting.tokens()).generation == order.generation + 1


async def test_a_revoked_token_is_refused_and_an_outage_is_not(acting: Play) -> None:
    acting.eve.order("/faults", service="sso", path=".*token", status=503, body="<html>")
    outage = await acting.refresh()
    acting.eve.order("/reset")
    acting.eve.order("/revoke", character_id=90000001)
    revoked = await acting.refresh()

    assert (outage.status, revoked.status) == ("trouble", "refused")
    assert not (await acting.tokens()).needs_reauth
    acting.eve.order("/grant", character_id=90000001)


async def test_a_pause_of_the_scheduler_stops_the_next_request(acting: Play) -> None:
    before = acting.asked()
    until = SystemClock().now().replace(year=2099)
    acting.scheduler.send(PauseRequests(until))

    done = await acting.run("character.skills", acting.character)

    assert isinstance(done.reaction, reactions.PauseAll)
    assert acting.asked() == before


async def test_a_spent_error_limit_ends_the_job_with_the_servers_word(acting: Play) -> None:
    acting.eve.order(
        "/faults", path=".*", status=420, headers={"X-ESI-Error-Limit-Reset": "37"}, body="{}"
    )

    done = await acting.run("character.skills", acting.character)

    assert isinstance(done.reaction, reactions.PauseAll)
    assert done.reaction.reset_s == 37


async def test_a_mail_is_sent_once_though_its_answer_was_cut_off(acting: Play) -> None:
    before = acting.written("POST /characters/{character_id}/mail")
    await acting.want("mail.send", LETTER)
    acting.eve.order(
        "/faults", method="POST", path=".*/mail", cut="before_headers", apply=True, times=1
    )

    first = done = await acting.send()
    async with asyncio.timeout(150):
        while done.status == "pending":
            # What waits for ESI's cache waits in simulated time.
            acting.eve.order("/clock", advance_s=1.0)
            done = await acting.send()
            await asyncio.sleep(0.05)

    assert (first.status, done.status) == ("pending", "done")
    assert acting.written("POST /characters/{character_id}/mail") == before + 1


async def test_a_read_mark_is_put_and_a_refused_one_taken_back(acting: Play) -> None:
    await acting.run("character.profile", acting.character)
    await acting.run("character.mail", acting.character)
    mail_id, was = await acting.database.read(
        lambda c: tuple(c.execute(select(mail.c.mail_id, mail.c.is_read).limit(1)).one())
    )
    await acting.want("mail.set_read", SetRead(mail_id, read=not was))
    assert (await acting.send()).status == "done"

    acting.eve.order("/faults", method="PUT", status=400, body='{"error": "no"}')
    await acting.want("mail.set_read", SetRead(mail_id, read=bool(was)))
    refused = await acting.send()

    assert refused.status == "failed"
    now = await acting.database.read(
        lambda c: c.scalar(select(mail.c.is_read).where(mail.c.mail_id == mail_id))
    )
    assert now is not was


async def test_a_write_cut_off_by_its_deadline_is_given_back_in_doubt(acting: Play) -> None:
    row_id = await acting.want("mail.send", LETTER)
    acting.eve.order("/faults", method="POST", path=".*/mail", delay_s=200.0, apply=True)

    done = await acting.send(deadline_s=6.0)

    row = await acting.database.read(lambda c: outbox_rows.get(c, row_id))
    assert row is not None
    assert (done.status, row.status) == ("pending", Status.PENDING)
    assert "in_doubt" in (row.result or "")
