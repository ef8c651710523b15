"""Routes of fittings: reading, saving, deleting."""

from __future__ import annotations

from simulator.contract import by_key
from simulator.errors import bad_request
from simulator.routes.bodies import object_in, text_in
from simulator.routes.table import Call, Done, Read, Write
from simulator.universe.draw import Row
from simulator.universe.world import World

PATH = "/characters/{character_id}/fittings"
MOST_ITEMS = 512


def _flags() -> frozenset[str]:
    body: object = by_key()[f"POST {PATH}"].body
    for step in ("properties", "items", "items", "properties", "flag", "enum"):
        body = body[step] if isinstance(body, dict) else ()
    return frozenset(body if isinstance(body, list) else ())


def _item(one: object) -> Row:
    row = object_in(one)
    numbers = [row.get(name) for name in ("type_id", "quantity")]
    if not all(isinstance(one, int) and one > 0 for one in numbers):
        raise bad_request("an item has a type_id and a quantity")
    if row.get("flag") not in _flags():
        raise bad_request(f"no such flag: {row.get('flag')!r}"[:200])
    return {"type_id": numbers[0], "flag": row["flag"], "quantity": numbers[1]}


def _save(world: World, call: Call) -> Done:
    body = object_in(call.body)
    items, ship = body.get("items"), body.get("ship_type_id")
    if not isinstance(items, list) or not 1 <= len(items) <= MOST_ITEMS:
        raise bad_request(f"items must be a list of 1 to {MOST_ITEMS}")
    if not isinstance(ship, int):
        raise bad_request("ship_type_id must be an id")
    fitting: Row = {
        "name": text_in(body, "name", 50, least=1),
        "description": text_in(body, "description", 500),
        "ship_type_id": ship,
        "items": [_item(one) for one in items],
    }
    fitting_id = world.fittings.save(call.ids[0], fitting)
    return Done({"fitting_id": fitting_id}, call.ids[:1], effect=True)


def _delete(world: World, call: Call) -> Done:
    world.fittings.delete(call.ids[0], call.ids[1])
    return Done(None, call.ids[:1], effect=True)


ROWS: tuple[Read | Write, ...] = (
    Read(PATH, lambda world, ids, _: world.fittings.of(ids[0]), "character.fittings"),
    Write("POST", PATH, _save),
    Write("DELETE", f"{PATH}/{{fitting_id}}", _delete),
)
