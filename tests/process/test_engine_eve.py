"""The engine against a simulated EVE: one refresh for all, and writes that a crash cut off."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection

from ipc.clock import SystemClock
from ipc.commands import Drain
from ipc.events import Finished, OutboxDone, OutboxInflight, OutboxRetrying, WorkerUp
from ipc.settings import Engine, Esi, Images, Settings, Sso
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store import credentials, outbox, outbox_rows, upgrade
from simulator.config import SimulatorConfig
from simulator.faults import FaultRule
from simulator.serve import RunningEve, start
from tests.process.engine_house import TIMINGS, House, empty_house, kill

pytestmark = pytest.mark.process

ONE = Subject(SubjectType.CHARACTER, 90_000_001)
SENT = "POST /characters/{character_id}/mail"
LETTER = {
    "recipients": [{"recipient_id": 90_000_002, "recipient_type": "character"}],
    "subject": "A letter",
    "body": "With a body",
}


@contextlib.asynccontextmanager
async def open_eve(folder: Path) -> AsyncIterator[tuple[House, RunningEve]]:
    """A simulated EVE and a house whose scheduler mirrors it."""
    async with await start(SimulatorConfig(characters=2, rate_limits=False)) as eve:
        settings = Settings(
            data_dir=str(folder),
            esi=Esi(base_url=eve.urls.esi, contact="tests@example.org"),
            sso=Sso(base_url=eve.urls.sso, client_id="simulated-client"),
            images=Images(base_url=eve.urls.images),
            engine=Engine(workers=2, jobs_per_worker=4),
            timings=msgspec.structs.replace(TIMINGS, drain_interval_s=0.2),
        )
        await asyncio.to_thread(upgrade.prepare, settings.database_url)
        async with empty_house(settings) as house:
            yield house, eve


async def log_in(house: House, eve: RunningEve, *, ends_in_s: float) -> None:
    """Store the first character's credential, with a token that ends then."""
    made = eve.services.control.tokens(ONE.id, access=True)
    scopes = made["scopes"]
    assert isinstance(scopes, list | tuple)
    now = SystemClock().now()

    def save(connection: Connection) -> int:
        return credentials.save_login(
            connection,
            ONE.id,
            house.settings.sso.client_id,
            scopes,
            str(made["access_token"]),
            str(made["refresh_token"]),
            now + timedelta(seconds=ends_in_s),
            now,
        )

    async with house.database() as database:
        await database.write(save, epoch=None)


def refreshes(eve: RunningEve) -> int:
    """Return how often SSO was asked for a token."""
    counts = eve.services.traffic.report(0)["counts"]
    assert isinstance(counts, dict)
    return sum(
        sum(by_status.values()) for route, by_status in counts["sso"].items() if "token" in route
    )


async def append(house: House, key: str = "letter") -> int:
    """Ask for a mail to be sent."""
    now: datetime = SystemClock().now()
    body = msgspec.json.encode(LETTER).decode()
    async with house.database() as database:
        return await database.write(
            lambda c: outbox.append(c, ONE, "mail.send", body, key, now, None), epoch=None
        )


async def status_of(house: House, row_id: int) -> str:
    """Return the status of an outbox row."""
    async with house.database() as database:
        row = await database.read(lambda c: outbox_rows.get(c, row_id))
    assert row is not None
    return row.status


def sent(eve: RunningEve) -> int:
    """Return how many mails took effect."""
    return sum(effect.route == SENT for effect in eve.services.traffic.effects)


async def test_all_jobs_of_a_character_share_one_refresh(tmp_path: Path) -> None:
    async with open_eve(tmp_path) as (house, eve):
        await log_in(house, eve, ends_in_s=30)
        await house.start()
        for kind in ("character.wallet", "character.skills", "character.assets"):
            await house.event(Finished, JobKey(kind, ONE))
        assert refreshes(eve) == 1


async def test_a_mail_cut_off_by_the_schedulers_death_is_sent_once(tmp_path: Path) -> None:
    async with open_eve(tmp_path) as (house, eve):
        await log_in(house, eve, ends_in_s=1200)
        # It takes effect, and the answer never comes.
        eve.services.faults.add(
            FaultRule(
                path=f"/characters/{ONE.id}/mail", method="POST", apply=True, delay_s=60, times=1
            )
        )
        row_id = await append(house)
        await house.start()
        await house.do(Drain())
        await house.until("the mail at ESI", lambda: sent(eve) == 1)
        await house.kill()
        assert await status_of(house, row_id) == "inflight"
        await house.start()
        # Who looks at once may not see it in ESI's cached lists yet, and looks again after 35 s.
        await house.until("the mail found", lambda: bool(house.of(OutboxDone)), 120)
        assert sent(eve) == 1
        assert await status_of(house, row_id) == "done"


async def test_a_mail_cut_off_by_its_workers_death_is_looked_for_and_not_sent_again(
    tmp_path: Path,
) -> None:
    async with open_eve(tmp_path) as (house, eve):
        await log_in(house, eve, ends_in_s=1200)
        eve.services.faults.add(
            FaultRule(
                path=f"/characters/{ONE.id}/mail", method="POST", apply=True, delay_s=60, times=1
            )
        )
        await house.start()
        await append(house)
        await house.do(Drain())
        await house.until("the mail at ESI", lambda: sent(eve) == 1)
        for up in house.of(WorkerUp):
            kill(up.pid)
        # Found at the first look, or looked for again when ESI's cache allows.
        await house.until("a look", lambda: bool(house.of(OutboxDone) or house.of(OutboxRetrying)))
        assert all("looking for it" in event.reason for event in house.of(OutboxRetrying))
        assert sent(eve) == 1


async def test_slow_writes_do_not_hold_jobs_up(tmp_path: Path) -> None:
    async with open_eve(tmp_path) as (house, eve):
        await log_in(house, eve, ends_in_s=1200)
        skills = JobKey("character.skills", ONE)
        # The first of a kind tells from which limits it spends; the others wait for that.
        await append(house, "the first letter")
        await house.start()
        await house.event(OutboxDone)
        await house.event(Finished, skills)
        eve.services.faults.add(
            FaultRule(path=f"/characters/{ONE.id}/mail", method="POST", delay_s=60)
        )
        # More than both workers together take of jobs.
        for number in range(12):
            await append(house, f"letter {number}")
        await house.until("all of them out", lambda: len(house.of(OutboxInflight)) == 13)
        await house.run_now(skills)
        await house.event(Finished, skills, count=2)
        # The letters are out still: none is answered, and some are not given up either.
        assert len(house.of(OutboxDone)) == 1
        assert len(house.of(OutboxRetrying)) < 12
