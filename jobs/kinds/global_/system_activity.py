"""Traffic and losses in each system within the last hour."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Part, Route, Target, Wire, Write
from jobs.store.schema.activity import system_jumps, system_kills


class Kills(Wire, frozen=True):
    """What was lost in one system."""

    system_id: int
    ship_kills: int
    pod_kills: int
    npc_kills: int


class Jumps(Wire, frozen=True):
    """How many ships came into one system."""

    system_id: int
    ship_jumps: int


KIND = Kind(
    name="global.system_activity",
    subject=SubjectType.GLOBAL,
    feature="system_activity",
    every=timedelta(hours=1),
    off_by_default=True,
    summary="Kills and jumps in each system within the last hour.",
    parts=(
        Part(
            name="kills",
            route=Route("GET", "/universe/system_kills", cache_age_s=3600),
            wire=Kills,
            targets=(Target(system_kills, key=("system_id",), write=Write.REPLACE),),
        ),
        Part(
            name="jumps",
            route=Route("GET", "/universe/system_jumps", cache_age_s=3600),
            wire=Jumps,
            targets=(Target(system_jumps, key=("system_id",), write=Write.REPLACE),),
        ),
    ),
)
