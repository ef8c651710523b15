"""A corporation: who it is, the alliances it was in, its logo.

Its row is the parent row: the corporation's other kinds wait for it. Its alliance becomes known
here.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import asdict
from sqlalchemy import Connection

from ipc.subject import SubjectType
from jobs import access
from jobs.entities import CORPORATION_TARGET, CorporationWire, image_part
from jobs.spec import Context, Kind, Part, PartResult, Route, Target, Wire, Write
from jobs.store.schema.profile import corporation, corporation_alliance_history, corporation_icon

CORPORATION = Route("GET", "/corporations/{corporation_id}", cache_age_s=3600)


class Membership(Wire, frozen=True, rename={"started_at": "start_date"}):
    """One alliance that the corporation was in; without an id, in none."""

    record_id: int
    started_at: datetime
    alliance_id: int | None = None
    is_deleted: bool | None = None


async def sync_profile(context: Context) -> PartResult:
    """Store the corporation and, together with it, that its alliance is a subject."""
    company, now = context.subject.id, context.now()
    params = {"corporation_id": company}
    fetched = await context.fetch(CORPORATION, params, CorporationWire)

    def store(connection: Connection) -> int:
        rows = 0
        if fetched.value is not None:
            rows = context.apply(connection, CORPORATION_TARGET, [asdict(fetched.value)], params)
        access.discover_alliance(connection, company, now)
        return rows

    if fetched.value is None and await context.read(
        lambda connection: access.knows_alliance(connection, company)
    ):
        return PartResult(fresh_until=fetched.fresh_until)
    return PartResult(rows=await context.write(store), fresh_until=fetched.fresh_until)


KIND = Kind(
    name="corporation.profile",
    subject=SubjectType.CORPORATION,
    feature=None,
    every=timedelta(hours=1),
    summary="Who a corporation is, the alliances it was in, its logo.",
    parent=corporation,
    triggers=("corporation.assets", "corporation.wallet"),
    parts=(
        Part(
            name="profile",
            route=CORPORATION,
            wire=CorporationWire,
            many=False,
            targets=(CORPORATION_TARGET,),
            run=sync_profile,
        ),
        Part(
            name="history",
            route=Route("GET", "/corporations/{corporation_id}/alliancehistory", cache_age_s=3600),
            wire=Membership,
            targets=(
                Target(
                    corporation_alliance_history,
                    key=("corporation_id", "record_id"),
                    write=Write.UPSERT,
                ),
            ),
        ),
        image_part(
            name="logo",
            route=Route("GET", "/corporations/{corporation_id}/icons", cache_age_s=3600),
            table=corporation_icon,
            key="corporation_id",
            file="corporation_{id}.png",
        ),
    ),
)
