"""What has a name: ESI is asked, and the mirror remembers."""

from __future__ import annotations

from typing import Annotated

import msgspec
from sqlalchemy import Connection

from ipc.messages import Resolved, ResolveDone, RunResolve
from ipc.plain_text import plain
from ipc.unreadable import UNREADABLE
from jobs.errors import BadAnswer, JobError, Transient
from jobs.reasons import verdict_of
from jobs.spec import Route
from jobs.store.inserts import insert
from jobs.store.schema.universe import name as table
from jobs.tools import Tools

IDS = Route("POST", "/universe/ids")


class _Named(msgspec.Struct):
    id: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    name: str


class _Answer(msgspec.Struct):
    agents: tuple[_Named, ...] = ()
    alliances: tuple[_Named, ...] = ()
    characters: tuple[_Named, ...] = ()
    constellations: tuple[_Named, ...] = ()
    corporations: tuple[_Named, ...] = ()
    factions: tuple[_Named, ...] = ()
    inventory_types: tuple[_Named, ...] = ()
    regions: tuple[_Named, ...] = ()
    stations: tuple[_Named, ...] = ()
    systems: tuple[_Named, ...] = ()


# ESI's words for lists of things -> ours for one of them.
_CATEGORIES = {
    "agents": "character",
    "alliances": "alliance",
    "characters": "character",
    "constellations": "constellation",
    "corporations": "corporation",
    "factions": "faction",
    "inventory_types": "type",
    "regions": "region",
    "stations": "station",
    "systems": "system",
}


async def run_resolve(tools: Tools, order: RunResolve) -> ResolveDone:
    """Ask ESI what has these names, store it, and return it."""
    try:
        answer = await tools.esi.ask(IDS, {}, body=order.names)
        found = _found(answer.body)
    except JobError as error:
        return ResolveDone(order.job_id, order.epoch, trouble=verdict_of(error).reason)
    if found:
        await tools.write(lambda connection: _store(connection, tools, found))
    return ResolveDone(order.job_id, order.epoch, found)


def _found(body: bytes) -> tuple[Resolved, ...]:
    try:
        answer = msgspec.json.decode(body, type=_Answer)
    except msgspec.ValidationError as error:
        raise BadAnswer(f"the names came in another form: {error}") from None
    except UNREADABLE as error:
        raise Transient(f"the names came as what is no JSON: {error}") from None
    return tuple(
        Resolved(plain(one.name), one.id, category)
        for field, category in _CATEGORIES.items()
        for one in getattr(answer, field)
    )


def _store(connection: Connection, tools: Tools, found: tuple[Resolved, ...]) -> None:
    now = tools.clock.now()
    for one in sorted(found, key=lambda each: each.id):
        values = {"category": one.category, "name": one.name, "checked_at": now}
        statement = insert(connection, table).values(id=one.id, **values)
        connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))
