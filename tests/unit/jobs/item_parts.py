"""Parts of kinds that read items, for the tests of the pipeline."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from jobs.spec import Part, Route, Target, Wire, Write
from jobs.store.schema.core import route_state
from tests.unit.jobs.job_house import (
    START,
    TOKEN_LIFE,
    House,
    grouped,
    items,
)

LATER = START + TOKEN_LIFE
SCOPE = frozenset({"esi-a.read.v1"})
ROUTE = Route("GET", "/characters/{character_id}/items", cache_age_s=60)


class Item(Wire, frozen=True, rename={"item_id": "id"}):
    """A row."""

    item_id: int
    name: str | None = None


REPLACE = Target(items, key=("character_id", "item_id"), write=Write.REPLACE)
ITEMS = Part(name="items", route=ROUTE, wire=Item, targets=(REPLACE,), scopes=SCOPE)
GROUPED = Part(
    name="grouped",
    route=Route("GET", "/characters/{character_id}/groups/{group_id}/items"),
    wire=Item,
    fan_out=({"group_id": 1}, {"group_id": 2}, {"group_id": 3}),
    targets=(Target(grouped, key=("character_id", "group_id", "item_id"), write=Write.REPLACE),),
)


async def states_of(house: House) -> list[Any]:
    """Return what is remembered of all routes."""
    query = select(route_state).order_by(route_state.c.params, route_state.c.page)
    return await house.tools.read(lambda c: list(c.execute(query)))
