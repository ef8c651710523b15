"""An alliance: who it is, its corporations, its logo.

Its row is the parent row: the alliance's other kinds wait for it. All of it is public; alliances
become subjects with the characters and corporations in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ipc.subject import SubjectType
from jobs.entities import ALLIANCE_TARGET, AllianceWire, image_part
from jobs.spec import Kind, Params, Part, Route, Row, Target, Write
from jobs.store.schema.profile import alliance, alliance_corporation, alliance_icon

PATH = "/alliances/{alliance_id}"


def member_rows(answer: list[int], params: Params) -> Iterator[Row]:
    """Yield a row for each corporation: the answer is bare numbers."""
    return ({"corporation_id": one} for one in answer)


KIND = Kind(
    name="alliance.profile",
    subject=SubjectType.ALLIANCE,
    feature=None,
    every=timedelta(hours=1),
    summary="Who an alliance is, its corporations, its logo.",
    parent=alliance,
    parts=(
        Part(
            name="profile",
            route=Route("GET", PATH, cache_age_s=3600),
            wire=AllianceWire,
            many=False,
            targets=(ALLIANCE_TARGET,),
        ),
        Part(
            name="corporations",
            route=Route("GET", f"{PATH}/corporations", cache_age_s=3600),
            wire=int,
            targets=(
                Target(
                    alliance_corporation,
                    key=("alliance_id", "corporation_id"),
                    write=Write.REPLACE,
                    rows=member_rows,
                ),
            ),
        ),
        image_part(
            name="logo",
            route=Route("GET", f"{PATH}/icons"),
            table=alliance_icon,
            key="alliance_id",
            file="alliance_{id}.png",
        ),
    ),
)
