"""The one path of every job, over a real database and a scripted ESI."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from ipc import outcome as reactions
from ipc.outcome import Token
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.errors import (
    Gone,
    MissingRole,
    MissingScope,
    PauseAll,
    PauseBucket,
    SubjectGone,
    TokenRejected,
    Transient,
)
from jobs.esi.transport import NotSent
from jobs.pipeline import run_kind
from jobs.spec import Context, Part, PartResult, Route
from jobs.store import subjects, ways
from tests.unit.jobs.item_parts import GROUPED, ITEMS, REPLACE, ROUTE, Item, states_of
from tests.unit.jobs.job_house import (
    CHARACTER,
    CORPORATION,
    START,
    House,
    grouped,
    items,
    kind_of,
)

# --- new, unchanged, changed, removed ---


async def test_rows_and_states_are_committed_together(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2}], etag='"x"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.outcome.rows_touched == 2
    assert ending.changed
    assert ending.fresh_until == START + timedelta(hours=1)
    assert await house.rows(items) == [(9, 1, "a"), (9, 2, None)]
    (state,) = await states_of(house)
    assert (state.route, state.params, state.owner_id) == (
        "GET /characters/{character_id}/items", '{"character_id":9}', 9
    )  # fmt: skip
    assert (state.etag, state.revision) == ('"x"', "1/2026-06-09")


async def test_what_is_fresh_is_not_asked_for(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 1
    assert ending.outcome.token is Token.SYNCED
    assert ending.outcome.rows_touched == 0
    assert not ending.changed
    assert ending.fresh_until == START + timedelta(hours=1)


async def test_what_has_expired_is_compared_and_a_304_renews_it(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"', last_modified="noon"))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.same())

    ending = await run_kind(house.tools, kind, house.order(kind))
    await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 2
    validators = house.esi.asked[1][3]
    assert validators is not None
    assert (validators.etag, validators.last_modified) == ('"x"', "noon")
    assert ending.outcome.token is Token.SYNCED
    assert ending.fresh_until == house.clock.now() + timedelta(hours=1)
    (state,) = await states_of(house)
    assert (state.etag, state.last_modified) == ('"x"', "noon")
    assert state.expires_at == ending.fresh_until


async def test_changed_rows_change_and_absent_ones_go(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3}]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2, "name": "B"}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_touched == 2
    assert await house.rows(items) == [(9, 1, "a"), (9, 2, "B")]


async def test_nothing_is_empty(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.EMPTY


async def test_a_failed_write_keeps_no_validator(house: House) -> None:
    """Else the next answer would be 304 for rows that were never stored."""
    kind = kind_of(ITEMS)
    await house.write(lambda c: c.execute(text("ALTER TABLE test_item RENAME TO gone")))
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'))

    with pytest.raises(Exception, match="test_item"):
        await run_kind(house.tools, kind, house.order(kind))

    assert await states_of(house) == []


async def test_a_new_revision_sends_no_validator(house: House) -> None:
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind_of(ITEMS), house.order(kind_of(ITEMS)))

    newer = kind_of(replace(ITEMS, revision=2))
    await run_kind(house.tools, newer, house.order(newer))

    assert len(house.esi.asked) == 2
    assert house.esi.asked[1][3] is None


async def test_another_compatibility_date_sends_no_validator(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))
    house.esi.compatibility_date = "2027-01-01"

    await run_kind(house.tools, kind, house.order(kind))

    assert house.esi.asked[1][3] is None


async def test_a_clock_that_was_set_back_does_not_keep_data_fresh(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}]), house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.step_wall(-86_400)

    await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 2


# --- parts and outcomes ---


def _part(name: str, **changes: Any) -> Part:
    route = Route("GET", "/characters/{character_id}/" + name)
    return replace(ITEMS, name=name, route=route, **changes)


async def test_a_part_that_fails_does_not_keep_the_others_from_running(house: House) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(Transient("502"), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert isinstance(ending.reaction, reactions.Transient)
    assert ending.outcome.reason == "one: 502"
    assert len(await house.rows(items)) == 1


async def test_a_part_that_is_unchanged_keeps_no_other_from_being_read(house: House) -> None:
    kind = kind_of(ITEMS, replace(GROUPED, fan_out=({"group_id": 1},)))
    soon = {"fresh_until": house.clock.now() + timedelta(seconds=60)}
    house.esi.say(house.esi.good([{"id": 1}], etag='"a"', **soon))
    house.esi.say(house.esi.good([{"id": 5}], etag='"b"', **soon))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(61)
    house.esi.say(house.esi.same(), house.esi.good([{"id": 5}, {"id": 6}], etag='"c"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_touched == 1
    assert [row[2] for row in await house.rows(grouped)] == [5, 6]


async def test_an_optional_part_that_fails_is_noted(house: House) -> None:
    kind = kind_of(_part("one", optional=True), _part("two"))
    house.esi.say(Transient("image server 500"), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.reaction is None
    assert "image server 500" in ending.outcome.reason


async def test_a_server_of_an_optional_part_that_is_away_ends_nothing_else(house: House) -> None:
    kind = kind_of(_part("one", optional=True), _part("two"))
    house.esi.say(NotSent("image server: no connection"), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert len(house.esi.asked) == 2


async def test_empty_parts_beside_a_full_one_are_synced(house: House) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(house.esi.good([]), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED


@pytest.mark.parametrize(
    "error", [PauseAll(START, 5), TokenRejected(1, 1), NotSent("no route"), SubjectGone("x")]
)
async def test_what_the_next_part_would_meet_too_ends_the_job(
    house: House, error: Exception
) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(error)
    if isinstance(error, TokenRejected):
        error.credential_id = house.credential_id

    await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 1


async def test_a_spent_bucket_is_the_jobs_wait(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(PauseBucket("char-asset:9", START, 30))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert ending.reaction == reactions.PauseBucket("char-asset:9", START, 30)


async def test_a_pause_met_by_an_optional_part_still_pauses(house: House) -> None:
    kind = kind_of(_part("one"), _part("two", optional=True))
    house.esi.say(house.esi.good([{"id": 1}]), PauseAll(START, 5))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.reaction == reactions.PauseAll(START, 5)


async def test_a_missing_scope_blocks_its_part_only(house: House) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(MissingScope("esi-x.y.v1", 1), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.grants_changed
    assert "esi-x.y.v1" in ending.outcome.reason


async def test_a_kind_with_blocked_parts_alone_is_blocked(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(MissingScope("esi-x.y.v1", 1))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.BLOCKED
    assert ending.reaction is None


async def test_a_missing_role_is_remembered_for_an_hour_and_asked_about_once(
    house: House,
) -> None:
    corp = Route("GET", "/corporations/{corporation_id}/items")
    roles = frozenset({"Director"})
    kind = kind_of(
        replace(ITEMS, name="one", route=corp, any_role=roles),
        replace(ITEMS, name="two", route=corp, any_role=roles),
        name="corporation.test",
    )
    house.esi.say(MissingRole("Character does not have required role(s)", house.credential_id))

    ending = await run_kind(house.tools, kind, house.order(kind, CORPORATION))

    assert ending.outcome.token is Token.BLOCKED
    assert ending.grants_changed
    assert len(house.esi.asked) == 1
    (access,) = await house.tools.read(ways.list_all)
    assert access.refused_until == START + timedelta(hours=1)
    assert access.refused_roles == roles
    assert ending.due == ()


async def test_a_character_that_has_left_is_looked_for(house: House) -> None:
    corp = Route("GET", "/corporations/{corporation_id}/items")
    kind = kind_of(replace(ITEMS, route=corp), name="corporation.test")
    house.esi.say(
        MissingRole("Character is not in the corporation", house.credential_id, left=True)
    )

    ending = await run_kind(house.tools, kind, house.order(kind, CORPORATION))

    assert ending.outcome.token is Token.BLOCKED
    assert ending.due == (JobKey("global.affiliation", GLOBAL),)
    (access,) = await house.tools.read(ways.list_all)
    assert access.refused_roles is None


async def test_who_has_left_is_not_tried_for_the_next_part(house: House) -> None:
    corp = Route("GET", "/corporations/{corporation_id}/items")
    first, second = replace(ITEMS, route=corp), replace(ITEMS, route=corp, name="second")
    kind = kind_of(first, second, name="corporation.test")
    house.esi.say(
        MissingRole("Character is not in the corporation", house.credential_id, left=True)
    )

    ending = await run_kind(house.tools, kind, house.order(kind, CORPORATION))

    assert ending.outcome.token is Token.BLOCKED
    assert len(house.esi.asked) == 1


@pytest.mark.parametrize("changes", [True, False])
async def test_whatever_kind_changes_grants_says_so(house: House, changes: bool) -> None:
    async def run(context: Context) -> PartResult:
        known = CORPORATION if not changes else Subject(SubjectType.CORPORATION, 97)
        await context.write(lambda c: ways.link(c, known, house.credential_id, START))
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.grants_changed is changes


async def test_a_subject_that_a_failing_part_withdrew_is_told(house: House) -> None:
    async def run(context: Context) -> PartResult:
        await context.write(lambda c: subjects.withdraw(c, CHARACTER, START))
        raise Gone("404")

    kind = kind_of(Part(name="custom", run=run))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert ending.grants_changed


# --- custom parts ---


async def test_a_custom_part_fetches_writes_and_says_what_it_did(house: House) -> None:
    seen: dict[str, Any] = {}

    async def run(context: Context) -> PartResult:
        seen["before"] = context.changed("items")
        fetched = await context.fetch(ROUTE, {}, list[Item])
        rows = await context.write(
            lambda c: context.apply(c, REPLACE, [{"item_id": 4, "name": "x"}], {})
        )
        seen["value"] = fetched.value
        return PartResult(rows=rows, left=3, note="on my way")

    kind = kind_of(Part(name="custom", run=run, targets=(REPLACE,)))
    house.esi.say(house.esi.good([{"id": 4}], etag='"x"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert seen == {"before": False, "value": [Item(4)]}
    assert ending.outcome.to_fetch == 3
    assert ending.outcome.reason == "catching up, 3 left; custom: on my way"
    assert [s.etag for s in await states_of(house)] == ['"x"']


async def test_a_later_part_knows_whether_an_earlier_one_changed_rows(house: House) -> None:
    seen: list[bool] = []

    async def run(context: Context) -> PartResult:
        seen.append(context.changed("items"))
        return PartResult()

    kind = kind_of(ITEMS, Part(name="after", run=run))
    house.esi.say(house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))
    await run_kind(house.tools, kind, house.order(kind))

    assert seen == [True, False]


async def test_states_that_no_write_stored_are_stored_at_the_end(house: House) -> None:
    async def run(context: Context) -> PartResult:
        await context.fetch(ROUTE, {}, list[Item])
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))
    house.esi.say(house.esi.good([], etag='"x"'))

    await run_kind(house.tools, kind, house.order(kind))

    assert len(await states_of(house)) == 1


async def test_without_state_nothing_is_compared_or_kept(house: House) -> None:
    async def run(context: Context) -> PartResult:
        for _ in range(2):
            fetched = await context.fetch(ROUTE, {}, list[Item], keep_state=False)
            assert fetched.changed
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))
    house.esi.say(house.esi.good([], etag='"x"'), house.esi.good([]))

    await run_kind(house.tools, kind, house.order(kind))

    assert [validators for *_, validators in house.esi.asked] == [None, None]
    assert await states_of(house) == []


async def test_the_budget_of_a_part_shrinks_with_the_jobs_time(house: House) -> None:
    seen: list[float] = []

    async def run(context: Context) -> PartResult:
        seen.append(context.budget_s)
        house.clock.advance(30)
        seen.append(context.budget_s)
        house.clock.advance(60)
        seen.append(context.budget_s)
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))

    await run_kind(house.tools, kind, house.order(kind, deadline_s=100.0))

    assert seen == [75.0, 45.0, 0.0]


async def test_an_error_nobody_foresaw_ends_the_job(house: House) -> None:
    async def run(context: Context) -> PartResult:
        raise ZeroDivisionError

    kind = kind_of(Part(name="custom", run=run))

    with pytest.raises(ZeroDivisionError):
        await run_kind(house.tools, kind, house.order(kind))
