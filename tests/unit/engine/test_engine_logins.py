"""Logins as the engine sees them: another client, an unknown client, credentials that are gone."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection

from engine.tokens import MISCONFIGURED_RETRY_S
from ipc.commands import RunNow, SetFeatures
from ipc.events import Failed
from ipc.messages import RefreshDone
from ipc.outcome import Outcome, Token, Transient
from ipc.settings import encode_settings
from ipc.subject import Subject
from jobs.store import credentials, ways
from jobs.store.schema.core import access as access_table
from jobs.store.schema.core import credential as credential_table
from tests.unit.engine.engine_kinds import (
    ASSETS,
    CORP,
    CORP_PROFILE,
    NOW,
    ONE,
    ORDERS,
    PROFILE,
    SKILLS,
    TWO,
    WALLET,
    key,
)
from tests.unit.engine.engine_rig import Rig, enroll_subject, know, log_in, open_rig

OTHER = "another-client"
UNKNOWN = "SSO answered 401: The client is unknown"


def log_in_with(
    client_id: str,
    connection: Connection,
    number: int = ONE.id,
    *,
    lasts: bool = True,
    scopes: str = "wallet skills orders corp_assets",
) -> int:
    """Store a credential of a client."""
    ends = NOW + timedelta(days=2) if lasts else NOW
    return credentials.save_login(
        connection, number, client_id, scopes.split(), "a", "r", ends, NOW
    )


old = partial(log_in_with, "c", lasts=False)
two = partial(log_in_with, "c", number=TWO.id, lasts=False)


@pytest.fixture
async def rig(tmp_path: Path, empty_database: Path) -> AsyncIterator[Rig]:
    """Two characters with tokens of an old client that have ended; another one is configured."""
    async with open_rig(
        tmp_path / "x.db",
        empty_database,
        [old, two, lambda connection: know(connection, ONE.id, TWO.id)],
        client_id=OTHER,
    ) as made:
        yield made


def due_in_s(rig: Rig, subject: Subject = ONE) -> dict[str, float]:
    """Return in how many seconds the private jobs of a character are due."""
    now_s = rig.clock.monotonic_s()
    jobs = (rig.engine.schedule.get(key(of, subject)) for of in (WALLET, SKILLS, ORDERS))
    return {job.key.kind: job.due_s - now_s for job in jobs if job is not None}


async def unknown_client(rig: Rig) -> None:
    """Have SSO say once for each character that it does not know the client."""
    for work in rig.refreshes():
        await answer(rig, work.credential_id)


async def answer(rig: Rig, credential_id: int) -> None:
    (work,) = [one for one in rig.refreshes() if one.credential_id == credential_id]
    del rig.pool.work[work.job_id]
    done = RefreshDone(
        work.job_id, work.epoch, credential_id, "misconfigured", work.generation, None, UNKNOWN
    )
    rig.pool.listener.on_messages(0, [done])
    await rig.settle()


async def test_a_client_that_sso_does_not_know_is_one_trouble_and_not_asked_for_each_job(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "engine.tokens")
    assert len(rig.refreshes()) == 2
    await unknown_client(rig)
    trouble = rig.engine.status.summary().sso_trouble
    assert trouble.startswith("SSO does not take the client c (SSO answered 401: The client is")
    assert [record.getMessage() for record in caplog.records] == [
        f"{trouble}; tried again in 300 s"
    ]
    assert set(due_in_s(rig).values()) == set(due_in_s(rig, TWO).values()) == {300.0}
    await rig.do(RunNow(ONE))
    await rig.advance(MISCONFIGURED_RETRY_S - 1)
    assert not rig.refreshes()
    await rig.advance(1)
    # One tries for both.
    assert len(rig.refreshes()) == 1
    await unknown_client(rig)
    assert not rig.refreshes()
    assert len(caplog.records) == 1


async def test_a_reload_tries_the_client_again_at_once(rig: Rig) -> None:
    await unknown_client(rig)
    await rig.do(SetFeatures(encode_settings(rig.engine.settings)))
    assert rig.engine.status.summary().sso_trouble.startswith(f"{ONE} and 1 more logged in with")
    assert len(rig.refreshes()) == 2


async def test_when_sso_knows_the_client_again_all_its_jobs_are_due(rig: Rig) -> None:
    await unknown_client(rig)
    await rig.advance(MISCONFIGURED_RETRY_S)
    ends = rig.clock.now() + timedelta(seconds=1200)
    await rig.refreshed("fresh", generation=4_000_000_000, expires_at=ends)
    # The other character's token is refreshed without another wait.
    assert len(rig.refreshes()) == 1
    await rig.refreshed("fresh", generation=4_000_000_000, expires_at=ends)
    assert len(rig.running(WALLET, ONE)) == len(rig.running(WALLET, TWO)) == 1


async def test_a_login_with_the_configured_client_heals_its_character_at_once(rig: Rig) -> None:
    await unknown_client(rig)
    assert rig.engine.status.summary().needs_login == (ONE, TWO)
    new = await rig.write(partial(log_in_with, OTHER))
    await rig.look()
    for of in (WALLET, SKILLS, ORDERS):
        assert {grant.credential_id for grant in rig.one(of).grants} == {new}
    assert rig.engine.status.summary().needs_login == (TWO,)
    await rig.write(partial(log_in_with, OTHER, number=TWO.id))
    await rig.look()
    assert len(rig.running(WALLET, TWO)) == 1
    summary = rig.engine.status.summary()
    assert (summary.needs_login, summary.sso_trouble) == ((), "")


async def test_a_login_with_the_configured_client_ends_a_park(rig: Rig) -> None:
    first, _ = sorted(rig.refreshes(), key=lambda work: work.credential_id)
    del rig.pool.work[first.job_id]
    done = RefreshDone(
        first.job_id, first.epoch, first.credential_id, "needs_reauth", first.generation + 1
    )
    rig.pool.listener.on_messages(0, [done])
    await rig.write(
        lambda conn: conn.execute(
            credential_table.update()
            .where(credential_table.c.id == first.credential_id)
            .values(needs_reauth=True, generation=first.generation + 1)
        )
    )
    await rig.settle()
    assert rig.engine.schedule.parked == 3
    await rig.write(partial(log_in_with, OTHER))
    await rig.look()
    assert rig.engine.schedule.parked == 0
    assert len(rig.running(WALLET, ONE)) == 1


async def test_a_credential_of_another_client_that_works_is_used_and_told(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know], client_id=OTHER) as rig:
        assert rig.running(WALLET)
        summary = rig.engine.status.summary()
        assert summary.needs_login == (ONE,)
        assert summary.sso_trouble == (
            f"{ONE} logged in with another client than [sso] client_id: log in again"
        )


async def test_a_login_makes_due_what_fails_of_its_character(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as rig:
        await rig.end(PROFILE)
        await rig.end(SKILLS)
        await rig.end(ORDERS)
        for failures in range(1, 8):
            await rig.end(WALLET, Outcome(Token.FAILED, reason="ESI refused it"), Transient())
            if failures < 7:
                await rig.advance(2.0**failures)
        assert rig.events(Failed)[-1].failures == 7
        assert not rig.running(WALLET)
        # The same generation is no login.
        await rig.look()
        assert not rig.running(WALLET)
        skills_due_s = due_in_s(rig)[SKILLS.name]
        await rig.write(log_in)
        await rig.look()
        assert rig.running(WALLET)
        assert due_in_s(rig)[SKILLS.name] == skills_due_s


# --- credentials that are gone ---


async def test_a_character_whose_credential_is_gone_needs_a_login_until_it_has_one(
    tmp_path: Path, empty_database: Path
) -> None:
    path = tmp_path / "x.db"
    async with open_rig(path, empty_database, [log_in, know]) as rig:
        await rig.end(WALLET)
        assert rig.engine.status.summary().needs_login == ()
        await rig.write(lambda connection: credentials.remove(connection, ONE.id))
        await rig.look()
        assert rig.engine.status.summary().needs_login == (ONE,)
    # The next scheduler knows it from the ledger.
    async with open_rig(path, empty_database) as rig:
        assert rig.engine.status.summary().needs_login == (ONE,)
        await rig.write(log_in)
        await rig.look()
        assert rig.engine.status.summary().needs_login == ()


async def test_a_corporation_that_nobody_opens_any_more_needs_a_login(
    tmp_path: Path, empty_database: Path
) -> None:
    def corporation(connection: Connection) -> None:
        enroll_subject(connection, CORP)
        ways.link(connection, CORP, old(connection, lasts=True), NOW)

    async with open_rig(tmp_path / "x.db", empty_database, [corporation, know]) as rig:
        assert rig.running(ASSETS)
        assert rig.engine.status.summary().needs_login == ()
        await rig.write(lambda connection: connection.execute(access_table.delete()))
        await rig.look()
        assert rig.engine.status.summary().needs_login == (CORP,)


async def test_a_corporation_that_is_mirrored_without_a_login_needs_none(
    tmp_path: Path, empty_database: Path
) -> None:
    prepare = [lambda connection: enroll_subject(connection, CORP)]
    async with open_rig(tmp_path / "x.db", empty_database, prepare) as rig:
        await rig.end(CORP_PROFILE)
        await rig.look()
        assert rig.engine.status.summary().needs_login == ()


async def failed_and_blocked(rig: Rig) -> None:
    """Let one job fail again and again, and another be blocked."""
    for failures in range(1, 9):
        await rig.end(WALLET, Outcome(Token.FAILED, reason="502"), Transient())
        if failures < 8:
            await rig.advance(600)
    await rig.end(SKILLS, Outcome(Token.BLOCKED, reason="missing role"))
    assert not rig.running(WALLET)


async def test_a_login_while_the_daemon_is_down_ends_backoffs_and_blocks(
    tmp_path: Path, empty_database: Path
) -> None:
    path = tmp_path / "logins.db"
    prepare: list[Callable[[Connection], object]] = [log_in, know]
    async with open_rig(path, empty_database, prepare) as rig:
        await failed_and_blocked(rig)
        ended = rig.clock.now()
        row = await rig.row(WALLET)
        assert row is not None
        assert row.consecutive_failures == 8

    def again(connection: Connection) -> None:
        log_in_again(connection, ended + timedelta(seconds=1))

    async with open_rig(path, empty_database, [again]) as rig:
        assert {WALLET.name, SKILLS.name} <= rig.kinds()
        entry = rig.engine.schedule.get(key(WALLET))
        assert entry is not None
        assert entry.failures == 0


async def test_a_login_while_the_daemon_runs_ends_backoffs_too(
    tmp_path: Path, empty_database: Path
) -> None:
    prepare: list[Callable[[Connection], object]] = [log_in, know]
    async with open_rig(tmp_path / "logins.db", empty_database, prepare) as rig:
        await failed_and_blocked(rig)
        rig.clock.advance(1)
        now = rig.clock.now()
        await rig.write(lambda c: log_in_again(c, now))
        await rig.look()
        assert {WALLET.name, SKILLS.name} <= rig.kinds()


def log_in_again(connection: Connection, now: datetime) -> None:
    """Store a new login of the same character to the same client."""
    credentials.save_login(
        connection, ONE.id, "c", ["wallet", "skills", "orders"], "a", "r",
        now + timedelta(days=2), now,
    )  # fmt: skip


@pytest.mark.parametrize(("prepared", "told"), [((), 1), ((two,), 0)])
async def test_a_daemon_that_nobody_is_logged_in_to_says_how_to_begin(
    tmp_path: Path,
    empty_database: Path,
    caplog: pytest.LogCaptureFixture,
    prepared: tuple[Callable[[Connection], object], ...],
    told: int,
) -> None:
    caplog.set_level(logging.INFO, "engine.app")
    async with open_rig(tmp_path / "x.db", empty_database, prepared):
        said = [record.getMessage() for record in caplog.records]
    assert said.count("nobody is logged in: `esisyncd login` brings a character") == told
