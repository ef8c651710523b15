"""Writes of the outbox and their tokens: what is refreshed for them, and what waits for that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, update

from ipc.messages import RunWrite
from ipc.outcome import TokenRejected
from jobs.store import credentials, outbox
from jobs.store.schema.core import credential as credential_table
from tests.unit.engine.engine_kinds import NOW, ONE, TWO
from tests.unit.engine.engine_rig import Rig, know, log_in, open_rig
from tests.unit.engine.test_engine_services import passes, until, wanted, written


@pytest.fixture
async def rig(tmp_path: Path, empty_database: Path) -> AsyncIterator[Rig]:
    """Two logged in characters, of whom no job is due for long."""
    prepare = [log_in, log_in_two, lambda c: know(c, ONE.id, TWO.id)]
    async with open_rig(tmp_path / "x.db", empty_database, prepare) as made:
        for job in made.running():
            await made.end(job)
        yield made


def log_in_two(connection: Connection) -> int:
    """Store the second character's credential."""
    return log_in(connection, TWO.id)


async def own(rig: Rig) -> credentials.Credential:
    """Return the first character's credential."""
    (one,) = await rig.database.read(lambda c: credentials.list_all(c, ONE.id))
    return one


async def change(rig: Rig, **values: object) -> None:
    """Change the first character's credential, as a worker or a login does, and look at it."""
    of = credential_table.c.character_id == ONE.id
    await rig.write(lambda c: c.execute(update(credential_table).where(of).values(**values)))
    await rig.look()


async def expire(rig: Rig) -> None:
    """Let the first character's token end within a write's deadline."""
    generation = (await own(rig)).generation + 1
    await change(rig, expires_at=rig.clock.now() + timedelta(seconds=30), generation=generation)


async def refresh(rig: Rig) -> None:
    """Answer the one refresh with a new token."""
    (work,) = rig.refreshes()
    expires_at = rig.clock.now() + timedelta(seconds=1200)
    await rig.refreshed("fresh", generation=work.generation + 1, expires_at=expires_at)


async def sent(rig: Rig) -> RunWrite:
    """Wait until the one write is out."""
    await until(rig, lambda: bool(rig.writes()))
    (work,) = rig.writes()
    return work


async def refuse(rig: Rig, generation: int | None = None) -> None:
    """Answer the one write as refused for its token; it is due again in two seconds."""
    work = await sent(rig)
    one = await own(rig)
    known = rig.engine.dispatcher.tokens._refreshes.get(one.id)
    assert known is not None
    reaction = TokenRejected(one.id, known.generation if generation is None else generation)
    await written(rig, work, "pending", reaction=reaction)


async def test_a_token_that_ends_too_soon_is_refreshed_before_the_write_goes_out(rig: Rig) -> None:
    await expire(rig)
    await rig.write(wanted)
    other = await rig.write(lambda c: outbox.append(c, TWO, "mail.send", "{}", "d", NOW, None))
    await passes(rig)
    assert [work.outbox_id for work in rig.writes()] == [other]
    assert [work.credential_id for work in rig.refreshes()] == [(await own(rig)).id]
    await written(rig, rig.writes()[0], "done")
    await refresh(rig)
    await sent(rig)
    assert not rig.refreshes()


async def test_those_that_wait_for_a_token_take_no_room(rig: Rig) -> None:
    await expire(rig)
    for number in range(40):
        await rig.write(partial(wanted, number=number))
    later = NOW + timedelta(milliseconds=1)
    await rig.write(lambda c: outbox.append(c, TWO, "mail.send", "{}", "d", later, None))
    await rig.advance(1)
    await passes(rig)
    assert len(rig.writes()) == 1
    assert len(rig.refreshes()) == 1


async def test_a_refused_token_is_refreshed_and_the_write_goes_out_at_once(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    await refuse(rig)
    assert [work.credential_id for work in rig.refreshes()] == [(await own(rig)).id]
    await refresh(rig)
    # No time has passed: the row's own wait is over with the refresh.
    await sent(rig)


async def test_refused_again_a_write_keeps_its_own_wait(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    for _ in range(2):
        await refuse(rig)
        await refresh(rig)
    await passes(rig)
    assert not rig.writes()
    await rig.advance(2)
    await passes(rig)
    await sent(rig)


async def test_a_token_refreshed_since_needs_no_refresh(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    await refuse(rig, (await own(rig)).generation - 1)
    assert not rig.refreshes()
    await sent(rig)


async def test_while_sso_is_away_a_refused_write_is_not_sent(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    await refuse(rig)
    await rig.refreshed("trouble", reason="SSO is away")
    await rig.advance(1.9)
    await passes(rig)
    assert not rig.refreshes()
    await rig.advance(0.2)
    await passes(rig)
    # Due, and not sent with a token that is known to be refused.
    assert not rig.writes()
    await refresh(rig)
    await sent(rig)


async def test_a_write_that_expires_is_not_kept(rig: Rig) -> None:
    await expire(rig)
    ends = NOW + timedelta(minutes=10)
    await rig.write(lambda c: outbox.append(c, ONE, "mail.send", "{}", "d", NOW, ends))
    await passes(rig)
    await rig.refreshed("trouble", reason="SSO is away")
    await rig.advance(600)
    await passes(rig)
    await sent(rig)


async def test_a_flagged_credential_leaves_the_write_waiting_until_a_login(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    await refuse(rig)
    generation = (await own(rig)).generation + 1
    await rig.refreshed("needs_reauth", generation=generation, reason="SSO refused it")
    await change(rig, needs_reauth=True, generation=generation)
    await rig.advance(300)
    await passes(rig)
    assert not rig.writes()
    assert not rig.refreshes()
    await change(rig, needs_reauth=False, generation=generation + 1)
    await sent(rig)
