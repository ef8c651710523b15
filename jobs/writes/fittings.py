"""The writes that concern fittings: save one, delete one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert, select

from ipc.subject import Subject
from ipc.unreadable import UNREADABLE
from jobs.esi.reactions import Absent
from jobs.spec import Route
from jobs.store.inserts import insert as upsert
from jobs.store.schema.fittings import character_fitting as fitting
from jobs.store.schema.fittings import character_fitting_item as item
from jobs.writes.answers import decoded
from jobs.writes.fields import AnId
from jobs.writes.kind import Sender, Window, WriteKind, leave_as_is

_GROUP = "fitting"
_PATH = "/characters/{character_id}/fittings"
LIST = Route("GET", _PATH, cache_age_s=300, rate_group=_GROUP)
SAVE = Route("POST", _PATH, rate_group=_GROUP)
DELETE = Route("DELETE", f"{_PATH}/{{fitting_id}}", rate_group=_GROUP)
# The list of fittings is cached for 300 s.
LAG = timedelta(minutes=7)

Flag = Literal[
    "Cargo", "DroneBay", "FighterBay",
    "HiSlot0", "HiSlot1", "HiSlot2", "HiSlot3", "HiSlot4", "HiSlot5", "HiSlot6", "HiSlot7",
    "Invalid",
    "LoSlot0", "LoSlot1", "LoSlot2", "LoSlot3", "LoSlot4", "LoSlot5", "LoSlot6", "LoSlot7",
    "MedSlot0", "MedSlot1", "MedSlot2", "MedSlot3", "MedSlot4", "MedSlot5", "MedSlot6", "MedSlot7",
    "RigSlot0", "RigSlot1", "RigSlot2",
    "ServiceSlot0", "ServiceSlot1", "ServiceSlot2", "ServiceSlot3", "ServiceSlot4",
    "ServiceSlot5", "ServiceSlot6", "ServiceSlot7",
    "SubSystemSlot0", "SubSystemSlot1", "SubSystemSlot2", "SubSystemSlot3",
]  # fmt: skip


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One module or stack of a fitting."""

    type_id: AnId
    flag: Flag
    quantity: AnId


class Save(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fitting to save; was: the equal ones that were there before."""

    name: Annotated[str, Meta(min_length=1, max_length=50)]
    description: Annotated[str, Meta(max_length=500)]
    ship_type_id: AnId
    items: Annotated[tuple[Item, ...], Meta(min_length=1, max_length=512)]
    was: tuple[int, ...] | None = None


class AnyItem(msgspec.Struct, frozen=True):
    """One thing in a fitting as ESI tells it; new slots can come."""

    type_id: int
    flag: str
    quantity: int


class Known(msgspec.Struct, frozen=True):
    """A fitting as the mirror had it."""

    name: str
    description: str
    ship_type_id: int
    items: tuple[AnyItem, ...]


class Delete(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Delete a saved fitting."""

    fitting_id: AnId
    was: Known | None = None


class _Fitting(msgspec.Struct):
    fitting_id: int
    name: str
    ship_type_id: int
    items: tuple[AnyItem, ...] = ()


class _Saved(msgspec.Struct):
    fitting_id: int


# --- save --------------------------------------------------------------------------------------


def key_of_new(payload: Save) -> str:
    """Return the key of a fitting that has no number yet."""
    return f"fitting:{payload.ship_type_id}:{payload.name}"


def note_known(connection: Connection, subject: Subject, payload: Save, _now: datetime) -> Save:
    """Change nothing in the mirror, where a fitting needs its number; note its equals."""
    if payload.was is not None:
        return payload
    ids = connection.scalars(
        select(fitting.c.fitting_id).where(
            fitting.c.character_id == subject.id,
            fitting.c.name == payload.name,
            fitting.c.ship_type_id == payload.ship_type_id,
        )
    ).all()
    equal = [one for one in ids if _bag(_items(connection, subject, one)) == _bag(payload.items)]
    return replace(payload, was=tuple(equal))


async def save(sender: Sender, payload: Save) -> Mapping[str, Any]:
    """Save the fitting; return its number."""
    body = {
        "name": payload.name,
        "description": payload.description,
        "ship_type_id": payload.ship_type_id,
        "items": payload.items,
    }
    answer = await sender.ask(SAVE, {"character_id": sender.character_id}, body)
    try:
        return {"fitting_id": msgspec.json.decode(answer.body, type=_Saved).fitting_id}
    except UNREADABLE:
        # It is saved all the same; its number comes with the next list of fittings.
        return {}


async def find_saved(
    sender: Sender, payload: Save, _window: Window, taken: frozenset[int]
) -> Mapping[str, Any] | None:
    """Look for a fitting like this one that was not there before."""
    answer = await sender.look(LIST, {"character_id": sender.character_id})
    for one in decoded(answer.body, list[_Fitting], "the fittings"):
        if (
            one.fitting_id not in (payload.was or ())
            and one.fitting_id not in taken
            and (one.name, one.ship_type_id) == (payload.name, payload.ship_type_id)
            and _bag(one.items) == _bag(payload.items)
        ):
            return {"fitting_id": one.fitting_id, "found": True}
    return None


def add_rows(
    connection: Connection, subject: Subject, payload: Save, result: Mapping[str, Any]
) -> None:
    """Add the fitting to the mirror, now that it has a number."""
    fitting_id = result.get("fitting_id")
    if fitting_id is not None:
        items = tuple(AnyItem(one.type_id, one.flag, one.quantity) for one in payload.items)
        known = Known(payload.name, payload.description, payload.ship_type_id, items)
        _put(connection, subject, fitting_id, known)


def is_there(
    connection: Connection, subject: Subject, _payload: Save, result: Mapping[str, Any]
) -> bool:
    """Tell whether the mirror has the fitting that was saved."""
    query = select(fitting.c.fitting_id).where(
        fitting.c.character_id == subject.id, fitting.c.fitting_id == result.get("fitting_id")
    )
    return connection.execute(query).first() is not None


# --- delete ------------------------------------------------------------------------------------


def key_of(payload: Delete) -> str:
    """Return the key of the fitting."""
    return f"fitting:{payload.fitting_id}"


def remove_rows(
    connection: Connection, subject: Subject, payload: Delete, _now: datetime
) -> Delete:
    """Remove the fitting from the mirror."""
    row = connection.execute(select(fitting).where(*_is(fitting, subject, payload))).first()
    items = _items(connection, subject, payload.fitting_id)
    for table in (item, fitting):
        connection.execute(delete(table).where(*_is(table, subject, payload)))
    if payload.was is not None or row is None:
        return payload
    return replace(payload, was=Known(row.name, row.description, row.ship_type_id, items))


async def delete_fitting(sender: Sender, payload: Delete) -> Mapping[str, Any]:
    """Delete the fitting at ESI; one that is not there any more is as good as deleted."""
    params = {"character_id": sender.character_id, "fitting_id": payload.fitting_id}
    try:
        await sender.ask(DELETE, params)
    except Absent:
        return {"was_gone": True}
    return {}


def restore(connection: Connection, subject: Subject, payload: Delete) -> None:
    """Put the fitting back into the mirror."""
    if payload.was is not None:
        _put(connection, subject, payload.fitting_id, payload.was)


def is_gone(
    connection: Connection, subject: Subject, payload: Delete, _result: Mapping[str, Any]
) -> bool:
    """Tell whether the mirror has no such fitting."""
    query = select(fitting.c.fitting_id).where(*_is(fitting, subject, payload))
    return connection.execute(query).first() is None


def _is(table: Any, subject: Subject, payload: Delete) -> tuple[Any, Any]:
    return table.c.character_id == subject.id, table.c.fitting_id == payload.fitting_id


def _items(connection: Connection, subject: Subject, fitting_id: int) -> tuple[AnyItem, ...]:
    query = (
        select(item.c.type_id, item.c.flag, item.c.quantity)
        .where(item.c.character_id == subject.id, item.c.fitting_id == fitting_id)
        .order_by(item.c.position)
    )
    return tuple(AnyItem(*row) for row in connection.execute(query))


def _bag(items: tuple[Item, ...] | tuple[AnyItem, ...]) -> Counter[tuple[int, str, int]]:
    return Counter((one.type_id, one.flag, one.quantity) for one in items)


def _put(connection: Connection, subject: Subject, fitting_id: int, known: Known) -> None:
    key = {"character_id": subject.id, "fitting_id": fitting_id}
    values = {
        "name": known.name,
        "description": known.description,
        "ship_type_id": known.ship_type_id,
    }
    statement = upsert(connection, fitting).values(**key, **values)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["character_id", "fitting_id"], set_=values)
    )
    connection.execute(
        delete(item).where(item.c.character_id == subject.id, item.c.fitting_id == fitting_id)
    )
    if known.items:
        connection.execute(
            insert(item),
            [
                {**key, "position": position, **msgspec.structs.asdict(one)}
                for position, one in enumerate(known.items)
            ],
        )


_WRITE = frozenset({"esi-fittings.write_fittings.v1"})
_TABLES = frozenset({fitting.name, item.name})

KINDS = (
    WriteKind(
        name="fitting.save",
        summary="Save a fitting.",
        feature="fittings",
        payload=Save,
        scopes=_WRITE,
        routes=(SAVE,),
        dedupe=key_of_new,
        apply=note_known,
        execute=save,
        compensate=leave_as_is,
        confirm=add_rows,
        repeatable=False,
        find=find_saved,
        id_field="fitting_id",
        found_within=LAG,
        tables=_TABLES,
        reads=(LIST,),
        lag=LAG,
        shows=is_there,
    ),
    WriteKind(
        name="fitting.delete",
        summary="Delete a saved fitting.",
        feature="fittings",
        payload=Delete,
        scopes=_WRITE,
        routes=(DELETE,),
        dedupe=key_of,
        apply=remove_rows,
        execute=delete_fitting,
        compensate=restore,
        tables=_TABLES,
        reads=(LIST,),
        lag=LAG,
        shows=is_gone,
    ),
)
