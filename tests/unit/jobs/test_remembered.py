"""What is remembered of a request, and when it may be used."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from jobs.esi.client import EsiAnswer
from jobs.esi.paging import Read
from jobs.remembered import Memory, known_of, next_states, still_fresh
from jobs.store.route_states import RouteState

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MEMORY = Memory("GET /x", "{}", 9, "1/2026-06-09")


def state(page: int = 1, pages: int = 1) -> RouteState:
    return RouteState(
        route="GET /x", params="{}", owner_id=9, page=page, revision="1/2026-06-09",
        etag=f'"{page}"', last_modified="noon", expires_at=NOW + timedelta(minutes=page),
        pages=pages, complete_walk=False, cursor=None, checked_at=NOW - timedelta(hours=1),
    )  # fmt: skip


def answer(*, unchanged: bool = False, etag: str | None = '"new"') -> EsiAnswer:
    return EsiAnswer(b"[]", unchanged, etag, "one", "1", NOW + timedelta(hours=1))


def test_the_earliest_page_decides_on_freshness() -> None:
    states = [state(1, 2), state(2, 2)]

    assert still_fresh(states, MEMORY, NOW) == NOW + timedelta(minutes=1)
    assert still_fresh(states, MEMORY, NOW + timedelta(minutes=1)) is None


@pytest.mark.parametrize(
    "states",
    [
        [],
        [state(1, 2)],
        [state(2, 2)],
        [state(1, 2), state(3, 2)],
        [replace(state(), revision="0/2026-06-09")],
        [replace(state(), revision="1/2020-01-01")],
    ],
)
def test_what_is_not_whole_or_of_another_form_is_not_used(states: list[RouteState]) -> None:
    assert still_fresh(states, MEMORY, NOW) is None
    assert known_of(states, MEMORY).first is None


def test_without_an_expiry_nothing_is_fresh() -> None:
    assert still_fresh([replace(state(), expires_at=None)], MEMORY, NOW) is None


def test_what_was_looked_at_in_the_future_is_not_fresh() -> None:
    states = [replace(state(), checked_at=NOW + timedelta(hours=1))]

    assert still_fresh(states, MEMORY, NOW) is None


def test_whole_sets_are_compared() -> None:
    known = known_of([state(1, 2), state(2, 2)], MEMORY)

    assert known.first is not None
    assert known.first.etag == '"1"'
    assert [mark.page for mark in known.marks] == [1, 2]


def test_unchanged_keeps_the_validators_and_renews_the_expiry() -> None:
    read = Read(unchanged=True, answers=(answer(unchanged=True, etag=None),))

    (new,) = next_states(MEMORY, [state()], read, NOW)

    assert (new.etag, new.last_modified) == ('"1"', "noon")
    assert new.expires_at == NOW + timedelta(hours=1)
    assert new.checked_at == NOW


def test_a_load_takes_the_new_validators() -> None:
    (new,) = next_states(MEMORY, [state()], Read(False, (answer(),)), NOW)

    assert (new.etag, new.last_modified) == ('"new"', "one")


def test_an_incomplete_load_keeps_none() -> None:
    read = Read(False, (answer(),))

    (new,) = next_states(MEMORY, [], read, NOW, keep_validators=False, mark="empty|x|y")

    assert (new.etag, new.last_modified, new.cursor) == (None, None, "empty|x|y")


@pytest.mark.parametrize("whole", [True, False])
def test_a_walk_that_left_rows_out_is_not_complete(whole: bool) -> None:
    read = Read(False, (answer(),), complete_walk=True, cursor="7")

    (new,) = next_states(MEMORY, [], read, NOW, keep_validators=whole)

    assert (new.complete_walk, new.cursor) == (whole, "7")
