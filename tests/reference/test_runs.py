"""What becomes of jobs, from discovery to the ledger, on real processes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection, insert

from engine.policy import PENDING_RETRY_S
from ipc.commands import Discover, Enroll, RunNow
from ipc.events import BackingOff, Failed, Finished, Scheduled, Started
from ipc.outcome import Token
from ipc.subject import SubjectType
from jobs.catalog import load
from jobs.store.schema.profile import character as character_table
from tests.reference.house import (
    FIRST,
    QUEUE_SCOPE,
    SKILLS_SCOPE,
    WALLET_SCOPE,
    House,
    character,
    key,
)

pytestmark = pytest.mark.process

ONE = character()
TWO = character(FIRST + 1)
PROFILE = key("character.profile", ONE)
WALLET = key("character.wallet", ONE)
PRICES = key("global.market_prices")
PROFILE_PATH = f"/characters/{FIRST}"


async def know_character(house: House) -> None:
    """Store the parent row of a character, as an earlier life of the daemon left it."""
    row = {
        "character_id": FIRST,
        "name": "Known Already",
        "corporation_id": 98_000_001,
        "gender": "male",
        "race_id": 1,
        "bloodline_id": 1,
    }
    await house.write(
        lambda connection, now: (
            connection.execute(insert(character_table).values(**row, birthday=now)).rowcount
        )
    )


async def test_a_rate_limited_job_waits_as_long_as_esi_says(house: House) -> None:
    house.fault(PROFILE_PATH, 429, headers={"Retry-After": "30"})
    await house.start()
    await house.do(Enroll(ONE))
    told = await house.event(BackingOff, PROFILE)
    assert told.retry_s == 30
    assert await house.count("character") == 0


async def test_a_spent_error_limit_stops_all_dispatch(house: House) -> None:
    house.fault(PROFILE_PATH, 420, headers={"X-ESI-Error-Limit-Reset": "58"})
    await house.start()
    await house.do(Enroll(ONE))
    told = await house.event(BackingOff, PROFILE)
    assert told.retry_s == 58
    begun = len(house.of(Started))
    await house.do(RunNow(ONE))
    # No other limit holds this one: it asks ESI for nothing.
    retention = key("global.retention")
    await house.do(RunNow(retention.subject, retention.kind))
    await house.do(Enroll(TWO))
    await house.heartbeats()
    assert len(house.of(Started)) == begun


async def test_a_job_waits_for_the_parent_row_of_its_subject(house: House) -> None:
    house.fault(PROFILE_PATH, 500)
    await house.log_in(scopes=[WALLET_SCOPE])
    await house.start()
    await house.event(Failed, PROFILE)
    await house.heartbeats()
    assert house.kinds_started(ONE) == {"character.profile"}
    assert house.asked(f"/characters/{FIRST}/wallet") == 0


async def test_a_job_of_a_new_subject_starts_once_the_profile_is_committed(house: House) -> None:
    await house.log_in(scopes=[WALLET_SCOPE])
    await house.start()
    await house.event(Started, WALLET)
    order = [
        (type(event), event.key)
        for event in house.events
        if getattr(event, "key", None) in (PROFILE, WALLET)
    ]
    assert order.index((Finished, PROFILE)) < order.index((Started, WALLET))
    assert await house.count("character") == 1


async def test_a_job_of_a_known_subject_does_not_wait_for_its_profile(house: House) -> None:
    house.fault(PROFILE_PATH, 500)
    await know_character(house)
    await house.log_in(scopes=[WALLET_SCOPE])
    await house.start()
    await house.finished(WALLET)
    assert not house.of(Finished, PROFILE)


async def test_a_credential_is_found_without_a_command(house: House) -> None:
    await house.log_in()
    await house.start()
    assert (await house.event(Started, PROFILE)).key.subject == ONE


async def test_a_credential_that_came_later_is_found_on_command(house: House) -> None:
    timings = msgspec.structs.replace(house.settings.timings, discovery_interval_s=3600.0)
    house.settings = msgspec.structs.replace(house.settings, timings=timings)
    await house.start()
    # Some of these look for credentials themselves.
    kinds = load(["jobs.kinds"])
    on = kinds.features()
    for kind in kinds.of(SubjectType.GLOBAL):
        if kind.is_on(on):
            await house.scheduled(key(kind.name))
    await house.heartbeats(10)
    await house.log_in()
    await house.heartbeats()
    assert not house.kinds_started(ONE)
    await house.do(Discover())
    await house.event(Started, PROFILE)


async def test_a_failure_is_recorded_without_a_success(house: House) -> None:
    house.fault(PROFILE_PATH, 500)
    await house.start()
    await house.do(Enroll(ONE))
    await house.scheduled(PROFILE)
    row = await house.ledger_row(PROFILE)
    assert row is not None
    assert row.token is Token.FAILED
    assert row.last_reason
    assert row.last_success_at is None


async def test_a_success_is_recorded_with_its_times(house: House) -> None:
    await house.start()
    await house.scheduled(PRICES)
    row = await house.ledger_row(PRICES)
    assert row is not None
    assert row.token is Token.SYNCED
    assert row.last_success_at is not None
    assert row.last_success_at == row.last_attempt_at
    assert row.next_eligible_at is not None
    assert row.next_eligible_at > row.last_success_at


async def test_run_now_starts_a_job_that_waits_after_a_failure(house: House) -> None:
    house.fault(PROFILE_PATH, 500)
    await house.start()
    await house.do(Enroll(ONE))
    failed = await house.event(Failed, PROFILE)
    assert failed.failures == 1
    seen = len(house.events)
    await house.do(RunNow(ONE))
    again = await house.event(Started, PROFILE, after=seen)
    # Its streak is forgotten, so this is a first attempt.
    assert again.attempt == 1


async def test_an_empty_answer_is_asked_again_at_the_interval(house: House) -> None:
    house.fault("/markets/prices", 200, body="[]")
    await house.start()
    finished = await house.finished(PRICES)
    assert finished.outcome.token is Token.EMPTY
    assert (await house.scheduled(PRICES)).next_in_s > 10 * PENDING_RETRY_S


async def test_a_failed_job_says_so_and_leaves_no_rows(house: House) -> None:
    house.fault(PROFILE_PATH, 500)
    await house.start()
    await house.do(Enroll(ONE))
    await house.event(Started, PROFILE)
    failed = await house.event(Failed, PROFILE)
    assert failed.reason
    assert await house.count("character") == 0


async def test_features_choose_what_runs(house: House) -> None:
    house.settings = msgspec.structs.replace(
        house.settings, features={"wallet": False, "skills": True}
    )
    await know_character(house)
    await house.log_in(scopes=[SKILLS_SCOPE, QUEUE_SCOPE, WALLET_SCOPE])
    await house.start()
    await house.scheduled(key("character.skills", ONE))
    assert await house.count("character_skill") > 0
    assert await house.count("character_skillqueue") > 0
    assert "character.wallet" not in house.kinds_started(ONE)


async def test_jobs_of_two_characters_run_at_the_same_time(house: House) -> None:
    house.fault(rf"/characters/({ONE.id}|{TWO.id})", 500, delay_s=3.0)
    await house.enroll(ONE)
    await house.enroll(TWO)
    await house.start()
    await house.event(Started, PROFILE)
    await house.event(Started, key("character.profile", TWO))
    profiles = [
        type(event)
        for event in house.events
        if getattr(event, "key", PRICES).kind == "character.profile"
        and isinstance(event, Started | Finished | Failed)
    ]
    assert profiles[:2] == [Started, Started]


async def test_only_kinds_whose_scope_is_granted_run(house: House) -> None:
    await know_character(house)
    await house.log_in(scopes=[WALLET_SCOPE])
    await house.start()
    await house.scheduled(WALLET)
    await house.scheduled(PROFILE)
    await house.heartbeats()
    assert not house.kinds_started(ONE) & {"character.market_orders", "character.skills"}


async def test_only_public_kinds_run_for_a_character_of_others(house: House) -> None:
    await house.enroll(ONE)
    await house.start()
    await house.scheduled(PROFILE)
    await house.heartbeats()
    public = {
        kind.name
        for kind in load(["jobs.kinds"]).of(SubjectType.CHARACTER)
        if any(not part.scopes for part in kind.parts)
    }
    assert {"character.profile"} <= house.kinds_started(ONE) <= public < {*public, WALLET.kind}


async def test_a_character_is_mirrored_from_end_to_end(house: House, tmp_path: Path) -> None:
    await house.start()
    await house.do(Enroll(ONE))
    assert (await house.finished(PROFILE)).outcome.token is Token.SYNCED
    people = house.eve.services.esi.world.people

    def stored(connection: Connection) -> tuple[str, int]:
        row = connection.execute(
            character_table.select().where(character_table.c.character_id == FIRST)
        ).one()
        return row.name, row.corporation_id

    name, corporation = await house.database.read(stored)
    assert (name, corporation) == (people.pilot(FIRST).name, people.corporation_of(FIRST))
    assert await house.count("corporation") == 1
    assert (house.settings.image_dir / f"character_{FIRST}.jpg").stat().st_size > 0


async def test_the_outcome_comes_before_the_next_time(house: House) -> None:
    await house.start()
    await house.scheduled(PRICES)
    order = [type(e) for e in house.events if getattr(e, "key", None) == PRICES]
    assert [pair for pair in pairwise(order) if pair[0] is Finished] == [(Finished, Scheduled)]
