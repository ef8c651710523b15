"""Names and positions of unpacked items."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.errors import Gone
from jobs.kinds.character import assets as of_character
from jobs.kinds.corporation import assets as of_corporation
from jobs.spec import Kind
from tests.kinds.fake_context import FakeContext, put, rows


class Hangar:
    """ESI's side: names of items; one that it does not know spoils a whole batch."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def answer(self, _params: Any, body: list[int]) -> list[dict[str, Any]]:
        if any(one not in self.names for one in body):
            raise Gone("Invalid IDs in the request")
        return [{"item_id": one, "name": self.names[one]} for one in body]


def own(database: Connection, owner: str, *ids: int, **more: Any) -> None:
    put(
        database,
        f"{owner}_asset",
        *({f"{owner}_id": 9, "item_id": one, "is_singleton": True, **more} for one in ids),
    )


@pytest.mark.parametrize("kind", [of_character.KIND, of_corporation.KIND], ids=lambda k: k.name)
async def test_unpacked_items_are_asked_for_once(database: Connection, kind: Kind) -> None:
    owner = kind.subject.value
    own(database, owner, 1, 2)
    own(database, owner, 3, is_blueprint_copy=True)
    own(database, owner, 4, is_singleton=False)
    hangar = Hangar({1: "Ship", 2: "None"})
    route = f"POST /{owner}s/{{{owner}_id}}/assets/names"
    context = FakeContext(database, kind, Subject(SubjectType(owner), 9), {route: hangar.answer})
    assert (await context.run("names")).rows == 2
    assert rows(database, f"{owner}_asset_name", "item_id", "name") == [(1, "Ship"), (2, None)]
    context.asked.clear()
    assert (await context.run("names")).rows == 0
    assert context.asked == []
    # The list changed: names may have as well.
    hangar.names[2] = "Box"
    context.changed_parts.add("items")
    assert (await context.run("names")).rows == 1


async def test_a_refused_item_costs_no_other_its_name(database: Connection) -> None:
    own(database, "character", *range(1, 40))
    known = {one: f"name {one}" for one in range(1, 40) if one != 17}
    route = "POST /characters/{character_id}/assets/names"
    context = FakeContext(
        database,
        of_character.KIND,
        Subject(SubjectType.CHARACTER, 9),
        {route: Hangar(known).answer},
    )
    result = await context.run("names")
    assert (result.rows, result.note) == (38, "1 items unknown to ESI")


@pytest.mark.parametrize("refuses", [True, False])
async def test_an_item_that_esi_does_not_know_is_not_asked_about_each_run(
    database: Connection, refuses: bool
) -> None:
    own(database, "character", 1, 2)
    hangar = Hangar({1: "Ship"})

    def leave_out(_params: Any, body: list[int]) -> list[dict[str, Any]]:
        return [{"item_id": one, "name": hangar.names[one]} for one in body if one in hangar.names]

    route = "POST /characters/{character_id}/assets/names"
    answer = hangar.answer if refuses else leave_out
    context = FakeContext(
        database, of_character.KIND, Subject(SubjectType.CHARACTER, 9), {route: answer}
    )
    assert (await context.run("names")).note == "1 items unknown to ESI"
    context.changed_parts.add("items")
    context.asked.clear()
    await context.run("names")
    assert [one.body for one in context.asked] == [[1]]
    hangar.names[2] = "Box"
    context.clock.advance(3600)
    assert (await context.run("names")).rows == 1
    assert rows(database, "unknown_id") == []


async def test_names_of_items_that_left_go(database: Connection) -> None:
    own(database, "character", 1)
    put(database, "character_asset_name", {"character_id": 9, "item_id": 5, "name": "Gone"})
    put(database, "character_asset_name", {"character_id": 8, "item_id": 5, "name": "Stays"})
    route = "POST /characters/{character_id}/assets/names"
    context = FakeContext(
        database,
        of_character.KIND,
        Subject(SubjectType.CHARACTER, 9),
        {route: Hangar({1: "Ship"}).answer},
    )
    await context.run("names")
    assert rows(database, "character_asset_name", "name") == [("Stays",), ("Ship",)]


async def test_positions_become_columns(database: Connection) -> None:
    own(database, "character", 1)
    route = "POST /characters/{character_id}/assets/locations"
    context = FakeContext(
        database,
        of_character.KIND,
        Subject(SubjectType.CHARACTER, 9),
        {route: lambda _p, _b: [{"item_id": 1, "position": {"x": 1.5, "y": 0, "z": -2e11}}]},
    )
    await context.run("positions")
    assert rows(database, "character_asset_position") == [(9, 1, 1.5, 0.0, -2e11)]
