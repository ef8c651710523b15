"""Credentials that no job uses: their refresh tokens are tried, so that a revoked one shows.

Jobs refresh what they use, and what that finds sets the flags. Here only those are named that
nobody refreshed for a while, flagged ones included: a flag goes when SSO takes the token again.
The scheduler tries them, as it does for jobs: no token is ever refreshed by two at once.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult
from jobs.store.schema.core import credential

# SSO is asked about an idle credential this often, and about a flagged one no more often.
IDLE = timedelta(hours=1)
# A first refusal is looked at again soon: only a second one, a while later, is believed.
DOUBT = timedelta(seconds=60)
# Each is a request to SSO; a run is no flood.
BATCH = 50


def idle_credentials(connection: Connection, now: datetime) -> list[int]:
    """Return the id of each credential that is due, longest idle first."""
    c = credential.c
    doubted = c.refused_at.is_not(None) & ~c.needs_reauth & (c.refused_at <= now - DOUBT)
    ids = connection.scalars(
        select(c.id).where(or_(c.updated_at <= now - IDLE, doubted)).order_by(c.updated_at, c.id)
    )
    return list(ids)


async def audit(context: Context) -> PartResult:
    """Name the credentials that are due, as many as one run may."""
    now = context.now()
    due = await context.read(lambda connection: idle_credentials(connection, now))
    named = tuple(due[:BATCH])
    note = f"{len(named)} to be tried" + (
        f", {len(due) - len(named)} more wait" if due[BATCH:] else ""
    )
    return PartResult(empty=not due, refresh=named, note=note if named else "")


KIND = Kind(
    name="global.token_audit",
    subject=SubjectType.GLOBAL,
    feature=None,
    every=timedelta(minutes=20),
    summary="Tries refresh tokens that no job has used lately, and so finds revoked ones.",
    parts=(Part(name="audit", run=audit),),
)
