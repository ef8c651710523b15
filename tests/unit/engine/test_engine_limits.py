"""Limits of ESI in the engine: what jobs leave with, and how they wait."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from engine.ramp import BURST
from ipc.commands import RunNow
from ipc.events import BackingOff, Paused
from ipc.messages import (
    Acquire,
    Allowance,
    Deny,
    ErrorsLeft,
    Grant,
    InDoubt,
    PauseRequests,
    Release,
    Spent,
    WriteDone,
)
from ipc.outcome import Outcome, PauseBucket, Token, Transient
from ipc.subject import Subject, SubjectType
from jobs.catalog import Catalog
from jobs.rates import PERSON
from jobs.spec import Route
from jobs.store import outbox
from tests.unit.engine.engine_kinds import NOW, ONE, PROFILE, key, kind, part
from tests.unit.engine.engine_rig import Rig, know, log_in, open_rig

NOTES = kind(
    "character.notes",
    every_s=300,
    parts=(part(scope="skills", route=Route("GET", "/n", rate_group="char-notification")),),
)
PLAIN = kind("character.plain", every_s=300, parts=(part(route=Route("GET", "/p")),))
STATUS = kind("global.server_status", every_s=60)
CATALOG = Catalog([PROFILE, NOTES, PLAIN, STATUS])
BUCKET = "char-notification:90000001"
OK = Outcome(Token.SYNCED, 1)


@pytest.fixture
async def rig(tmp_path: Path, empty_database: Path) -> AsyncIterator[Rig]:
    """One logged in character whose parent row exists."""
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know], catalog=CATALOG) as made:
        yield made


async def spend(rig: Rig, remaining: int, tokens: int = 2) -> None:
    """End the job with what ESI says is left."""
    await rig.end(NOTES, OK, spent=(Spent(BUCKET, tokens, remaining, 15, 900),))


async def test_a_job_leaves_with_an_allowance(rig: Rig) -> None:
    assert rig.one(NOTES).allowances == (Allowance(BUCKET, 5),)
    assert rig.one(PLAIN).allowances == ()


async def test_a_spent_limit_makes_the_job_wait_and_is_told(rig: Rig) -> None:
    await spend(rig, remaining=6)
    await rig.advance(301)
    assert not rig.running(NOTES)
    (event,) = rig.events(BackingOff)
    assert event.key == key(NOTES)
    stored = await rig.row(NOTES)
    assert stored is not None
    assert (stored.token, stored.consecutive_failures) == (Token.FAILED, 0)
    assert "char-notification:90000001 is spent" in (stored.last_reason or "")
    assert stored.last_success_at == NOW
    assert rig.engine.status.summary().limits == (BUCKET,)
    # What was spent comes back a window after it was heard of.
    await rig.advance(598)
    assert not rig.running(NOTES)
    await rig.advance(2)
    assert rig.running(NOTES)
    assert rig.engine.status.summary().limits == ()


async def test_a_person_may_use_the_reserve(rig: Rig) -> None:
    await spend(rig, remaining=8)
    await rig.advance(1)
    await rig.do(RunNow(ONE, "character.notes"))
    job = rig.one(NOTES)
    assert (job.priority, job.allowances) == (PERSON, (Allowance(BUCKET, 5),))
    await spend(rig, remaining=6)
    await rig.advance(300)
    assert not rig.running(NOTES)


async def test_a_refusal_holds_every_job_of_the_bucket(rig: Rig) -> None:
    until = NOW + timedelta(seconds=100)
    await rig.end(NOTES, Outcome(Token.FAILED), PauseBucket(BUCKET, until, 100))
    await rig.do(RunNow(ONE, "character.notes"))
    assert not rig.running(NOTES)
    await rig.advance(101)
    assert rig.running(NOTES)


async def test_what_a_job_was_short_of_holds_nobody_else(rig: Rig) -> None:
    until = NOW + timedelta(seconds=100)
    await rig.end(NOTES, Outcome(Token.FAILED), PauseBucket(BUCKET, until, 100, refused=False))
    await rig.do(RunNow(ONE, "character.notes"))
    assert rig.running(NOTES)


async def test_workers_borrow_over_their_pipes(rig: Rig) -> None:
    await spend(rig, remaining=13)
    say = rig.pool.listener.on_messages
    say(1, [Acquire(4, f"rate:{BUCKET}", 20)])
    assert rig.pool.sent[-1] == (1, Grant(4, 5))
    say(0, [Acquire(4, f"rate:{BUCKET}", 20)])
    lease = rig.pool.sent[-1][1]
    assert isinstance(lease, Deny)
    say(1, [Release(4, 2)])
    say(0, [Acquire(5, f"rate:{BUCKET}", 20)])
    assert rig.pool.sent[-1] == (0, Grant(5, 5))


async def test_what_a_write_hears_of_a_limit_is_known(rig: Rig) -> None:
    await rig.write(lambda c: outbox.append(c, ONE, "mail.send", "{}", "d", NOW, None))
    await rig.engine.drain.make_pass()
    (work,) = rig.writes()
    heard = Spent("char-social:1", 2, remaining=500, limit=600, window_s=900)
    done = WriteDone(work.job_id, work.epoch, work.outbox_id, "done", spent=(heard,))
    rig.pool.listener.on_messages(0, [done])
    assert rig.engine.budgets.get("char-social:1").left(rig.clock.monotonic_s()) == 500


async def test_a_dead_workers_job_has_spent_what_it_held(rig: Rig) -> None:
    budget = rig.engine.budgets.get(BUCKET)
    await spend(rig, remaining=13)
    await rig.advance(301)
    await rig.die(rig.one(NOTES))
    assert budget.lent == 5  # it runs again, alone
    assert budget.left(rig.clock.monotonic_s()) == 3


async def test_few_errors_left_hold_the_routes_that_share_the_limit(rig: Rig) -> None:
    await rig.end(PLAIN, OK)
    await spend(rig, remaining=13)
    await rig.advance(299)
    rig.pool.listener.on_messages(2, [ErrorsLeft(18, 40)])
    assert rig.pool.broadcasts == [
        PauseRequests(rig.clock.now() + timedelta(seconds=40), errors_only=True)
    ]
    rig.pool.listener.on_messages(1, [ErrorsLeft(17, 39)])
    assert len(rig.pool.broadcasts) == 1
    await rig.advance(2)
    assert rig.running(NOTES)
    assert not rig.running(PLAIN)
    assert rig.engine.status.summary().errors_left == 17
    await rig.advance(40)
    assert rig.running(PLAIN)


DOWN = Outcome(Token.FAILED, reason="it answered 503")


async def go_down(rig: Rig) -> None:
    """Have three routes answer 503."""
    await rig.end(STATUS, OK)
    await rig.end(NOTES, DOWN, Transient(), troubled=("GET /n", "GET /m"))
    await rig.end(PLAIN, DOWN, Transient(), troubled=("GET /p",))


async def test_a_run_of_trouble_holds_everything_and_fails_nobody_further(rig: Rig) -> None:
    await go_down(rig)
    summary = rig.engine.status.summary()
    assert summary.down_since == NOW
    assert (summary.failing, summary.in_flight) == (1, 1)
    stored = await rig.row(PLAIN)
    assert stored is not None
    assert (stored.token, stored.consecutive_failures) == (Token.FAILED, 0)
    assert rig.pool.broadcasts == [InDoubt(NOW + timedelta(minutes=25))]
    assert rig.events(Paused)[0].reason == "ESI is down"
    # What was under way when it began.
    await rig.end(PROFILE, DOWN, Transient(), troubled=("GET /c",))
    assert rig.engine.status.summary().failing == 1
    await rig.advance(9)
    assert rig.running() == []
    assert not rig.engine.dispatcher.is_open


async def test_one_job_finds_out_when_it_is_over(rig: Rig) -> None:
    await go_down(rig)
    await rig.end(PROFILE, DOWN, Transient(), troubled=("GET /c",))
    await rig.advance(10)
    assert rig.kinds() == {"global.server_status"}
    await rig.end(STATUS, DOWN, Transient(), troubled=("GET /status",))
    await rig.advance(19)
    assert rig.running() == []
    await rig.advance(1)
    await rig.end(STATUS, OK, answered=True)
    assert rig.engine.status.summary().down_since is None
    assert rig.pool.broadcasts[-1] == InDoubt(rig.clock.now() + timedelta(minutes=10))
    await rig.advance(1)
    assert rig.kinds() == {"character.notes", "character.plain", "character.profile"}
    rig.pool.listener.on_up(3, 1, 0.1)
    assert isinstance(rig.pool.sent[-1][1], InDoubt)


async def test_a_gate_nobody_opens_opens_by_itself(rig: Rig) -> None:
    await go_down(rig)
    await rig.end(PROFILE, DOWN, Transient(), troubled=("GET /c",))
    await rig.advance(900)
    assert rig.engine.status.summary().down_since is None
    assert "character.notes" in rig.kinds()


async def test_one_route_in_trouble_is_no_downtime(rig: Rig) -> None:
    await rig.end(NOTES, DOWN, Transient(), troubled=("GET /n",))
    await rig.end(PLAIN, OK, answered=True)
    await rig.advance(2.5)
    await rig.end(NOTES, DOWN, Transient(), troubled=("GET /n",))
    stored = await rig.row(NOTES)
    assert stored is not None
    assert stored.consecutive_failures == 2
    assert rig.engine.status.summary().down_since is None


async def test_what_has_piled_up_starts_slowly(tmp_path: Path, empty_database: Path) -> None:
    numbers = range(90_000_001, 90_000_101)
    logins = [partial(log_in, number=number) for number in numbers]
    async with open_rig(
        tmp_path / "x.db",
        empty_database,
        [*logins, lambda connection: know(connection, *numbers)],
        catalog=CATALOG,
        slots=1000,
    ) as rig:
        assert len(rig.running()) == BURST
        started = []
        for _ in range(60):
            before = len(rig.running())
            await rig.advance(0.1)
            started.append(len(rig.running()) - before)
        assert sum(started[:10]) <= 70
        assert max(sum(started[at : at + 10]) for at in range(50)) < 200
        assert len(rig.running()) == 301
        # Nothing is left of it; what somebody makes due at one moment does not all start there.
        for work in rig.running():
            await rig.end(work)
        for number in numbers:
            await rig.do(RunNow(Subject(SubjectType.CHARACTER, number)))
        started = [len(rig.running())]
        for _ in range(30):
            before = len(rig.running())
            await rig.advance(0.1)
            started.append(len(rig.running()) - before)
        assert max(sum(started[at : at + 10]) for at in range(20)) < 200
        assert len(rig.running()) == 300


async def test_a_job_that_goes_on_tells_what_it_heard_when_it_borrows(rig: Rig) -> None:
    say = rig.pool.listener.on_messages
    say(1, [Acquire(4, f"rate:{BUCKET}", 20)])
    assert isinstance(rig.pool.sent[-1][1], Deny)
    say(1, [Acquire(5, f"rate:{BUCKET}", 20, 0, Spent(BUCKET, 2, 13, 15, 900))])
    assert rig.pool.sent[-1] == (1, Grant(5, 5))
    budget = rig.engine.budgets.get(BUCKET)
    assert budget.left(rig.clock.monotonic_s()) == 15 - 5 - 5
