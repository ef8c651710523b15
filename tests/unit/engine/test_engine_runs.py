"""What becomes of jobs: outcomes, errors, triggers, parents, tokens, suspects, deadlines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.policy import BLOCKED_LOOK_S
from ipc.commands import RunNow, Withdraw
from ipc.events import BackingOff, Failed, Finished, Paused, Scheduled, Started
from ipc.messages import JobDone, PauseRequests, RunJob
from ipc.outcome import (
    AnyReaction,
    Cancelled,
    NeedsLogin,
    NotReadyYet,
    NotThere,
    Outcome,
    PauseAll,
    PauseBucket,
    Token,
    TokenRejected,
    Transient,
)
from ipc.subject import GLOBAL
from jobs.store import credentials, pauses
from jobs.store.schema.core import credential as credential_table
from tests.unit.engine.engine_kinds import (
    NET_WORTH,
    NOW,
    ONE,
    ORDERS,
    PRICES,
    PROFILE,
    SKILLS,
    TWO,
    WALLET,
    key,
)
from tests.unit.engine.engine_rig import Rig, know, log_in, open_rig

# Newer than what a login stores.
GENERATION = 4_000_000_000
BROKEN = Outcome(Token.FAILED, reason="it broke")


@pytest.fixture
async def rig(tmp_path: Path, empty_database: Path) -> AsyncIterator[Rig]:
    """One logged in character whose parent row exists."""
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as made:
        yield made


async def test_an_enrolled_job_runs_and_its_end_is_told_stored_and_scheduled(rig: Rig) -> None:
    await rig.end(WALLET, Outcome(Token.SYNCED, 42), changed=True)
    assert rig.of_job(WALLET) == ["Started", "Finished", "Scheduled"]
    stored = await rig.row(WALLET)
    assert stored is not None
    assert (stored.token, stored.rows_touched, stored.consecutive_failures) == (Token.SYNCED, 42, 0)
    assert stored.last_success_at == stored.last_attempt_at == stored.last_changed_at == NOW
    assert stored.next_eligible_at == NOW + timedelta(hours=1)
    (scheduled,) = [e for e in rig.events(Scheduled) if e.key == key(WALLET)]
    assert scheduled.next_in_s == 3600


async def test_a_look_that_found_nothing_new_moves_one_of_two_times(rig: Rig) -> None:
    await rig.end(WALLET, Outcome(Token.SYNCED, 42), changed=True)
    await rig.advance(3600)
    await rig.end(WALLET, Outcome(Token.SYNCED, 0), changed=False)
    stored = await rig.row(WALLET)
    assert stored is not None
    assert (stored.last_changed_at, stored.last_success_at) == (NOW, NOW + timedelta(hours=1))


async def test_the_scheduled_event_follows_the_commit(rig: Rig) -> None:
    async with rig.engine.turns.housekeeping():
        job = rig.one(WALLET)
        done = JobDone(job.job_id, job.attempt, job.epoch, Outcome(Token.EMPTY), 0.1)
        rig.pool.listener.on_messages(0, [done])
        del rig.pool.work[job.job_id]
        rig.engine.outlet.flush()
        assert rig.of_job(WALLET) == ["Started", "Finished"]
        assert await rig.row(WALLET) is None
    await rig.settle()
    assert rig.of_job(WALLET) == ["Started", "Finished", "Scheduled"]


async def test_an_empty_outcome_comes_again_at_the_interval(rig: Rig) -> None:
    await rig.end(WALLET, Outcome(Token.EMPTY))
    await rig.advance(3599)
    assert not rig.running(WALLET)
    await rig.advance(1)
    assert rig.running(WALLET)


async def test_a_failure_is_told_and_keeps_the_last_success(rig: Rig) -> None:
    await rig.end(WALLET)
    await rig.advance(3600)
    await rig.end(WALLET, BROKEN, Transient())
    (failed,) = rig.events(Failed)
    assert (failed.reason, failed.failures, failed.parked) == ("it broke", 1, False)
    stored = await rig.row(WALLET)
    assert stored is not None
    assert (stored.token, stored.last_reason, stored.consecutive_failures) == (
        Token.FAILED,
        "it broke",
        1,
    )
    assert stored.last_success_at == NOW
    assert stored.next_eligible_at == rig.clock.now() + timedelta(seconds=2)


async def test_a_first_failure_has_no_success_time(rig: Rig) -> None:
    await rig.end(WALLET, BROKEN, Transient())
    stored = await rig.row(WALLET)
    assert stored is not None
    assert stored.last_success_at is None


async def test_a_streak_backs_off_and_a_success_ends_it(rig: Rig) -> None:
    for wait_s in (2, 4, 8):
        await rig.end(WALLET, BROKEN, Transient())
        await rig.advance(wait_s - 0.1)
        assert not rig.running(WALLET)
        await rig.advance(0.1)
    assert rig.one(WALLET).attempt == 4
    assert rig.engine.status.summary().failing == 1
    await rig.end(WALLET)
    assert rig.engine.status.summary().failing == 0


async def test_a_streak_outlives_the_scheduler(tmp_path: Path, empty_database: Path) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as first:
        await first.end(WALLET, BROKEN, Transient())
        await first.advance(2)
        await first.end(WALLET, BROKEN, Transient())
    async with open_rig(tmp_path / "x.db", empty_database) as second:
        await second.advance(10)
        assert second.one(WALLET).attempt == 3


async def test_what_does_not_exist_is_asked_for_less_and_less_often_over_lives_too(
    tmp_path: Path, empty_database: Path
) -> None:
    absent, waits = Outcome(Token.FAILED, reason="404"), []

    async def end(rig: Rig, outcome: Outcome, reaction: AnyReaction) -> None:
        await rig.end(PROFILE, outcome, reaction)
        row = await rig.row(PROFILE)
        assert row is not None
        assert row.next_eligible_at is not None
        waits.append((row.next_eligible_at - row.last_attempt_at).total_seconds())
        await rig.advance(waits[-1])

    async with open_rig(tmp_path / "x.db", empty_database, [log_in]) as first:
        for _ in range(11):
            await end(first, absent, NotThere())
    async with open_rig(tmp_path / "x.db", empty_database) as second:
        # Its clock begins anew: as late as the last one had planned to ask again.
        await second.advance(sum(waits))
        for _ in range(8):
            await end(second, absent, NotThere())
        # Trouble of another sort says nothing about what is there.
        await end(second, BROKEN, Transient())
        await end(second, absent, NotThere())
    assert waits[:11] == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]
    assert waits[11:19] == [4096, 8192, 16384, 32768, 65536, 86400, 86400, 86400]
    assert waits[19:] == [300, 300]


async def test_who_asks_for_what_did_not_exist_does_not_make_it_wait_longer(rig: Rig) -> None:
    absent = Outcome(Token.FAILED, reason="404")

    async def wait_after_end() -> float:
        await rig.end(PROFILE, absent, NotThere())
        row = await rig.row(PROFILE)
        assert row is not None
        assert row.next_eligible_at is not None
        return (row.next_eligible_at - row.last_attempt_at).total_seconds()

    for planned_s in (2, 4, 8):
        assert await wait_after_end() == planned_s
        await rig.advance(planned_s)
    assert await wait_after_end() == 16
    await rig.advance(1)
    await rig.do(RunNow(ONE, PROFILE.name))
    assert await wait_after_end() == 2


async def test_429_holds_this_job_only(rig: Rig) -> None:
    until = NOW + timedelta(seconds=30)
    await rig.end(WALLET, BROKEN, PauseBucket("b", until, 30))
    (event,) = rig.events(BackingOff)
    assert event.retry_s == 30
    stored = await rig.row(WALLET)
    assert stored is not None
    assert (stored.token, stored.consecutive_failures) == (Token.FAILED, 0)
    assert rig.running(SKILLS)
    await rig.end(PROFILE)
    await rig.advance(29)
    assert not rig.running(WALLET)
    await rig.advance(1)
    assert rig.running(WALLET)


async def test_420_holds_everything_and_is_stored(rig: Rig) -> None:
    await rig.end(SKILLS)
    until = NOW + timedelta(seconds=300)
    await rig.end(WALLET, BROKEN, PauseAll(until, 300))
    assert rig.events(BackingOff)[0].retry_s == 300
    assert rig.events(Paused)[0].until == until
    assert rig.pool.broadcasts == [PauseRequests(until)]
    stored = await rig.database.read(lambda connection: pauses.load(connection, NOW))
    assert stored["all"][0] == until
    await rig.advance(200)
    assert not rig.running(SKILLS)
    assert not rig.running(WALLET)
    assert rig.engine.status.summary().paused_until == until
    await rig.advance(100)
    assert rig.running(SKILLS)
    assert rig.running(WALLET)


async def test_a_later_shorter_window_does_not_replace_a_longer_one(rig: Rig) -> None:
    await rig.end(WALLET, BROKEN, PauseAll(NOW + timedelta(seconds=300), 300))
    await rig.end(PROFILE, BROKEN, PauseAll(NOW + timedelta(seconds=5), 5))
    await rig.advance(299)
    assert not rig.running(WALLET)
    assert not rig.running(PROFILE)


async def test_a_window_outlives_the_scheduler(tmp_path: Path, empty_database: Path) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as first:
        until = NOW + timedelta(seconds=300)
        await first.end(WALLET, BROKEN, PauseAll(until, 300))
    async with open_rig(tmp_path / "x.db", empty_database) as second:
        assert not second.running()
        second.pool.listener.on_up(0, 4711, 0.1)
        assert second.pool.sent == [(0, PauseRequests(until))]
        await second.advance(300)
        assert second.running(SKILLS)


async def test_not_ready_is_retried_shortly_without_an_event(rig: Rig) -> None:
    await rig.end(WALLET, Outcome(Token.NOT_READY), NotReadyYet())
    assert not [e for e in rig.events(Finished) if e.key == key(WALLET)]
    assert not rig.events(Failed)
    stored = await rig.row(WALLET)
    assert stored is not None
    assert stored.token is Token.NOT_READY
    await rig.advance(3)
    assert rig.running(WALLET)


async def test_a_pending_outcome_is_told_and_looked_at_again(rig: Rig) -> None:
    await rig.end(WALLET, Outcome(Token.BLOCKED, reason="missing role"))
    assert [e for e in rig.events(Finished) if e.key == key(WALLET)]
    await rig.advance(120)
    assert rig.running(WALLET)


async def test_a_job_without_a_usable_login_is_parked_until_the_credential_changes(
    rig: Rig,
) -> None:
    (credential,) = await rig.database.read(credentials.list_all)
    await rig.end(WALLET, BROKEN, NeedsLogin(credential.id, credential.generation))
    assert rig.events(Failed)[-1].parked
    await rig.look()
    await rig.advance(90_000)
    assert not rig.running(WALLET)
    stored = await rig.row(WALLET)
    assert stored is not None
    assert (stored.parked_reason, stored.next_eligible_at) == ("it broke", None)
    await rig.write(log_in)
    await rig.look()
    assert rig.one(WALLET).attempt == 1


async def test_a_parked_job_stays_parked_at_the_next_launch(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as first:
        (credential,) = await first.database.read(credentials.list_all)
        await first.end(WALLET, BROKEN, NeedsLogin(credential.id, credential.generation))
    async with open_rig(tmp_path / "x.db", empty_database) as second:
        await second.advance(90_000)
        assert not second.running(WALLET)
        assert second.engine.schedule.parked == 1


async def test_run_now_ends_a_park_and_a_streak(rig: Rig) -> None:
    await rig.end(WALLET, BROKEN, NeedsLogin(1, 5))
    answer = await rig.do(RunNow(ONE, WALLET.name))
    assert answer.ok
    assert rig.one(WALLET).attempt == 1


async def test_run_now_reruns_every_job_of_a_subject(rig: Rig) -> None:
    while jobs := rig.running():
        await rig.end(jobs[0])
    await rig.do(RunNow(ONE))
    assert rig.kinds() == {PROFILE.name, WALLET.name, SKILLS.name, ORDERS.name}


async def test_run_now_of_a_job_in_flight_runs_it_once_more(rig: Rig) -> None:
    await rig.do(RunNow(ONE, WALLET.name))
    await rig.do(RunNow(ONE, WALLET.name))
    assert len(rig.running(WALLET)) == 1
    await rig.end(WALLET)
    assert len(rig.running(WALLET)) == 1
    await rig.end(WALLET)
    assert not rig.running(WALLET)


async def test_run_now_of_what_is_not_mirrored_is_refused(rig: Rig) -> None:
    answer = await rig.do(RunNow(TWO))
    assert (answer.ok, answer.text) == (False, "character:90000002 is not mirrored")


# --- triggers ---


async def test_a_success_makes_its_triggers_due(rig: Rig) -> None:
    await rig.end(WALLET)
    await rig.advance(10)
    await rig.end(PROFILE)
    assert rig.running(WALLET)


@pytest.mark.parametrize("token", [Token.BLOCKED, Token.NOT_READY, Token.SKIPPED, Token.FAILED])
async def test_what_is_no_success_triggers_nothing(rig: Rig, token: Token) -> None:
    await rig.end(WALLET)
    await rig.advance(10)
    await rig.end(PROFILE, Outcome(token, reason="x"))
    assert not rig.running(WALLET)


async def test_a_trigger_for_a_job_in_flight_runs_it_once_more(rig: Rig) -> None:
    await rig.end(PROFILE)
    assert len(rig.running(WALLET)) == 1
    await rig.end(WALLET)
    assert len(rig.running(WALLET)) == 1


async def test_a_global_kind_is_triggered_for_the_subjects_that_changed(rig: Rig) -> None:
    await rig.end(NET_WORTH)
    await rig.end(WALLET)
    await rig.advance(59)
    assert not rig.running(NET_WORTH)
    await rig.advance(1)
    assert rig.one(NET_WORTH).subjects == (ONE,)
    await rig.end(NET_WORTH)
    entry = rig.engine.schedule.get(key(NET_WORTH))
    assert entry is not None
    # The full run keeps its time.
    assert entry.due_s == pytest.approx(rig.clock.monotonic_s() + 86_400 - 60)
    await rig.advance(86_400 - 60)
    assert rig.one(NET_WORTH).subjects == ()


async def test_a_trigger_during_a_global_run_is_carried_to_the_next(rig: Rig) -> None:
    await rig.end(WALLET)
    await rig.end(NET_WORTH)
    assert not rig.running(NET_WORTH)
    await rig.advance(60)
    assert rig.one(NET_WORTH).subjects == (ONE,)


async def test_a_partial_run_that_failed_keeps_its_subjects(rig: Rig) -> None:
    await rig.end(NET_WORTH)
    await rig.end(WALLET)
    await rig.advance(60)
    await rig.end(NET_WORTH, BROKEN, Transient())
    await rig.advance(2)
    assert rig.one(NET_WORTH).subjects == (ONE,)


async def test_jobs_that_another_one_named_are_due(rig: Rig) -> None:
    await rig.end(WALLET)
    await rig.end(SKILLS, due=(key(WALLET),))
    assert rig.running(WALLET)


# --- parents ---


async def test_jobs_wait_for_the_parent_row_and_the_profile_releases_them(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in]) as rig:
        assert {job.key.kind for job in rig.running() if job.key.subject == ONE} == {PROFILE.name}
        await rig.do(RunNow(ONE))
        assert not rig.running(WALLET)
        await rig.end(PROFILE)
        assert rig.running(WALLET)
        assert rig.running(SKILLS)


async def test_a_profile_that_fails_releases_nothing(tmp_path: Path, empty_database: Path) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in]) as rig:
        await rig.end(PROFILE, BROKEN, Transient())
        assert not rig.running(WALLET)


# --- tokens ---


async def expire(rig: Rig) -> int:
    """Let the token end within a job's deadline; return the credential's id."""
    (credential,) = await rig.database.read(credentials.list_all)
    ends_at = rig.clock.now() + timedelta(seconds=60)
    await rig.write(
        lambda connection: connection.execute(
            credential_table.update().values(expires_at=ends_at, generation=GENERATION)
        )
    )
    await rig.look()
    return credential.id


async def due_with_old_token(rig: Rig) -> int:
    """Have two private jobs of one character due with a token that is about to end."""
    for of in (WALLET, SKILLS, ORDERS):
        await rig.end(of)
    number = await expire(rig)
    await rig.do(RunNow(ONE, WALLET.name))
    await rig.do(RunNow(ONE, SKILLS.name))
    return number


async def test_one_refresh_runs_and_all_jobs_of_the_credential_wait_for_it(rig: Rig) -> None:
    number = await due_with_old_token(rig)
    (refresh,) = rig.refreshes()
    assert (refresh.credential_id, refresh.generation) == (number, GENERATION)
    assert not rig.running(WALLET)
    assert not rig.running(SKILLS)
    expires_at = rig.clock.now() + timedelta(seconds=1200)
    await rig.refreshed("fresh", generation=GENERATION + 1, expires_at=expires_at)
    assert rig.running(WALLET)
    assert rig.running(SKILLS)
    assert not rig.refreshes()


async def test_what_an_audit_names_is_tried_one_after_the_other(rig: Rig) -> None:
    await rig.write(lambda connection: log_in(connection, TWO.id))
    await rig.look()
    first, second = sorted(one.id for one in await rig.database.read(credentials.list_all))
    await rig.end(PROFILE, refresh=(first, second, 4711))
    assert [work.credential_id for work in rig.refreshes()] == [first]
    await rig.refreshed("refused", reason="SSO refused it")
    assert [work.credential_id for work in rig.refreshes()] == [second]
    await rig.refreshed("fresh", generation=GENERATION + 1)
    assert not rig.refreshes()


async def test_an_audit_ends_when_sso_is_ill(rig: Rig) -> None:
    await rig.write(lambda connection: log_in(connection, TWO.id))
    await rig.look()
    first, second = sorted(one.id for one in await rig.database.read(credentials.list_all))
    await rig.end(PROFILE, refresh=(first, second))
    await rig.refreshed("trouble", reason="SSO is away")
    assert not rig.refreshes()


async def test_an_audit_leaves_a_refresh_alone_that_runs_for_a_job(rig: Rig) -> None:
    number = await due_with_old_token(rig)
    await rig.end(PROFILE, refresh=(number,))
    assert len(rig.refreshes()) == 1


async def test_public_jobs_do_not_wait_for_a_refresh(rig: Rig) -> None:
    await rig.end(PROFILE)
    await due_with_old_token(rig)
    await rig.do(RunNow(ONE, PROFILE.name))
    assert rig.running(PROFILE)


async def test_a_refused_login_parks_what_waited_for_it(rig: Rig) -> None:
    await due_with_old_token(rig)
    await rig.refreshed("needs_reauth", generation=GENERATION + 1, reason="SSO refused it")
    assert not rig.running(WALLET)
    assert rig.engine.schedule.parked == 2
    assert all(failed.parked for failed in rig.events(Failed))
    stored = await rig.row(WALLET)
    assert stored is not None
    assert (stored.parked_reason, stored.parked_generation) == ("SSO refused it", GENERATION + 1)


async def test_a_first_refusal_parks_nothing_and_is_asked_about_again(rig: Rig) -> None:
    await due_with_old_token(rig)
    await rig.refreshed("refused", reason="SSO refused it")
    assert rig.engine.schedule.parked == 0
    await rig.advance(60)
    assert not rig.refreshes()
    await rig.advance(1)
    assert len(rig.refreshes()) == 1


async def test_trouble_with_a_refresh_backs_off_and_is_not_repeated_for_each_job(rig: Rig) -> None:
    await due_with_old_token(rig)
    await rig.refreshed("trouble", reason="SSO is away")
    assert {failed.failures for failed in rig.events(Failed)} == {1}
    await rig.do(RunNow(ONE, WALLET.name))
    assert not rig.refreshes()
    await rig.advance(2)
    assert len(rig.refreshes()) == 1


async def test_a_rejected_token_is_refreshed_before_the_job_runs_again(rig: Rig) -> None:
    (credential,) = await rig.database.read(credentials.list_all)
    reaction = TokenRejected(credential.id, credential.generation)
    await rig.end(WALLET, BROKEN, reaction)
    await rig.advance(2)
    assert len(rig.refreshes()) == 1
    assert not rig.running(WALLET)
    await rig.refreshed("fresh", generation=credential.generation + 1, expires_at=None)
    # SSO named no end: it is trusted for a while.
    assert rig.running(WALLET)
    assert not rig.refreshes()


async def test_a_refresh_whose_worker_died_is_made_again(rig: Rig) -> None:
    await due_with_old_token(rig)
    (refresh,) = rig.refreshes()
    await rig.die(refresh)
    await rig.advance(2)
    assert len(rig.refreshes()) == 1


# --- deaths and deadlines ---


async def test_jobs_of_a_dead_worker_run_again_alone_one_at_a_time(rig: Rig) -> None:
    lost = [rig.one(WALLET), rig.one(SKILLS)]
    await rig.die(*lost)
    assert len(rig.pool.alone) == 1
    (alone,) = (job for job in rig.running() if job.job_id in rig.pool.alone)
    await rig.end(alone)
    assert len(rig.pool.alone) == 2
    (second,) = (job for job in rig.running() if job.job_id in rig.pool.alone and job is not alone)
    assert {alone.key.kind, second.key.kind} == {WALLET.name, SKILLS.name}
    await rig.end(second)
    assert not rig.events(Failed)
    assert rig.engine.schedule.failing == 0


async def test_a_job_that_kills_its_worker_three_times_alone_is_parked(rig: Rig) -> None:
    ids = [rig.one(WALLET).job_id]
    await rig.die(rig.one(WALLET))
    for strike in (1, 2, 3):
        await rig.advance(300)
        job = rig.one(WALLET)
        assert job.job_id in rig.pool.alone
        ids.append(job.job_id)
        await rig.die(job)
        assert rig.events(Failed)[-1].parked is (strike == 3)
    assert set(rig.pool.explained) == set(ids)
    stored = await rig.row(WALLET)
    assert stored is not None
    assert (stored.strikes, stored.parked_generation) == (3, None)
    assert "ended its worker 3 times" in str(stored.parked_reason)
    await rig.advance(90_000)
    assert not rig.running(WALLET)


async def test_a_proper_end_clears_the_strikes(rig: Rig) -> None:
    await rig.die(rig.one(WALLET))
    await rig.die(rig.one(WALLET))
    await rig.advance(300)
    await rig.end(WALLET)
    stored = await rig.row(WALLET)
    assert stored is not None
    assert stored.strikes == 0
    await rig.advance(3600)
    assert rig.one(WALLET).job_id not in rig.pool.alone


async def test_what_the_forkserver_took_along_is_no_suspect(rig: Rig) -> None:
    await rig.die(rig.one(WALLET), rig.one(SKILLS), innocent=True)
    assert not rig.pool.alone
    assert rig.running(WALLET)
    assert rig.one(WALLET).attempt == 1


async def test_a_job_that_runs_alone_hides_no_other_that_is_over_its_deadline(rig: Rig) -> None:
    """The lone worker may have to be started first, so its job has longer."""
    await rig.die(rig.one(WALLET))
    assert rig.one(WALLET).job_id in rig.pool.alone
    await rig.end(SKILLS)
    await rig.do(RunNow(ONE, SKILLS.name))
    stuck = rig.one(SKILLS)
    assert rig.one(WALLET).deadline_s == stuck.deadline_s
    await rig.advance(stuck.deadline_s + 1)
    cancelled = {job_id for job_id, _ in rig.pool.cancelled}
    assert stuck.job_id in cancelled
    assert not cancelled & rig.pool.alone


async def test_a_job_over_its_deadline_is_cancelled_and_then_its_worker_is_killed(
    rig: Rig,
) -> None:
    stuck, neighbour = rig.one(WALLET), rig.one(SKILLS)
    await rig.advance(119)
    assert not rig.pool.cancelled
    await rig.advance(2)
    assert (stuck.job_id, "deadline") in rig.pool.cancelled
    await rig.end(neighbour, BROKEN, Cancelled())
    for job in rig.running():
        if job is not stuck:
            await rig.end(job, BROKEN, Cancelled())
    await rig.advance(5)
    assert rig.pool.killed == [stuck.job_id]
    # What was started meanwhile on the same worker is not to blame.
    innocent = rig.one(SKILLS)
    await rig.die(stuck, innocent)
    assert rig.events(Failed)[-1].reason == "ran over its deadline and did not end"
    assert rig.running(SKILLS)
    assert rig.one(SKILLS).job_id not in rig.pool.alone


async def test_late_and_foreign_answers_are_passed_over(rig: Rig) -> None:
    job = rig.one(WALLET)
    for answer in (
        JobDone(job.job_id, job.attempt + 1, job.epoch, Outcome(Token.SYNCED), 0.1),
        JobDone(job.job_id, job.attempt, job.epoch - 1, Outcome(Token.SYNCED), 0.1),
        JobDone(99_999, job.attempt, job.epoch, Outcome(Token.SYNCED), 0.1),
    ):
        rig.pool.listener.on_messages(0, [answer])
    await rig.settle()
    assert not rig.events(Finished)
    await rig.end(job)
    rig.pool.listener.on_messages(
        0, [JobDone(job.job_id, job.attempt, job.epoch, Outcome(Token.SYNCED), 0.1)]
    )
    await rig.settle()
    assert len([e for e in rig.events(Finished) if e.key == key(WALLET)]) == 1


# --- dispatch ---


async def test_no_more_jobs_go_out_than_the_pool_takes(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know], slots=2) as rig:
        assert len(rig.running()) == 2
        await rig.end(rig.running()[0])
        assert len(rig.running()) == 2


async def test_jobs_of_several_characters_run_at_the_same_time(
    tmp_path: Path, empty_database: Path
) -> None:
    prepare = [
        log_in,
        lambda connection: log_in(connection, TWO.id),
        lambda connection: know(connection, ONE.id, TWO.id),
    ]
    async with open_rig(tmp_path / "x.db", empty_database, prepare, slots=20) as rig:
        assert {job.key.subject for job in rig.running()} == {ONE, TWO, GLOBAL}


async def test_a_job_that_falls_due_during_a_look_wakes_the_next_one(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock goes on between the look at what is due and the setting of the timer."""
    await rig.end(WALLET)
    entry = rig.engine.schedule.get(key(WALLET))
    assert entry is not None
    due_s = entry.due_s
    # An instant too early for the look, and late enough to be past when the timer is set.
    times = iter([due_s - 1e-6])
    monkeypatch.setattr(rig.clock, "monotonic_s", lambda: next(times, due_s + 1e-6))
    rig.engine.dispatcher._on_timer()
    async with asyncio.timeout(60):
        while not rig.running(WALLET):
            await asyncio.sleep(0.001)


async def test_events_are_made_only_while_somebody_listens(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know], listening=False) as rig:
        await rig.end(WALLET)
        assert not rig.events(Started)
        rig.engine.outlet.listen(True)
        await rig.end(SKILLS)
        assert rig.of_job(SKILLS) == ["Finished", "Scheduled"]


async def test_a_job_that_a_stop_cut_off_is_due_again_and_not_failed(rig: Rig) -> None:
    before = await rig.row(WALLET)
    await rig.end(WALLET, BROKEN, Cancelled(stopping=True))
    assert not rig.events(Failed)
    assert await rig.row(WALLET) == before
    await rig.end(WALLET)
    await rig.do(RunNow(ONE, WALLET.name))
    succeeded = await rig.row(WALLET)
    await rig.end(WALLET, BROKEN, Cancelled(stopping=True))
    # Asked for before its time, it does not wait for that time after the stop.
    assert succeeded is not None
    assert await rig.row(WALLET) == replace(succeeded, next_eligible_at=rig.clock.now())
    entry = rig.engine.schedule.get(key(WALLET))
    assert entry is not None
    assert entry.failures == 0


async def test_a_job_that_lost_all_its_grants_ends_without_a_request(rig: Rig) -> None:
    await rig.end(WALLET)
    await rig.write(lambda connection: log_in(connection, scopes="skills orders"))
    await rig.look()
    await rig.do(RunNow(ONE, WALLET.name))
    assert not rig.running(WALLET)
    last = [e for e in rig.events(Finished) if e.key == key(WALLET)][-1]
    assert last.outcome.token is Token.BLOCKED
    assert "missing scope wallet" in last.outcome.reason
    entry = rig.engine.schedule.get(key(WALLET))
    assert entry is not None
    assert entry.due_s == rig.clock.monotonic_s() + BLOCKED_LOOK_S
    await rig.write(log_in)
    await rig.look()
    assert rig.running(WALLET)


async def test_a_flagged_credential_skips_at_dispatch(rig: Rig) -> None:
    await rig.end(WALLET)
    await rig.write(
        lambda connection: connection.execute(
            credential_table.update().values(
                needs_reauth=True, generation=credential_table.c.generation + 1
            )
        )
    )
    await rig.look()
    assert rig.engine.status.summary().needs_login == (ONE,)
    await rig.advance(3600)
    assert not rig.running(WALLET)
    last = [e for e in rig.events(Finished) if e.key == key(WALLET)][-1]
    assert last.outcome == Outcome(Token.SKIPPED, reason="needs re-authentication")


async def test_a_private_job_whose_credential_is_gone_needs_a_login(rig: Rig) -> None:
    await rig.end(WALLET)
    await rig.write(lambda connection: credentials.remove(connection, ONE.id))
    await rig.look()
    await rig.do(RunNow(ONE, WALLET.name))
    assert not rig.running(WALLET)
    failed = rig.events(Failed)[-1]
    assert (failed.key, failed.parked) == (key(WALLET), True)
    await rig.write(log_in)
    await rig.look()
    assert rig.running(WALLET)


async def test_market_prices_are_one_job_of_the_global_lane(rig: Rig) -> None:
    assert [job.key for job in rig.running(PRICES)] == [key(PRICES)]
    assert all(isinstance(work, RunJob) for work in rig.pool.work.values())


async def test_a_withdrawn_job_in_flight_is_cut_off(rig: Rig) -> None:
    job = rig.one(WALLET)
    await rig.do(Withdraw(ONE))
    assert (job.job_id, "withdrawn") in rig.pool.cancelled
    await rig.end(job, Outcome(Token.SKIPPED, reason="withdrawn"))
    assert await rig.row(WALLET) is None
    rest = [one for one in rig.running() if one.key.subject == ONE]
    assert {entry.key for entry in rig.engine.schedule.of(ONE)} == {one.key for one in rest}
    assert rest
    for one in rest:
        await rig.end(one, Outcome(Token.SKIPPED, reason="withdrawn"))
    assert not rig.engine.schedule.of(ONE)
