"""Where a character is, in which ship, and whether its player is there."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import asdict
from sqlalchemy import Connection, select

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult, Route, Target, Wire, Write
from jobs.store.schema.location import (
    character_location,
    character_location_history,
    character_online,
    character_ship,
)

LOCATION = Route(
    "GET", "/characters/{character_id}/location", cache_age_s=5, rate_group="char-location"
)
ONLINE = Route(
    "GET", "/characters/{character_id}/online", cache_age_s=60, rate_group="char-location"
)
SHIP = Route("GET", "/characters/{character_id}/ship", cache_age_s=5, rate_group="char-location")


class Location(Wire, frozen=True):
    """Where the character is; in space without station and structure."""

    solar_system_id: int
    station_id: int | None = None
    structure_id: int | None = None


class Online(Wire, frozen=True):
    """Whether the character plays, and when it last came and went."""

    online: bool
    last_login: datetime | None = None
    last_logout: datetime | None = None
    logins: int | None = None


class Ship(Wire, frozen=True):
    """The ship that the character sits in."""

    ship_item_id: int
    ship_type_id: int
    ship_name: str


NOW = Target(character_location, key=("character_id",), write=Write.UPSERT)
PAST = Target(character_location_history, key=("character_id", "observed_at"), write=Write.APPEND)


async def sync_location(context: Context) -> PartResult:
    """Store where the character is, and a row of history when that is another place."""
    params = {"character_id": context.subject.id}
    fetched = await context.fetch(LOCATION, params, Location)
    if fetched.value is None:
        return PartResult(fresh_until=fetched.fresh_until)
    place = asdict(fetched.value)
    observed = {**place, "observed_at": context.now()}

    def store(connection: Connection) -> int:
        before = connection.execute(
            select(*(character_location.c[name] for name in place)).where(
                character_location.c.character_id == context.subject.id
            )
        ).first()
        if before is not None and tuple(before) == tuple(place.values()):
            return 0
        rows = context.apply(connection, NOW, [place], params)
        return rows + context.apply(connection, PAST, [observed], params)

    return PartResult(rows=await context.write(store), fresh_until=fetched.fresh_until)


KIND = Kind(
    name="character.telemetry",
    subject=SubjectType.CHARACTER,
    feature="location",
    every=timedelta(minutes=5),
    summary="Place, ship and presence of a character, and where it was before.",
    parts=(
        Part(
            name="location",
            route=LOCATION,
            wire=Location,
            many=False,
            scopes=frozenset({"esi-location.read_location.v1"}),
            targets=(NOW, PAST),
            run=sync_location,
        ),
        Part(
            name="online",
            route=ONLINE,
            wire=Online,
            many=False,
            scopes=frozenset({"esi-location.read_online.v1"}),
            targets=(Target(character_online, key=("character_id",), write=Write.UPSERT),),
        ),
        Part(
            name="ship",
            route=SHIP,
            wire=Ship,
            many=False,
            scopes=frozenset({"esi-location.read_ship_type.v1"}),
            targets=(Target(character_ship, key=("character_id",), write=Write.UPSERT),),
        ),
    ),
)
