"""Assets of characters and corporations: the list, and for unpacked items names and positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Connection, Table, delete, select

from ipc.subject import SubjectType
from jobs.kinds._batches import ask_in_halves, left_out
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, waiting_ids
from jobs.spec import (
    Context,
    Pages,
    Params,
    Part,
    PartResult,
    Route,
    Row,
    Target,
    Wire,
    Write,
)

# ESI's word for the name of an item that was given none.
NAMELESS = "None"


class Item(Wire, frozen=True):
    """One stack, ship, container or module."""

    item_id: int
    type_id: int
    quantity: int
    location_id: int
    location_type: str
    location_flag: str
    is_singleton: bool
    is_blueprint_copy: bool | None = None


class ItemName(Wire, frozen=True):
    """The name that somebody gave an item."""

    item_id: int
    name: str


class Position(Wire, frozen=True):
    """A point in a solar system, in metres."""

    x: float
    y: float
    z: float


class ItemPosition(Wire, frozen=True):
    """Where an item is."""

    item_id: int
    position: Position


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the assets of one type of owner come from and go to."""

    owner: SubjectType
    items: Table
    names: Table
    positions: Table
    rate_group: str
    scopes: frozenset[str]
    any_role: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """Return the column of the owner."""
        return f"{self.owner}_id"

    def route(self, below: str = "") -> Route:
        """Return one of the owner's routes: the list itself, or what is posted below it."""
        path = f"/{self.owner}s/{{{self.key}}}/assets{below}"
        if below:
            return Route("POST", path, rate_group=self.rate_group)
        return Route("GET", path, pages=Pages.X_PAGES, cache_age_s=3600, rate_group=self.rate_group)


def name_rows(answer: Iterable[ItemName], params: Params) -> list[Row]:
    """Return a row for each item that was asked about, named or not."""
    return [
        {"item_id": one.item_id, "name": None if one.name == NAMELESS else one.name}
        for one in answer
    ]


def position_rows(answer: Iterable[ItemPosition], params: Params) -> list[Row]:
    """Return a row for each item that was asked about."""
    return [{"item_id": one.item_id, **asdict(one.position)} for one in answer]


def asset_parts(shelf: Shelf) -> tuple[Part, ...]:
    """Return the three parts of a kind of assets."""
    key = (shelf.key, "item_id")
    return (
        Part(
            name="items",
            route=shelf.route(),
            wire=Item,
            scopes=shelf.scopes,
            any_role=shelf.any_role,
            targets=(Target(shelf.items, key=key, write=Write.REPLACE),),
        ),
        _detail_part(shelf, "names", "/names", ItemName, shelf.names, name_rows),
        _detail_part(
            shelf, "positions", "/locations", ItemPosition, shelf.positions, position_rows
        ),
    )


def _detail_part(
    shelf: Shelf,
    name: str,
    below: str,
    wire: type[Wire],
    table: Table,
    rows: Callable[[Iterable[ItemName], Params], list[Row]]
    | Callable[[Iterable[ItemPosition], Params], list[Row]],
) -> Part:
    route = shelf.route(below)
    target = Target(table, key=(shelf.key, "item_id"), write=Write.UPSERT, rows=rows)

    answer_type: Any = list[wire]  # type: ignore[valid-type]

    async def sync_details(context: Context) -> PartResult:
        owner_id = context.subject.id
        params = {shelf.key: owner_id}
        # A new name changes nothing in the list, so a changed list is the time to look at all.
        ids, gone = await context.read(
            lambda connection: wanted(
                connection, shelf, table, owner_id, context.now(), again=context.changed("items")
            )
        )
        unknown: list[int] = []

        async def ask(batch: list[int]) -> int:
            answer = await context.fetch(route, params, answer_type, body=batch, keep_state=False)
            found = rows(answer.value or [], params)
            unknown.extend(left_out(context, batch, {row["item_id"] for row in found}, answer))

            def store(connection: Connection) -> int:
                forget_unknown(connection, category_of(table), batch)
                return context.apply(connection, target, found, params)

            return await context.write(store)

        if gone:
            await context.write(lambda connection: drop(connection, shelf, table, owner_id, gone))
        asked = await ask_in_halves(ids, ask, lambda: context.budget_s > 0)
        unknown += asked.refused
        if unknown:
            await context.write(partial(note_unknown, context, category_of(table), unknown))
        note = f"{len(unknown)} items unknown to ESI" if unknown else ""
        return PartResult(rows=asked.rows + len(gone), left=len(asked.left), note=note)

    return Part(
        name=name,
        route=route,
        wire=wire,
        scopes=shelf.scopes,
        any_role=shelf.any_role,
        optional=True,
        targets=(target,),
        run=sync_details,
    )


def category_of(table: Table) -> str:
    """Return what unknown_id calls items about which a table could not be filled."""
    return table.name.partition("_")[2]


def wanted(
    connection: Connection,
    shelf: Shelf,
    table: Table,
    owner_id: int,
    now: datetime,
    *,
    again: bool,
) -> tuple[list[int], list[int]]:
    """Return the unpacked items to ask about, and those with a row that are owned no more.

    Blueprints are unpacked as well, and have neither name nor place of their own. Items that ESI
    did not know are left alone for a while.
    """
    items = shelf.items.c
    singles = set(
        connection.scalars(
            select(items.item_id).where(
                items[shelf.key] == owner_id,
                items.is_singleton,
                items.is_blueprint_copy.is_(None),
            )
        )
    )
    waiting = waiting_ids(connection, category_of(table), now)
    known = set(connection.scalars(select(table.c.item_id).where(table.c[shelf.key] == owner_id)))
    asked = singles if again else singles - known
    return sorted(asked - waiting), sorted(known - singles)


def drop(
    connection: Connection, shelf: Shelf, table: Table, owner_id: int, item_ids: list[int]
) -> None:
    """Remove what is known of items that are owned no more."""
    for at in range(0, len(item_ids), 500):
        connection.execute(
            delete(table).where(
                table.c[shelf.key] == owner_id,
                table.c.item_id.in_(item_ids[at : at + 500]),
            )
        )
