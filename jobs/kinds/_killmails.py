"""Killmails: known by id and hash, read once whoever they concern, and never changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from msgspec.structs import asdict
from sqlalchemy import Connection, Table, exists, select

from jobs.kinds._one_by_one import Found, asking, fetch_one_by_one
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, waits
from jobs.spec import Context, Params, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store.schema.killmails import killmail, killmail_attacker, killmail_item

KILLMAIL = Route(
    "GET",
    "/killmails/{killmail_id}/{killmail_hash}",
    cache_age_s=2_592_000,
    rate_group="killmail",
)
# What refused killmails are remembered as.
REFUSED = "killmail"


class KillmailRef(Wire, frozen=True):
    """By which a killmail can be asked for."""

    killmail_id: int
    killmail_hash: str


class Attacker(Wire, frozen=True):
    """One who took part; NPCs have no character."""

    damage_done: int
    final_blow: bool
    security_status: float
    character_id: int | None = None
    corporation_id: int | None = None
    alliance_id: int | None = None
    faction_id: int | None = None
    ship_type_id: int | None = None
    weapon_type_id: int | None = None


class Inner(Wire, frozen=True):
    """One stack, dropped or destroyed."""

    item_type_id: int
    flag: int
    singleton: int
    quantity_destroyed: int | None = None
    quantity_dropped: int | None = None


class Item(Inner, frozen=True):
    """One stack aboard; containers hold others."""

    items: tuple[Inner, ...] = ()


class Position(Wire, frozen=True):
    """A point in a solar system, in metres."""

    x: float
    y: float
    z: float


class Victim(Wire, frozen=True):
    """Who lost what; a structure has no character."""

    ship_type_id: int
    damage_taken: int
    character_id: int | None = None
    corporation_id: int | None = None
    alliance_id: int | None = None
    faction_id: int | None = None
    position: Position | None = None
    items: tuple[Item, ...] = ()


class Killmail(Wire, frozen=True, rename={"killed_at": "killmail_time"}):
    """What GET /killmails/{killmail_id}/{killmail_hash} tells."""

    killmail_id: int
    killed_at: datetime
    solar_system_id: int
    victim: Victim
    attackers: tuple[Attacker, ...]
    moon_id: int | None = None
    war_id: int | None = None


def killmail_rows(answer: Killmail, params: Params) -> list[Row]:
    """Return the one row of what was lost."""
    victim = answer.victim
    return [
        {
            "killmail_id": answer.killmail_id,
            "killed_at": answer.killed_at,
            "solar_system_id": answer.solar_system_id,
            "moon_id": answer.moon_id,
            "war_id": answer.war_id,
            "victim_character_id": victim.character_id,
            "victim_corporation_id": victim.corporation_id,
            "victim_alliance_id": victim.alliance_id,
            "victim_faction_id": victim.faction_id,
            "victim_ship_type_id": victim.ship_type_id,
            "damage_taken": victim.damage_taken,
            **{axis: getattr(victim.position, axis, None) for axis in "xyz"},
        }
    ]


def attacker_rows(answer: Killmail, params: Params) -> Iterator[Row]:
    """Yield a row for each attacker; two can be alike, so their place in the list is the key."""
    for position, one in enumerate(answer.attackers):
        yield {"killmail_id": answer.killmail_id, "position": position, **asdict(one)}


def item_rows(answer: Killmail, params: Params) -> Iterator[Row]:
    """Yield a row for each stack, those in a container right after it."""
    position = 0
    for outer in answer.victim.items:
        holder = position
        for one in (outer, *outer.items):
            row = asdict(one)
            row.pop("items", None)
            inside = None if one is outer else holder
            yield {
                "killmail_id": answer.killmail_id,
                "position": position,
                "inside": inside,
                **row,
            }
            position += 1


TARGETS = (
    Target(killmail, key=("killmail_id",), write=Write.APPEND, rows=killmail_rows),
    Target(
        killmail_attacker,
        key=("killmail_id", "position"),
        write=Write.APPEND,
        rows=attacker_rows,
    ),
    Target(killmail_item, key=("killmail_id", "position"), write=Write.APPEND, rows=item_rows),
)


def missing(connection: Connection, tables: Sequence[Table], now: datetime) -> list[Params]:
    """Return id and hash of each killmail without details, newest first."""
    hashes: dict[int, str] = {}
    for table in tables:
        ref = table.c
        rows = connection.execute(
            select(ref.killmail_id, ref.killmail_hash).where(
                ~exists().where(killmail.c.killmail_id == ref.killmail_id),
                ~waits(REFUSED, ref.killmail_id, now),
            )
        )
        hashes.update((row.killmail_id, row.killmail_hash) for row in rows)
    return [
        {"killmail_id": one, "killmail_hash": hashes[one]} for one in sorted(hashes, reverse=True)
    ]


def store(
    context: Context, connection: Connection, found: Sequence[Found], refused: Sequence[Params]
) -> int:
    """Write whole killmails; a hash that ESI refuses is tried again after a growing while."""
    rows = 0
    for target, rows_of in zip(TARGETS, (killmail_rows, attacker_rows, item_rows), strict=True):
        lines = [line for params, one in found for line in rows_of(one, params)]
        rows += context.apply(connection, target, lines, {})
    forget_unknown(connection, REFUSED, _ids(params for params, _ in found))
    note_unknown(context, REFUSED, _ids(refused), connection)
    return rows


def _ids(params: Sequence[Params] | Iterator[Params]) -> list[int]:
    return [int(one["killmail_id"]) for one in params]


def details_part(
    *tables: Table,
    scopes: frozenset[str] = frozenset(),
    any_role: frozenset[str] = frozenset(),
) -> Part:
    """Return the part that fetches what the killmails of some tables are about.

    The route is public; scopes and roles are those without which there is no list, and so nothing
    to ask for.
    """

    async def sync_details(context: Context) -> PartResult:
        wanted = await context.read(partial(missing, tables=tables, now=context.now()))
        ask = asking(context, KILLMAIL, Killmail)
        return await fetch_one_by_one(context, ask, wanted, partial(store, context))

    return Part(
        name="details",
        route=KILLMAIL,
        wire=Killmail,
        many=False,
        scopes=scopes,
        any_role=any_role,
        targets=TARGETS,
        run=sync_details,
    )
