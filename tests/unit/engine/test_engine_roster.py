"""Who is mirrored with which jobs: launch, discovery, commands, flags, features."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection

from engine.status import PAGE
from engine.world import read_world
from ipc.codec import encode
from ipc.commands import Discover, Enroll, Forget, RunNow, SetFeatures, Withdraw
from ipc.events import Enrolled, Seeded, Started, Withdrawn
from ipc.outcome import Outcome, Token
from ipc.scheduler_messages import JobState, StatusPage
from ipc.settings import encode_settings
from ipc.subject import GLOBAL, MAX_ID, JobKey, Subject, SubjectType
from jobs.catalog import Catalog
from jobs.store import ledger, subjects, ways
from jobs.store.database import StoreUnavailable
from jobs.store.schema.core import credential as credential_table
from jobs.store.subjects import State
from tests.unit.engine.engine_kinds import (
    ASSETS,
    CORP,
    CORP_PROFILE,
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
    kind,
    part,
    row,
)
from tests.unit.engine.engine_rig import Rig, enroll_subject, know, log_in, open_rig

Change = Callable[[Connection], object]


@pytest.fixture
async def rig(tmp_path: Path, empty_database: Path) -> AsyncIterator[Rig]:
    """One logged in character whose parent row exists."""
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as made:
        yield made


def remember(*rows: ledger.LedgerRow):  # type: ignore[no-untyped-def]
    """Store rows of the ledger."""
    return lambda connection: ledger.upsert_many(connection, rows)


def second(connection: Connection) -> None:
    """Log the second character in."""
    log_in(connection, TWO.id)
    know(connection, TWO.id)


def flag(connection: Connection) -> None:
    """Flag all credentials."""
    table = credential_table
    connection.execute(table.update().values(needs_reauth=True, generation=table.c.generation + 1))


# --- launch ---


async def test_credentialed_subjects_and_the_global_lane_run_without_a_command(rig: Rig) -> None:
    assert rig.kinds() == {
        PROFILE.name,
        WALLET.name,
        SKILLS.name,
        ORDERS.name,
        NET_WORTH.name,
        PRICES.name,
    }


async def test_a_job_whose_time_has_not_come_is_not_rerun_at_launch(
    tmp_path: Path, empty_database: Path
) -> None:
    rows = remember(
        row(WALLET, next_eligible_at=NOW + timedelta(seconds=600)),
        row(SKILLS, next_eligible_at=NOW - timedelta(seconds=600)),
        row(ORDERS, next_eligible_at=NOW + timedelta(seconds=600)),
    )
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know, rows]) as rig:
        assert not rig.running(WALLET)
        assert rig.running(SKILLS)
        # Due at every launch.
        assert rig.running(ORDERS)
        await rig.advance(600)
        assert rig.running(WALLET)


async def test_what_is_known_is_announced_once_at_launch(
    tmp_path: Path, empty_database: Path
) -> None:
    rows = remember(
        row(WALLET, Token.FAILED, last_reason="why", next_eligible_at=NOW + timedelta(seconds=600)),
        row(PRICES, rows_touched=9, next_eligible_at=NOW + timedelta(seconds=1800)),
    )
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know, rows]) as rig:
        seeded = {event.key: event for event in rig.events(Seeded)}
        assert seeded[key(PRICES)].outcome == Outcome(Token.SYNCED, 9)
        assert seeded[key(PRICES)].next_in_s == 1800
        assert seeded[key(WALLET)].outcome == Outcome(Token.FAILED, reason="why")
        # Nothing is known of the others.
        assert set(seeded) == {key(PRICES), key(WALLET)}
        for _ in range(3):
            await rig.write(log_in)
            await rig.look()
        assert len(rig.events(Seeded)) == 2


async def test_a_flagged_subject_gets_public_jobs_and_says_what_is_withheld(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know, flag]) as rig:
        assert {j.key.kind for j in rig.running() if j.key.subject == ONE} == {PROFILE.name}
        withheld = {event.key.kind: event for event in rig.events(Seeded)}
        assert set(withheld) == {WALLET.name, SKILLS.name, ORDERS.name}
        assert withheld[WALLET.name].outcome == Outcome(
            Token.BLOCKED, reason="needs re-authentication"
        )
        assert withheld[WALLET.name].next_in_s is None
        await rig.write(log_in)
        await rig.look()
        assert rig.running(WALLET)


async def test_a_partial_grant_gets_only_what_its_scopes_cover(
    tmp_path: Path, empty_database: Path
) -> None:
    prepare: list[Change] = [lambda connection: log_in(connection, scopes="skills"), know]
    async with open_rig(tmp_path / "x.db", empty_database, prepare) as rig:
        assert {entry.key.kind for entry in rig.engine.schedule.of(ONE)} == {
            PROFILE.name,
            SKILLS.name,
        }


async def test_a_subject_without_a_credential_gets_public_jobs(
    tmp_path: Path, empty_database: Path
) -> None:
    prepare: list[Change] = [lambda connection: enroll_subject(connection, ONE), know]
    async with open_rig(tmp_path / "x.db", empty_database, prepare) as rig:
        assert {entry.key.kind for entry in rig.engine.schedule.of(ONE)} == {PROFILE.name}


async def test_gathers_of_a_known_subject_do_not_wait_for_its_profile(
    tmp_path: Path, empty_database: Path
) -> None:
    rows = remember(row(PROFILE, next_eligible_at=NOW + timedelta(seconds=600)))
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know, rows]) as rig:
        assert not rig.running(PROFILE)
        assert rig.running(WALLET)


# --- discovery ---


async def test_a_credential_of_another_program_is_found(rig: Rig) -> None:
    await rig.write(second)
    answer = await rig.do(Discover())
    assert answer.ok
    assert rig.running(WALLET, TWO)
    assert [event.subject for event in rig.events(Enrolled)] == [TWO]


async def test_a_bare_credential_row_makes_its_subject_known(rig: Rig) -> None:
    await rig.write(
        lambda connection: connection.execute(
            credential_table.insert().values(
                character_id=TWO.id,
                client_id="c",
                scopes="wallet",
                refresh_token="r",
                generation=1,
                created_at=NOW,
                updated_at=NOW,
            )
        )
    )
    await rig.look()
    assert rig.engine.schedule.get(JobKey(WALLET.name, TWO)) is not None
    states = await rig.database.read(subjects.all_states)
    assert states[TWO] is State.ACTIVE


async def test_a_look_without_a_change_reads_no_list(rig: Rig) -> None:
    world = await rig.database.read(lambda connection: read_world(connection, None))
    assert world is not None
    again = await rig.database.read(lambda connection: read_world(connection, world.fingerprint))
    assert again is None


async def test_a_read_that_fails_never_means_that_all_are_gone(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreUnavailable("disk I/O error")

    monkeypatch.setattr("engine.discovery.read_world", broken)
    with pytest.raises(StoreUnavailable):
        await rig.look()
    answer = await rig.do(Discover())
    assert (answer.ok, answer.text) == (False, "disk I/O error")
    assert rig.running(WALLET)
    assert not rig.events(Withdrawn)


async def test_a_corporation_is_read_through_its_characters(rig: Rig) -> None:
    def direct(connection: Connection) -> None:
        number = log_in(connection, scopes="wallet corp_assets")
        ways.set_roles(connection, number, CORP, ["Director"], NOW)

    await rig.write(direct)
    await rig.look()
    assert rig.engine.schedule.get(key(ASSETS)) is not None
    assert rig.engine.schedule.get(key(CORP_PROFILE)) is not None
    await rig.write(flag)
    await rig.look()
    assert CORP in rig.engine.status.summary().needs_login
    entry = rig.engine.schedule.get(key(ASSETS))
    assert entry is not None
    assert entry.plan.reason == "needs re-authentication"


async def test_a_regained_role_makes_the_job_due(rig: Rig) -> None:
    def direct(connection: Connection) -> int:
        number = log_in(connection, scopes="wallet corp_assets")
        ways.set_roles(connection, number, CORP, ["Director"], NOW)
        return number

    number = await rig.write(direct)
    await rig.look()
    if not rig.running(ASSETS):
        await rig.end(WALLET)
    await rig.end(ASSETS)
    await rig.write(lambda c: ways.set_roles(c, number, CORP, [], NOW))
    await rig.look()
    await rig.do(RunNow(CORP, ASSETS.name))
    assert not rig.running(ASSETS)
    await rig.write(lambda c: ways.set_roles(c, number, CORP, ["Director"], NOW))
    await rig.look()
    assert rig.running(ASSETS)


# --- commands ---


async def test_enroll_mirrors_a_subject_and_says_so_without_seeds(rig: Rig) -> None:
    await rig.write(remember(row(PROFILE, next_eligible_at=NOW)))
    answer = await rig.do(Enroll(TWO))
    assert answer.ok
    assert rig.running(PROFILE, TWO)
    assert [event.subject for event in rig.events(Enrolled)] == [TWO]
    assert not rig.events(Seeded)
    states = await rig.database.read(subjects.all_states)
    assert states[TWO] is State.ACTIVE


async def test_a_withdrawn_subject_does_not_come_back_by_itself(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as rig:
        await rig.do(Withdraw(ONE))
        assert [event.subject for event in rig.events(Withdrawn)] == [ONE]
        for _ in range(2):
            await rig.do(Discover())
        rig.clock.advance(4000)
        await rig.look()
        assert not [e for e in rig.engine.schedule.of(ONE) if not e.gone]
    async with open_rig(tmp_path / "x.db", empty_database) as rig:
        assert not rig.engine.schedule.of(ONE)
        await rig.do(Enroll(ONE))
        assert rig.running(WALLET)


async def test_a_forgotten_subject_is_marked_for_good(rig: Rig) -> None:
    await rig.do(Forget(ONE))
    await rig.look()
    states = await rig.database.read(subjects.all_states)
    assert states[ONE] is State.DELETED
    assert not [e for e in rig.engine.schedule.of(ONE) if not e.gone]


async def test_the_global_lane_cannot_be_withdrawn(rig: Rig) -> None:
    for command in (Enroll(GLOBAL), Withdraw(GLOBAL), Forget(GLOBAL)):
        answer = await rig.do(command)
        assert (answer.ok, answer.text) == (False, "global is always mirrored")


async def test_a_subject_that_no_kind_is_for_cannot_be_enrolled(rig: Rig) -> None:
    alliance = Subject(SubjectType.ALLIANCE, 99_000_001)
    answer = await rig.do(Enroll(alliance))
    assert (answer.ok, answer.text) == (
        False,
        "alliance subjects cannot be mirrored: there is no kind of job for them",
    )
    assert alliance not in await rig.database.read(subjects.all_states)


async def test_withdrawing_who_is_not_mirrored_says_so(rig: Rig) -> None:
    assert (await rig.do(Withdraw(TWO))).text == f"{TWO} was not mirrored"
    assert (await rig.do(Withdraw(ONE))).text == f"{ONE} is mirrored no longer"
    assert (await rig.do(Withdraw(ONE))).text == f"{ONE} was not mirrored"


async def test_a_command_is_applied_once_and_answered_each_time(rig: Rig) -> None:
    await rig.end(WALLET)
    first = await rig.do(RunNow(ONE, WALLET.name), "same")
    await rig.end(WALLET)
    again = await rig.do(RunNow(ONE, WALLET.name), "same")
    assert first == again
    assert not rig.running(WALLET)


async def test_a_command_that_failed_is_tried_again_when_it_comes_again(rig: Rig) -> None:
    refused = await rig.do(RunNow(TWO), "same")
    assert not refused.ok
    await rig.do(Enroll(TWO))
    done = await rig.do(RunNow(TWO), "same")
    assert done.ok


# --- features and intervals ---


async def set_features(rig: Rig, intervals: dict[str, int] | None = None, **features: bool) -> None:
    settings = msgspec.structs.replace(
        rig.engine.settings, features=features, intervals=intervals or {}
    )
    answer = await rig.do(SetFeatures(encode_settings(settings)))
    assert answer.ok


async def test_a_feature_that_is_off_has_no_jobs(tmp_path: Path, empty_database: Path) -> None:
    off = {"wallet": False, "assets": False}
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know], features=off) as rig:
        assert not rig.running(WALLET)
        # On while any of its features is, and here none is.
        assert not rig.running(NET_WORTH)
        assert rig.running(SKILLS)


async def test_features_switched_at_run_time_remove_and_add_jobs(rig: Rig) -> None:
    await rig.end(SKILLS)
    flying = rig.one(WALLET)
    await set_features(rig, wallet=False, skills=False)
    assert rig.engine.schedule.get(key(SKILLS)) is None
    assert rig.engine.schedule.get(key(WALLET)) is not None
    await rig.end(flying)
    assert rig.engine.schedule.get(key(WALLET)) is None
    await set_features(rig)
    assert rig.engine.schedule.get(key(SKILLS)) is not None
    assert rig.engine.schedule.get(key(WALLET)) is not None
    # They keep the times that the ledger remembers.
    assert not rig.running(SKILLS)


async def test_a_shorter_interval_counts_from_now_on(rig: Rig) -> None:
    await rig.end(WALLET)
    await set_features(rig, {WALLET.name: 60})
    await rig.advance(60)
    assert rig.running(WALLET)
    await rig.end(WALLET)
    await rig.advance(60)
    assert rig.running(WALLET)


async def test_a_reload_that_the_database_fails_changes_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = msgspec.structs.replace(
        rig.engine.settings, features={"wallet": False}, intervals={SKILLS.name: 61}
    )

    def broken(*_: object) -> None:
        raise StoreUnavailable("disk I/O error")

    with monkeypatch.context() as broken_history:
        broken_history.setattr("engine.discovery.read_history", broken)
        answer = await rig.do(SetFeatures(encode_settings(settings)))
    assert not answer.ok
    assert rig.engine.lineup.is_on(WALLET)
    assert rig.engine.lineup.every_s[SKILLS.name] != 61


async def test_names_that_nobody_knows_are_refused_and_change_nothing(rig: Rig) -> None:
    settings = msgspec.structs.replace(
        rig.engine.settings,
        features={"wallet": False, "walet": True},
        intervals={"character.walet": 61},
    )
    answer = await rig.do(SetFeatures(encode_settings(settings)))
    assert not answer.ok
    assert answer.text == (
        "unknown name walet in [features]; did you mean wallet?; "
        "unknown name character.walet in [intervals]; did you mean character.wallet?"
    )
    assert rig.engine.lineup.is_on(WALLET)


async def test_settings_that_cannot_be_read_are_refused(rig: Rig) -> None:
    answer = await rig.do(SetFeatures(b"nonsense"))
    assert not answer.ok
    assert "settings cannot be read" in answer.text


# --- status ---


async def test_status_comes_in_pages_and_tells_each_job(rig: Rig) -> None:
    await rig.end(WALLET, Outcome(Token.SYNCED, 5))
    (page,) = rig.engine.status.pages(7, ONE)
    assert (page.request_id, page.last) == (7, True)
    states = {job.key.kind: job for job in page.jobs}
    assert set(states) == {PROFILE.name, WALLET.name, SKILLS.name, ORDERS.name}
    assert states[WALLET.name].outcome == Outcome(Token.SYNCED, 5)
    assert states[WALLET.name].next_run_at == NOW + timedelta(hours=1)
    assert states[SKILLS.name].in_flight


async def test_long_answers_are_paged(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.status.PAGE", 4)
    pages = list(rig.engine.status.pages(1, None))
    assert [(len(page.jobs), page.last) for page in pages] == [(4, False), (2, True)]
    assert next(rig.engine.status.pages(1, TWO)).last


def test_a_page_of_the_longest_states_fits_into_a_frame() -> None:
    reason = "\N{GREEK VOCAL NOTATION SYMBOL-1}" * 400
    longest = JobState(
        key=JobKey("k" * 64, Subject(SubjectType.CORPORATION, MAX_ID)),
        outcome=Outcome(Token.FAILED, MAX_ID, reason),
        last_attempt_at=NOW,
        last_success_at=NOW,
        last_changed_at=NOW,
        fresh_until=NOW,
        next_run_at=NOW,
        in_flight=True,
        failures=MAX_ID,
        parked_reason=reason,
    )
    encode(StatusPage(1, (longest,) * PAGE, last=True))


async def test_the_summary_has_the_figures(rig: Rig) -> None:
    await rig.end(WALLET)
    summary = rig.engine.status.summary()
    assert (summary.entries, summary.in_flight, summary.done, summary.failed) == (6, 5, 1, 0)
    assert summary.last_success_at == NOW
    assert summary.workers[0].pid == 4711
    assert len({event.key for event in rig.events(Started)}) == 6


MARKETS = kind("global.markets", parts=(part("regions"), part("structures", "markets")))


async def test_a_global_kind_asks_through_whoever_has_its_scope(
    tmp_path: Path, empty_database: Path
) -> None:
    def traders(connection: Connection) -> None:
        log_in(connection, TWO.id, "markets")
        log_in(connection, 90_000_003, "markets wallet")
        know(connection, TWO.id, 90_000_003)

    def readers(rig: Rig) -> list[int]:
        entry = rig.engine.schedule.get(key(MARKETS))
        assert entry is not None
        return [one.credential_id for one in entry.plan.grants if one.part == "structures"]

    catalog = Catalog([PROFILE, WALLET, NET_WORTH, MARKETS])
    path = tmp_path / "x.db"
    async with open_rig(path, empty_database, [log_in, know], catalog=catalog) as rig:
        entry = rig.engine.schedule.get(key(MARKETS))
        assert entry is not None
        assert [block.part for block in entry.plan.blocked] == ["structures"]
        assert readers(rig) == []
        await rig.write(traders)
        await rig.look()
        assert readers(rig) == [2, 3]
        assert not entry.plan.blocked
        await rig.write(flag)
        await rig.look()
        assert readers(rig) == []
        # The lane itself is nobody who could log in.
        assert GLOBAL not in rig.engine.roster.flagged


async def test_what_a_login_brings_back_keeps_its_history(
    tmp_path: Path, empty_database: Path
) -> None:
    """A failure after it does not erase the last success, and a poison park is no flag's to end."""
    before = NOW - timedelta(days=1)
    rows = remember(
        row(WALLET, last_success_at=before, last_changed_at=before),
        row(SKILLS, Token.FAILED, parked_reason="ended its worker 3 times", strikes=3),
    )
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know, flag, rows]) as rig:
        assert not rig.running(WALLET)
        await rig.write(log_in)
        await rig.look()
        # Due at once, whatever its row says.
        await rig.end(WALLET, Outcome(Token.FAILED, reason="no"))
        stored = await rig.row(WALLET)
        assert stored is not None
        assert (stored.last_success_at, stored.last_changed_at) == (before, before)
        assert not rig.running(SKILLS)
        parked = rig.engine.schedule.get(key(SKILLS))
        assert parked is not None
        assert parked.parked_reason == "ended its worker 3 times"
