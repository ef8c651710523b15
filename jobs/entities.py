"""Declarations that several kinds share: rows of corporations and alliances, mirrored pictures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import asdict
from sqlalchemy import Connection, Table, select

from ipc.subject import Subject
from jobs.errors import BadAnswer
from jobs.spec import Context, Part, PartResult, Route, Target, Wire, Write
from jobs.store.schema.profile import alliance, corporation

# A picture can change while its address stays.
LOOK_AGAIN = timedelta(days=1)


class CorporationWire(Wire, frozen=True, rename={"founded_at": "date_founded"}):
    """What GET /corporations/{corporation_id} tells."""

    name: str
    ticker: str
    ceo_id: int
    creator_id: int
    member_count: int
    tax_rate: float
    alliance_id: int | None = None
    faction_id: int | None = None
    home_station_id: int | None = None
    shares: int | None = None
    founded_at: datetime | None = None
    url: str | None = None
    war_eligible: bool | None = None
    description: str | None = None


class AllianceWire(Wire, frozen=True, rename={"founded_at": "date_founded"}):
    """What GET /alliances/{alliance_id} tells; a closed one has no executor."""

    name: str
    ticker: str
    founded_at: datetime
    creator_id: int
    creator_corporation_id: int
    executor_corporation_id: int | None = None
    faction_id: int | None = None


CORPORATION_TARGET = Target(corporation, key=("corporation_id",), write=Write.UPSERT)
ALLIANCE_TARGET = Target(alliance, key=("alliance_id",), write=Write.UPSERT)


class Pictures(
    Wire,
    frozen=True,
    rename={"px64": "px64x64", "px128": "px128x128", "px256": "px256x256", "px512": "px512x512"},
):
    """Where a portrait is, by size; all can be absent."""

    px64: str | None = None
    px128: str | None = None
    px256: str | None = None
    px512: str | None = None


class SmallIcons(Wire, frozen=True, rename={"px64": "px64x64", "px128": "px128x128"}):
    """Where the logo of an alliance is, by size; all can be absent."""

    px64: str | None = None
    px128: str | None = None


class Icons(SmallIcons, frozen=True, rename={"px256": "px256x256"}):
    """Where a logo is, by size; all can be absent."""

    px256: str | None = None


def _wire_of(table: Table) -> type[Wire]:
    if "px512" in table.c:
        return Pictures
    return Icons if "px256" in table.c else SmallIcons


def image_part(*, name: str, route: Route, table: Table, key: str, file: str) -> Part:
    """Return an optional part that stores where a picture is and mirrors its largest size."""
    target = Target(table, key=(key,), write=Write.UPSERT)
    wire = _wire_of(table)

    def known(connection: Connection, subject: Subject) -> dict[str, Any] | None:
        row = connection.execute(select(table).where(table.c[key] == subject.id)).mappings().first()
        return None if row is None else dict(row)

    async def sync_pictures(context: Context) -> PartResult:
        subject, now = context.subject, context.now()
        fetched = await context.fetch(route, {key: subject.id}, wire)
        row = await context.read(lambda connection: known(connection, subject)) or {}
        if fetched.value is not None:
            row = asdict(fetched.value)
        url = largest(row)
        # A look in the future was at a clock that was ahead.
        since = abs(now - (row.get("image_checked_at") or now))
        due = fetched.value is not None or since >= LOOK_AGAIN
        if not due:
            return PartResult(fresh_until=fetched.fresh_until, empty=url is None)
        # Before the row is stored: a picture that failed is asked for again by the next run.
        changed = url is not None and await context.image(url, file.format(id=subject.id))
        row["image_checked_at"] = now
        rows = await context.write(
            lambda connection: context.apply(connection, target, [row], {key: subject.id})
        )
        return PartResult(
            rows=rows if fetched.value is not None else int(changed),
            empty=url is None,
            fresh_until=fetched.fresh_until,
        )

    return Part(
        name=name,
        route=route,
        wire=wire,
        many=False,
        optional=True,
        targets=(target,),
        run=sync_pictures,
    )


def largest(row: Mapping[str, Any]) -> str | None:
    """Return path and query of the largest picture: the image server is configured, not told."""
    for size in ("px512", "px256", "px128", "px64"):
        url = row.get(size)
        if url:
            try:
                parts = urlsplit(url)
            except ValueError:
                raise BadAnswer(f"a picture is at what is no address: {url[:100]!r}") from None
            return f"{parts.path}?{parts.query}" if parts.query else parts.path
    return None
