"""Where industry can be done: stations and open structures, with their taxes."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Part, Route, Target, Wire, Write
from jobs.store.schema.offers import industry_facility


class Facility(Wire, frozen=True):
    """One facility."""

    facility_id: int
    owner_id: int
    region_id: int
    solar_system_id: int
    type_id: int
    tax: float | None = None


KIND = Kind(
    name="global.industry_facilities",
    subject=SubjectType.GLOBAL,
    feature="industry_facilities",
    every=timedelta(hours=1),
    off_by_default=True,
    summary="Facilities for industry, with owner, place and tax.",
    parts=(
        Part(
            name="facilities",
            route=Route("GET", "/industry/facilities", cache_age_s=3600, rate_group="industry"),
            wire=Facility,
            targets=(Target(industry_facility, key=("facility_id",), write=Write.REPLACE),),
        ),
    ),
)
