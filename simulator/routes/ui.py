"""Routes of the game client: waypoints and windows, which only show as effects."""

from __future__ import annotations

from simulator.routes.bodies import id_in_query, ids_in, object_in, text_in, word_in_query
from simulator.routes.table import Act, Call, Done, Read, Write
from simulator.universe.world import World


def _waypoint(_world: World, call: Call) -> Done:
    content = {
        "destination_id": id_in_query(call.query, "destination_id"),
        "add_to_beginning": word_in_query(call.query, "add_to_beginning"),
        "clear_other_waypoints": word_in_query(call.query, "clear_other_waypoints"),
    }
    return Done(content, effect=True)


def _window(name: str) -> Act:
    def act(_world: World, call: Call) -> Done:
        return Done({name: id_in_query(call.query, name)}, effect=True)

    return act


def _new_mail(_world: World, call: Call) -> Done:
    body = object_in(call.body)
    text_in(body, "subject", 1_000)
    text_in(body, "body", 10_000)
    ids_in(body.get("recipients"), most=50)
    return Done(None, effect=True)


ROWS: tuple[Read | Write, ...] = (
    Write("POST", "/ui/autopilot/waypoint", _waypoint),
    Write("POST", "/ui/openwindow/contract", _window("contract_id")),
    Write("POST", "/ui/openwindow/information", _window("target_id")),
    Write("POST", "/ui/openwindow/marketdetails", _window("type_id")),
    Write("POST", "/ui/openwindow/newmail", _new_mail),
)
