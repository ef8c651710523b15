"""Routes of contacts: reading and changing them, and what it costs to write to somebody."""

from __future__ import annotations

from simulator.errors import bad_request
from simulator.routes.bodies import ids_in, ids_in_query, word_in_query
from simulator.routes.table import Call, Done, Ids, Read, Write
from simulator.universe.draw import Row
from simulator.universe.world import World

ME = "/characters/{character_id}"
COMPANY = "/corporations/{corporation_id}"
ALLIANCE = "/alliances/{alliance_id}"
ADDED_AT_ONCE = 100
DELETED_AT_ONCE = 20
LABELS_AT_ONCE = 63


def _contacts(world: World, ids: Ids, _at_s: float) -> list[Row]:
    return world.contacts.of(ids[0])


def _labels(world: World, _ids: Ids, _at_s: float) -> list[Row]:
    return world.contacts.labels()


def _standing(call: Call) -> float:
    try:
        standing = float(call.query.get("standing", ""))
    except ValueError:
        raise bad_request("standing must be a number") from None
    if not -10 <= standing <= 10:
        raise bad_request("standing must be -10 to 10")
    return standing


def _add(world: World, call: Call) -> Done:
    added = world.contacts.add(
        call.ids[0],
        ids_in(call.body, most=ADDED_AT_ONCE),
        _standing(call),
        ids_in_query(call.query, "label_ids", LABELS_AT_ONCE),
        watched=word_in_query(call.query, "watched", default=False),
    )
    return Done(added, call.ids[:1], effect=True)


def _edit(world: World, call: Call) -> Done:
    world.contacts.edit(
        call.ids[0],
        ids_in(call.body, most=ADDED_AT_ONCE),
        _standing(call),
        ids_in_query(call.query, "label_ids", LABELS_AT_ONCE),
        watched=word_in_query(call.query, "watched", default=False),
    )
    return Done(None, call.ids[:1], effect=True)


def _remove(world: World, call: Call) -> Done:
    ids = ids_in_query(call.query, "contact_ids", DELETED_AT_ONCE, least=1)
    world.contacts.remove(call.ids[0], ids)
    return Done(ids, call.ids[:1], effect=True)


def _charge(world: World, call: Call) -> Done:
    return Done(world.contacts.charge(ids_in(call.body, most=100), call.ids[0]))


ROWS: tuple[Read | Write, ...] = (
    Read(f"{ME}/contacts", _contacts, "character.contacts"),
    Read(f"{COMPANY}/contacts", _contacts, "corporation.contacts"),
    Read(f"{ALLIANCE}/contacts", _contacts, "alliance.contacts"),
    Read(f"{ALLIANCE}/contacts/labels", _labels, "alliance.contact_labels"),
    Read(f"{ME}/contacts/labels", _labels, "character.contact_labels"),
    Read(f"{COMPANY}/contacts/labels", _labels, "corporation.contact_labels"),
    Write("POST", f"{ME}/contacts", _add),
    Write("PUT", f"{ME}/contacts", _edit),
    Write("DELETE", f"{ME}/contacts", _remove),
    Write("POST", f"{ME}/cspa", _charge),
)
